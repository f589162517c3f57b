// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/frame.h"

#include "compiler/ops/types.h"
#include "compiler/tir/operators.h"

namespace cosim::schedules {

tir::Expr Centred(const ops::Convolved& op, const tir::Expr& value) {
  if (op.x.type() == tir::DataType::Float(32)) return value;
  return MakeCast(ops::kInt16, value) - op.zero_point;
}

te::Tensor FrameOf(const std::string& name, const ops::Convolved& op, int64_t height, int64_t width) {
  const std::vector<int64_t>& x = op.x.shape();
  const auto element = [&](const te::Indices& i) -> te::Body {
    const tir::Expr row = i[2] - op.before[0], column = i[3] - op.before[1];
    const tir::Expr seen = Centred(op, op.x(i[0], i[1], row, column));
    const tir::Expr inside = And(tir::InRange(row, 0, x[2]), tir::InRange(column, 0, x[3]));
    const tir::Expr border = seen->type == ops::kInt16 ? tir::Int(0, ops::kInt16) : tir::Float(0);
    return tir::MakeSelect(inside, seen, border);
  };
  return te::Compute(name + ".frame", {x[0], x[1], height, width}, element, {"n", "c", "h", "w"});
}

}  // namespace cosim::schedules
