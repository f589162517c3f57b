// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions by an instruction that multiplies lane by lane, where the ISA has one. See
// lower_group.h.
#include <algorithm>

#include "compiler/network/geometry.h"
#include "compiler/network/lower_group.h"
#include "compiler/tir/rounding.h"

namespace cosim::network {

void GroupLowering::TryLanes(const Group& group, const AcceleratorGroup& out, Plan& plan) const {
  const bool sums = plan.kind == &kernels::Contraction() || plan.kind == &kernels::Rows();
  if (array_.lanes.format < 0 || !sums || out.weights >= 0) return;
  const ConvView view = ViewOf(graph_, group, out.input);
  if (view.attributes.groups == 1 || view.attributes.groups != view.o || view.i != 1) return;
  const isa::ScalarType type = spec_.memories[array_.lanes.weights].fields[0].type;
  if (const auto [least, most] = view.weights.Range(); least < type.Min() || most > type.Max()) return;
  Plan lanes = plan;
  lanes.kind = &kernels::Lanes();
  lanes.window.g = lanes.window.ci = lanes.window.parts = 1;
  lanes.window.si = lanes.window.so = array_.OutElements();
  lanes.window.co = tir::CeilDiv(view.o, array_.layout_out);
  const double by_lane = Estimate(lanes), dense = Estimate(plan);
  if (by_lane > 0 && (dense == 0 || by_lane <= dense)) plan = lanes;
}

}  // namespace cosim::network
