// SPDX-License-Identifier: Apache-2.0
// Counts what a lane is printed with. What is shared is counted where it is printed (lane_shared.cc).
#include <algorithm>
#include <iterator>

#include "isa/sv/lane_printer.h"

namespace cosim::isa {
namespace {

/// Registers one after the other that tools make one shift register of.
constexpr int kLeastDelay = 3;

}  // namespace

void LanePrinter::Count(const AluOp& op, const ScalarNode& node, int a, int b) {
  const int64_t width = node.type.width;
  const auto bits = [&](int value) { return value < 0 ? 0 : values_[value].type.width; };
  const int64_t wide = std::max(bits(a), bits(b)) + 1;
  switch (node.op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:  // by a constant
      size_.adders += width;
      break;
    case ScalarOp::kMin:
    case ScalarOp::kMax:
      size_.compares += wide;
      size_.selects += width;
      break;
    case ScalarOp::kClamp:
      size_.compares += 2 * width;
      size_.selects += 2 * width;
      [[fallthrough]];  // and saturates
    case ScalarOp::kSat:
      size_.selects += width;
      size_.compares += std::max<int64_t>(0, bits(a) - width);
      break;
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kEq:
    case ScalarOp::kNe:
      size_.compares += wide;
      break;
    case ScalarOp::kSelect:
      size_.selects += width;
      break;
    case ScalarOp::kShr:
    case ScalarOp::kShl:
      if (op.program.nodes[node.b].op != ScalarOp::kConst) size_.shifts += width * bits(b);
      break;
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
    case ScalarOp::kNot:
      size_.logic += width;
      break;
    case ScalarOp::kConst:
    case ScalarOp::kInput:
    case ScalarOp::kRoundShift:
    case ScalarOp::kLookup:
    case ScalarOp::kWrap:
      break;
  }
}

SvLaneSize LanePrinter::Size() const {
  SvLaneSize size = size_;
  for (const auto& [value, stages] : read_) {
    const LaneValue& described = values_[value];
    if (described.is_static) continue;
    int from = described.stage;
    for (const int stage : stages) {
      int64_t& bits = stage - from >= kLeastDelay ? size.delays : size.registers;
      bits += int64_t{described.type.width} * (stage - from >= kLeastDelay ? 1 : stage - from);
      from = stage;
    }
  }
  return size;
}

}  // namespace cosim::isa
