// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions, and others of few channels a group, by an instruction that multiplies along rows,
// where the ISA has one. See lower_group.h.
#include "compiler/network/geometry.h"
#include "compiler/network/lower_group.h"
#include "compiler/tir/rounding.h"

namespace cosim::network {

void GroupLowering::TryRows(const Group& group, const AcceleratorGroup& out, Plan& plan) const {
  if (array_.rows.format < 0 || plan.kind != &kernels::Contraction() || out.weights >= 0) return;
  const ConvView view = ViewOf(graph_, group, out.input);
  const int64_t groups = view.attributes.groups;
  // Elements of a row stand side by side, one a pixel, and each takes as many weights as the instruction
  // does; parts of weights are the inputs of a group, where it has one.
  if (groups == 1 || view.o != groups * view.i || array_.rows.group % view.i != 0 ||
      (plan.window.parts != 1 && array_.rows.group != 1) || array_.OutElements() != 1 ||
      plan.window.kw != array_.rows.taps || plan.window.kh % array_.rows.lines != 0 || plan.window.dw != 1)
    return;
  Plan rows = plan;
  rows.kind = &kernels::Rows();
  rows.window.g = rows.window.ci = rows.window.si = rows.window.so = 1;
  rows.window.co = tir::CeilDiv(view.o, array_.layout_out);
  const double by_row = Estimate(rows), dense = Estimate(plan);
  if (by_row > 0 && (dense == 0 || by_row <= dense)) plan = rows;
}

}  // namespace cosim::network
