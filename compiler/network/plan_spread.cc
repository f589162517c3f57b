// SPDX-License-Identifier: Apache-2.0
// Results that stand apart in DRAM: the pixels of a depth_to_space, as a transposed convolution leaves them,
// and those that a resize_nearest repeats. Stores take them there. See lower_group.h.
#include <fmt/format.h>

#include "compiler/network/geometry.h"
#include "compiler/network/lower_group.h"

namespace cosim::network {

bool GroupLowering::PlanSpread(const Group& group, Plan& plan, std::string& reason) const {
  const graph::Node* node = SpreadIn(graph_, group);
  if (node == nullptr) return true;
  if (const auto* resize = node->As<graph::ResizeNearest>()) {
    plan.window.spread = {.rows = resize->scale[0], .cols = resize->scale[1]};
    return true;
  }
  const auto& block = node->As<graph::DepthToSpace>()->block;
  if (const int64_t channels = Shape4(graph_, group.result())[1];
      plan.window.g > 1 || channels % array_.layout_out != 0)
    return reason = fmt::format(
               "its {} channels fill no blocks of {}, so that a block holds values of neighbouring "
               "pixels",
               channels, array_.layout_out),
           false;
  plan.window.spread = {.rows = block[0], .cols = block[1], .phases = true};
  return true;
}

}  // namespace cosim::network
