// SPDX-License-Identifier: Apache-2.0
// A value is computed in 32 bits if its type fits there, or if only its low bits are asked for (wrap(a + b,
// 32) never needs the 33rd bit); otherwise in 64. Conversions are inserted where the two meet.
#include "sim/functional/alu_compiler.h"

#include <algorithm>
#include <array>

#include "isa/check.h"

namespace cosim::sim {
namespace {

using isa::ScalarNode;
using isa::ScalarOp;

constexpr int kExact = 64;  ///< all bits of a value are needed

bool Fits32(isa::ScalarType type) { return type.width <= (type.is_signed ? 32 : 31); }

/// Ops whose low n bits depend on the low n bits of their values only.
bool IsModular(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
    case ScalarOp::kShl:
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
    case ScalarOp::kNot:
    case ScalarOp::kSelect:
    case ScalarOp::kWrap:
      return true;
    default:
      return false;
  }
}

LaneOp LaneOpOf(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAdd:
      return LaneOp::kAdd;
    case ScalarOp::kSub:
      return LaneOp::kSub;
    case ScalarOp::kMul:
      return LaneOp::kMul;
    case ScalarOp::kMin:
      return LaneOp::kMin;
    case ScalarOp::kMax:
      return LaneOp::kMax;
    case ScalarOp::kShr:
      return LaneOp::kShr;
    case ScalarOp::kShl:
      return LaneOp::kShlBy;
    case ScalarOp::kRoundShift:
      return LaneOp::kRoundShift;
    case ScalarOp::kAnd:
      return LaneOp::kAnd;
    case ScalarOp::kOr:
      return LaneOp::kOr;
    case ScalarOp::kXor:
      return LaneOp::kXor;
    case ScalarOp::kNot:
      return LaneOp::kNot;
    case ScalarOp::kLt:
      return LaneOp::kLt;
    case ScalarOp::kLe:
      return LaneOp::kLe;
    case ScalarOp::kEq:
      return LaneOp::kEq;
    case ScalarOp::kNe:
      return LaneOp::kNe;
    case ScalarOp::kSelect:
      return LaneOp::kSelect;
    case ScalarOp::kSat:
      return LaneOp::kSat;
    case ScalarOp::kClamp:
      return LaneOp::kClamp;
    case ScalarOp::kLookup:
      return LaneOp::kLookup;
    case ScalarOp::kConst:
    case ScalarOp::kInput:
    case ScalarOp::kWrap:
      break;
  }
  COSIM_CHECK(false, "scalar op {} has no lane operation of its own", static_cast<int>(op));
}

class AluCompiler {
 public:
  explicit AluCompiler(const isa::ScalarProgram& program)
      : program_(program),
        needed_(program.nodes.size(), 0),
        uniform_(program.nodes.size(), true),
        narrow_(program.nodes.size(), -1),
        wide_(program.nodes.size(), -1) {}

  CompiledAlu Compile() {
    FindNeededBits();
    out_.inputs.assign(program_.inputs.size(), -1);
    for (int n = 0; n < static_cast<int>(program_.nodes.size()); ++n) {
      if (needed_[n] != 0) CompileNode(n);
    }
    out_.result =
        Fits32(program_.nodes[program_.result].type) ? Narrow(program_.result) : Wide(program_.result);
    return std::move(out_);
  }

 private:
  /// How many low bits of each node its users need; 0: nobody does.
  void FindNeededBits() {
    needed_[program_.result] = kExact;
    for (int n = static_cast<int>(program_.nodes.size()) - 1; n >= 0; --n) {
      if (needed_[n] == 0) continue;
      const ScalarNode& node = program_.nodes[n];
      int bits = kExact;
      if (node.op == ScalarOp::kWrap) {
        bits = std::min(needed_[n], node.type.width);
      } else if (IsModular(node.op)) {
        bits = needed_[n];
      }
      Need(node.a, node.op == ScalarOp::kSelect ? kExact : bits);  // a condition is needed whole
      if (node.op != ScalarOp::kShl) {
        Need(node.b, bits);
      } else if (!HasConstantCount(node)) {  // a constant is part of the operation
        Need(node.b, kExact);
      }
      Need(node.c, bits);
    }
  }

  bool HasConstantCount(const ScalarNode& shift) const {
    return program_.nodes[shift.b].op == ScalarOp::kConst;
  }

  void Need(int node, int bits) {
    if (node >= 0) needed_[node] = std::max(needed_[node], bits);
  }

  bool IsNarrow(int n) const { return needed_[n] <= 32 || Fits32(program_.nodes[n].type); }

