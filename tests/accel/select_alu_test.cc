// SPDX-License-Identifier: Apache-2.0
// Instruction selection: known expressions, refusals, and the property that what is selected computes what
// was written.
#include "compiler/accel/select_alu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "compiler/tir/interpreter.h"
#include "compiler/tir/operators.h"
#include "tests/accel/testing.h"

namespace cosim::accel {
namespace {

using tir::BinaryOp;
using tir::DataType;
using tir::Expr;

// One lane of one element: acc[0] is the intermediate, and the result when the expression goes to the
// accumulators.
class Lane {
 public:
  explicit Lane(const isa::Spec& spec) : spec_(spec) {
    acc_ = Buffer("acc", kInt32, 1);
    other_ = Buffer("acc", kInt32, 1);
    inp_ = Buffer("inp", kInt8, 1);
    if (spec.MemoryIndex("par") >= 0)
      par_ =
          Buffer("par", kInt32, static_cast<int64_t>(spec.memories[spec.MemoryIndex("par")].fields.size()));
  }

  Expr acc() const { return MakeLoad(acc_, {tir::Int(0)}); }
  Expr other() const { return MakeLoad(other_, {tir::Int(0)}); }
  Expr inp() const { return MakeCast(kInt32, MakeLoad(inp_, {tir::Int(0)})); }
  Expr par(const std::string& field) const {
    const auto& fields = spec_.memories[spec_.MemoryIndex("par")].fields;
    for (size_t f = 0; f < fields.size(); ++f)
      if (fields[f].name == field) return MakeLoad(par_, {tir::Int(static_cast<int64_t>(f))});
    return nullptr;
  }

  AluTarget Target(const std::string& memory) const {
    AluTarget target;
    target.memory = spec_.MemoryIndex(memory);
    target.intermediate_memory = spec_.MemoryIndex("acc");
    target.info = [this](const Expr& e) {
      const auto& load = std::get<tir::Load>(e->node);
      const int from = spec_.MemoryIndex(load.buffer->scope);
      const bool record = spec_.memories[from].fields.size() > 1;
      return LoadInfo{from,
                      record ? static_cast<int>(std::get<tir::IntImm>(load.indices[0]->node).value) : -1};
    };
    target.same_element = [](const Expr& a, const Expr& b) {
      return std::get<tir::Load>(a->node).buffer == std::get<tir::Load>(b->node).buffer;
    };
    target.is_intermediate = [this](const Expr& e) { return std::get<tir::Load>(e->node).buffer == acc_; };
    target.is_result = [this, memory](const Expr& e) {
      return memory == "acc" && std::get<tir::Load>(e->node).buffer == acc_;
    };
    return target;
  }

  std::vector<SelectedOp> Select(const Expr& expr, const std::string& memory, std::string& why) const {
    return SelectAluOps(spec_, FromLowered(expr), Target(memory), why);
  }
  std::string Names(const Expr& expr, const std::string& memory) const {
    std::string why, names;
    for (const auto& op : Select(expr, memory, why))
      names += (names.empty() ? "" : " ") + spec_.alu_ops[op.op].name;
    return names.empty() ? why : names;
  }

  // Values of one lane by buffer.
  struct Values {
    int32_t acc = 0, other = 0;
    int8_t inp = 0;
    std::vector<int32_t> par;
  };

  int64_t Interpret(const Expr& expr, Values values) const {
    const auto out = tir::MakeBuffer("out", kInt64, {1});
    tir::Function f{
        "f", {acc_, other_, inp_}, tir::MakeStmt(tir::Store{out, {tir::Int(0)}, MakeCast(kInt64, expr)})};
    int64_t result = 0;
    std::vector<void*> args = {&values.acc, &values.other, &values.inp};
    if (par_) {
      f.params.push_back(par_);
      args.push_back(values.par.data());
    }
    f.params.push_back(out);
    args.push_back(&result);
    tir::Interpret(f, args);
    return result;
  }

  int64_t Run(const std::vector<SelectedOp>& ops, const Values& values) const {
    int64_t intermediate = values.acc;
    for (const auto& selected : ops)
      intermediate =
          isa::Evaluate(spec_.alu_ops[selected.op].program, Inputs(selected, values, intermediate));
    return intermediate;
  }

 private:
  static tir::Buffer Buffer(const std::string& scope, DataType type, int64_t fields) {
    return tir::MakeBuffer(scope + "_value", type, {fields}, scope);
  }