  void CompileNode(int n) {
    const ScalarNode& node = program_.nodes[n];
    if (node.op == ScalarOp::kConst) {
      out_.constants.emplace_back(Define(n, !Fits32(node.type)), node.value);
      return;
    }
    if (node.op == ScalarOp::kInput) {
      CompileInput(n);
      return;
    }
    for (const int operand : {node.a, node.b, node.c}) {
      if (operand >= 0 && !uniform_[operand]) uniform_[n] = false;
    }
    if (node.op == ScalarOp::kWrap) return CompileWrap(n);
    if (node.op == ScalarOp::kLookup) {
      Emit(n, {.op = LaneOp::kLookup, .wide = false, .a = Narrow(node.a), .table = node.input});
      return;
    }
    if (node.op == ScalarOp::kMul && !IsNarrow(n) && IsNarrow(node.a) && IsNarrow(node.b)) {
      Emit(n, {.op = LaneOp::kMulWide, .wide = true, .a = Narrow(node.a), .b = Narrow(node.b)});
      return;
    }
    const bool wide = IsModular(node.op) ? !IsNarrow(n) : !IsNarrow(n) || AnyWide(node);
    EmitPlain(n, wide);
  }

  void CompileInput(int n) {
    const ScalarNode& node = program_.nodes[n];
    const isa::ScalarInput& input = program_.inputs[node.input];
    int& shared = out_.inputs[node.input];
    if (shared < 0) shared = NewRegister(!Fits32(input.type));
    (out_.register_wide[shared] ? wide_ : narrow_)[n] = shared;
    uniform_[n] = input.kind == isa::ScalarInput::Kind::kImmediate;
  }

  void CompileWrap(int n) {
    const ScalarNode& node = program_.nodes[n];
    const bool wide = !IsNarrow(n);
    const int a = wide ? Wide(node.a) : Narrow(node.a);
    const int shift = (wide ? 64 : 32) - node.type.width;
    if (shift <= 0) {  // nothing to drop
      (wide ? wide_ : narrow_)[n] = a;
      return;
    }
    const LaneOp op = node.type.is_signed ? LaneOp::kWrapSigned : LaneOp::kWrapUnsigned;
    Emit(n, {.op = op, .wide = wide, .a = a, .shift = shift});
  }

  bool AnyWide(const ScalarNode& node) const {
    return (node.a >= 0 && !IsNarrow(node.a)) || (node.b >= 0 && !IsNarrow(node.b)) ||
           (node.c >= 0 && !IsNarrow(node.c));
  }

  void EmitPlain(int n, bool wide) {
    const ScalarNode& node = program_.nodes[n];
    auto read = [&](int operand) { return operand < 0 ? -1 : wide ? Wide(operand) : Narrow(operand); };
    CompiledLaneOp op{.op = LaneOpOf(node.op), .wide = wide, .a = read(node.a)};
    if (node.op == ScalarOp::kShl && HasConstantCount(node)) {
      const int64_t shift = program_.nodes[node.b].value;
      op.op = LaneOp::kShl;
      if (shift < (wide ? 64 : 32)) {
        op.shift = static_cast<int>(shift);
      } else {  // nothing is left
        op.op = LaneOp::kXor;
        op.b = op.a;
      }
    } else {
      op.b = read(node.b);
      op.c = read(node.c);
    }
    if (node.op == ScalarOp::kSat) {
      op.lo = node.type.Min();
      op.hi = node.type.Max();
      // Narrow lanes may lie within the bounds whatever they hold.
      if (!wide) op.lo = std::max<int64_t>(op.lo, INT32_MIN), op.hi = std::min<int64_t>(op.hi, INT32_MAX);
    }
    Emit(n, op);
  }

  /// Appends an op that computes node n.
  void Emit(int n, CompiledLaneOp op) {
    op.r = Define(n, op.wide);
    op.uniform = uniform_[n];
    out_.ops.push_back(op);
  }

  int NewRegister(bool wide) {
    out_.register_wide.push_back(wide);
    return static_cast<int>(out_.register_wide.size()) - 1;
  }

  int Define(int n, bool wide) { return (wide ? wide_ : narrow_)[n] = NewRegister(wide); }

  /// The register with node n's low 32 bits, converting if need be.
  int Narrow(int n) {
    if (narrow_[n] < 0) {
      const int from = wide_[n];
      Emit(n, {.op = LaneOp::kNarrow, .wide = false, .a = from});
    }
    return narrow_[n];
  }

  /// The register with node n sign-extended to 64 bits.
  int Wide(int n) {
    if (wide_[n] < 0) {
      const int from = narrow_[n];
      Emit(n, {.op = LaneOp::kWiden, .wide = true, .a = from});
    }
    return wide_[n];
  }

  const isa::ScalarProgram& program_;
  std::vector<int> needed_;
  std::vector<bool> uniform_;
  std::vector<int> narrow_, wide_;  ///< registers of each node
  CompiledAlu out_;
};

}  // namespace

CompiledAlu CompileAlu(const isa::ScalarProgram& program) { return AluCompiler(program).Compile(); }

}  // namespace cosim::sim