  std::vector<int64_t> Inputs(const SelectedOp& selected, const Values& values, int64_t intermediate) const {
    std::vector<int64_t> inputs;
    for (const auto& input : spec_.alu_ops[selected.op].program.inputs) {
      if (input.kind == isa::ScalarInput::Kind::kImmediate) {
        const auto at = std::find_if(selected.immediates.begin(), selected.immediates.end(),
                                     [&](const auto& i) { return i.first == input.instruction_field; });
        EXPECT_NE(at, selected.immediates.end());
        inputs.push_back(at->second);
        continue;
      }
      const Expr& load = selected.operands[input.operand].load;
      const auto* buffer = load ? std::get<tir::Load>(load->node).buffer.get() : nullptr;
      if (!buffer || buffer == acc_.get())
        inputs.push_back(intermediate);
      else if (buffer == other_.get())
        inputs.push_back(values.other);
      else if (buffer == inp_.get())
        inputs.push_back(values.inp);
      else
        inputs.push_back(values.par[input.field]);
    }
    return inputs;
  }

  const isa::Spec& spec_;
  tir::Buffer acc_, other_, inp_, par_;
};

Expr I32(int64_t value) { return tir::Int(value, kInt32); }
Expr I64(int64_t value) { return tir::Int(value, kInt64); }
Expr Clamp(const Expr& e, int64_t low, int64_t high) {
  return Max(Min(e, tir::Int(high, e->type)), tir::Int(low, e->type));
}
Expr Shift(const Expr& e, int64_t by) { return MakeBinary(BinaryOp::kShr, e, tir::Int(by, e->type)); }
Expr ShiftLeft(const Expr& e, int64_t by) { return MakeBinary(BinaryOp::kShl, e, tir::Int(by, e->type)); }
Expr Rounded(const Expr& e, const Expr& by) { return MakeBinary(BinaryOp::kRoundShift, e, by); }

Expr Requantized(const Lane& lane, int64_t zero_point, int64_t low, int64_t high) {
  const Expr product = MakeCast(kInt64, lane.acc() + lane.par("bias")) * MakeCast(kInt64, lane.par("mult"));
  const Expr scaled = Clamp(Rounded(product, MakeCast(kInt64, lane.par("shift"))), INT32_MIN, INT32_MAX);
  return Clamp(MakeCast(kInt32, Clamp(scaled + I64(zero_point), low, high)), low, high);
}
Expr Term(const Expr& value, int64_t zero_point, int64_t multiplier, int64_t shift) {
  return MakeCast(kInt32, Rounded(MakeCast(kInt64, value - I32(zero_point)) * I64(multiplier), I64(shift)));
}

TEST(SelectAlu, RequantizationIsOneOp) {
  const isa::Spec spec = Load("pynq.yaml", "cosim");
  const Lane lane(spec);
  EXPECT_EQ(lane.Names(MakeCast(kInt8, Requantized(lane, 5, -128, 127)), "out"), "requant");
  EXPECT_EQ(lane.Names(MakeCast(kInt8, Requantized(lane, 0, -10, 90)), "out"), "requant");
  EXPECT_EQ(lane.Names(Requantized(lane, -3, -128, 127), "acc"), "requant_acc");
}

TEST(SelectAlu, ResidualAddsTakeOneOpEachSide) {
  const isa::Spec spec = Load("pynq.yaml", "cosim");
  const Lane lane(spec);
  const Expr sum = Term(Requantized(lane, 5, -128, 127), 5, 77, 6) + Term(lane.inp(), -2, 99, 7) + I32(3);
  EXPECT_EQ(lane.Names(MakeCast(kInt8, Clamp(sum, 0, 127)), "out"),
            "requant_acc rescale add_rescaled narrow");
}

TEST(SelectAlu, PoolingUpdatesAreOneOp) {
  const isa::Spec spec = Load("pynq.yaml", "cosim");
  const Lane lane(spec);
  EXPECT_EQ(lane.Names(Max(lane.acc(), lane.inp()), "acc"), "max_inp");
  EXPECT_EQ(lane.Names(Max(lane.inp(), lane.acc()), "acc"), "max_inp");
  EXPECT_EQ(lane.Names(lane.acc() + lane.inp(), "acc"), "add_inp");
  EXPECT_EQ(lane.Names(lane.acc() + lane.inp() * lane.par("mult"), "acc"),
            "no sequence of up to 8 ALU ops of isa 'cosim' computes it into 'acc'")
      << "an int32 product wraps before the sum does";
}

TEST(SelectAlu, ConstantsAndClipsAreFound) {
  const isa::Spec spec = Load("pynq.yaml", "cosim");
  const Lane lane(spec);
  EXPECT_EQ(lane.Names(I32(-128), "acc"), "seti");
  EXPECT_EQ(lane.Names(MakeCast(kInt8, Clamp(lane.inp(), -4, 4)), "out"), "widen narrow");
  EXPECT_EQ(lane.Names(MakeCast(kInt8, Clamp(lane.acc() + I32(300), -4, 4)), "out"), "addi narrow");
  EXPECT_EQ(lane.Names(lane.acc() + I32(7), "acc"), "addi");
}

TEST(SelectAlu, VtaCoversShiftsAndClipsByChains) {
  const isa::Spec spec = Load("pynq.yaml", "vta");
  const Lane lane(spec);
  EXPECT_EQ(lane.Names(Clamp(Shift(lane.acc() + lane.other(), 7), -128, 127), "acc"), "add shri mini maxi");
  EXPECT_EQ(lane.Names(Clamp(Shift(lane.acc() + lane.other(), 7) + I32(4), 0, 127), "acc"),
            "add shri addi mini maxi");
  EXPECT_EQ(lane.Names(Max(lane.acc(), I32(0)), "acc"), "maxi");
}

TEST(SelectAlu, VtaShiftsLeftByNegativeImmediates) {
  const isa::Spec spec = Load("pynq.yaml", "vta");
  const Lane lane(spec);
  std::string why;
  const auto selected = lane.Select(ShiftLeft(lane.acc(), 3), "acc", why);
  ASSERT_EQ(selected.size(), 1u);
  EXPECT_EQ(spec.alu_ops[selected[0].op].name, "shri");
  ASSERT_EQ(selected[0].immediates.size(), 1u);
  EXPECT_EQ(selected[0].immediates[0].second, -3);
  EXPECT_EQ(lane.Names(Shift(lane.acc(), 31), "acc"), "shri");
}

TEST(SelectAlu, SaysWhatTheIsaLacks) {
  const isa::Spec vta = Load("pynq.yaml", "vta");
  const Lane lane(vta);
  EXPECT_EQ(lane.Names(lane.acc() + lane.inp(), "acc"), "no ALU op of isa 'vta' reads 'inp'");
  EXPECT_EQ(lane.Names(I32(4), "acc"), "no ALU op of isa 'vta' sets 'acc' to a constant");
  EXPECT_EQ(lane.Names(lane.acc() - lane.other(), "acc"),
            "no sequence of up to 8 ALU ops of isa 'vta' computes it into 'acc'");
  EXPECT_EQ(lane.Names(MakeCast(kInt32, tir::Float(1)), "acc"), "it is not integer arithmetic");
  EXPECT_EQ(lane.Names(lane.acc() + I32(40000), "acc"),
            "no sequence of up to 8 ALU ops of isa 'vta' computes it into 'acc'");
}

TEST(SelectAlu, RefusesProductsThatSixtyFourBitsCannotHold) {
  const isa::Spec spec = Load("pynq.yaml", "cosim");
  const Lane lane(spec);
  const Expr wide = MakeCast(kInt64, lane.acc()) * MakeCast(kInt64, lane.other()) * I64(1000);
  EXPECT_EQ(lane.Names(Clamp(MakeCast(kInt32, wide), -4, 4), "acc"), "it is not integer arithmetic");
}

std::string ReadText(const std::string& path) {
  Diagnostics diags;
  return isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/" + path, diags)->text;
}

isa::Spec WithOps(const std::string& ops) {
  Diagnostics diags;
  auto spec = isa::Elaborate({"cosim.yaml", ReadText("isa/cosim.yaml") + ops},
                             {"pynq.yaml", ReadText("configs/pynq.yaml")}, {}, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

TEST(SelectAlu, AnOpNobodyPlannedForIsSelected) {
  const isa::Spec spec = WithOps(R"yaml(
  absdiff: {code: 30, doc: Distance to an activation., operands: {a: "acc[src]", x: "inp[aux]"}, result: "acc[dst]", body: ["wrap(max(a, x) - min(a, x), acc_bits)"]}
)yaml");
  const Lane lane(spec);
  const Expr distance = Max(lane.acc(), lane.inp()) - Min(lane.acc(), lane.inp());
  EXPECT_EQ(lane.Names(distance, "acc"), "absdiff");
  EXPECT_EQ(lane.Names(MakeCast(kInt8, Clamp(distance, 0, 9)), "out"), "absdiff narrow");
}

TEST(SelectAlu, LeavesOutOpsWhoseOperandsShareAnIndex) {
  const isa::Spec spec = WithOps(R"yaml(
  sub_inp: {code: 30, doc: Two memories at one index., operands: {a: "acc[src]", x: "inp[src]"}, result: "acc[dst]", body: ["wrap(a - x, acc_bits)"]}
)yaml");
  const Lane lane(spec);
  EXPECT_THAT(lane.Names(lane.acc() - lane.inp(), "acc"), testing::HasSubstr("no sequence"));
}

class RandomExpressions {
 public:
  RandomExpressions(const Lane& lane, bool parameters, uint32_t seed)
      : lane_(lane), parameters_(parameters), random_(seed) {}

  int64_t Pick(int64_t low, int64_t high) { return low + static_cast<int64_t>(random_() % (high - low + 1)); }

  Expr Chain(int length) {
    Expr value = Pick(0, 2) ? lane_.acc() : parameters_ ? lane_.inp() : lane_.acc();
    if (parameters_ && Pick(0, 2) == 0) value = Requantized(lane_, Pick(-9, 9), Pick(-128, 0), Pick(1, 127));
    for (int i = 0; i < length; ++i) value = Step(value);
    return value;
  }

  Lane::Values Values() {
    const auto any = [&] { return static_cast<int32_t>(static_cast<uint32_t>(random_()) >> Pick(0, 31)); };
    return {any(), any(), static_cast<int8_t>(random_()), {any(), any(), static_cast<int32_t>(Pick(0, 62))}};
  }

 private:
  Expr Step(const Expr& x) {
    switch (Pick(0, 7)) {
      case 0:
        return x + I32(Pick(-1000, 1000));
      case 1:
        return Max(x, I32(Pick(-200, 200)));
      case 2:
        return Min(x, I32(Pick(-200, 200)));
      case 3:
        return Clamp(x, Pick(-150, 50), Pick(-50, 150));
      case 4:
        if (parameters_) return Rounded(x, I32(Pick(0, 12)));
        return Pick(0, 2) ? Shift(x, Pick(0, 12)) : ShiftLeft(x, Pick(0, 12));
      case 5:
        return x + lane_.other();
      case 6:
        return Max(lane_.other(), x);
      default:
        return parameters_ ? Term(x, Pick(-9, 9), Pick(1, 1 << 20), Pick(0, 20)) +
                                 Term(lane_.inp(), Pick(-9, 9), Pick(1, 99), Pick(0, 9))
                           : x * I32(Pick(-300, 300));
    }
  }

  const Lane& lane_;
  bool parameters_;
  std::mt19937 random_;
};

void ExpectSelectedOpsCompute(const std::string& isa, const std::string& memory, int rounds, int at_least) {
  const isa::Spec spec = Load("pynq.yaml", isa);
  const Lane lane(spec);
  RandomExpressions random(lane, isa == "cosim", 11);
  int covered = 0;
  for (int round = 0; round < rounds; ++round) {
    Expr expr = random.Chain(static_cast<int>(random.Pick(0, 4)));
    if (memory == "out") expr = MakeCast(kInt8, Clamp(expr, random.Pick(-128, 0), random.Pick(1, 127)));
    std::string why;
    const auto ops = lane.Select(expr, memory, why);
    if (ops.empty()) continue;
    ++covered;
    for (int i = 0; i < 20; ++i) {
      const auto values = random.Values();
      ASSERT_EQ(lane.Run(ops, values), lane.Interpret(expr, values))
          << tir::ToString(expr) << "\nby " << lane.Names(expr, memory) << "\nacc " << values.acc << " other "
          << values.other << " inp " << int{values.inp};
    }
  }
  EXPECT_GT(covered, at_least);
}

TEST(SelectAlu, SelectedOpsComputeRandomExpressionsIntoAccumulators) {
  ExpectSelectedOpsCompute("cosim", "acc", 1000, 300);
}
TEST(SelectAlu, SelectedOpsComputeRandomExpressionsIntoResults) {
  ExpectSelectedOpsCompute("cosim", "out", 1000, 300);
}
TEST(SelectAlu, SelectedOpsOfVtaComputeRandomExpressions) {
  ExpectSelectedOpsCompute("vta", "acc", 1000, 300);
}

}  // namespace
}  // namespace cosim::accel
