// SPDX-License-Identifier: Apache-2.0
// The evaluator over many lanes against isa::Evaluate on each, on random programs of all operators and
// widths.
#include "sim/functional/alu_evaluator.h"

#include <gmock/gmock.h>

#include <map>

#include "isa/expr/builder.h"
#include "tests/sim/golden/random.h"

namespace cosim::sim {
namespace {

using cosim::testing::Random;
using isa::ScalarInput;
using isa::ScalarOp;
using isa::ScalarType;

constexpr int kLanes = 37;  // fills no vector

ScalarType RandomType(Random& random) {
  const int width = static_cast<int>(random.Of<int64_t>({1, 4, 6, 8, 9, 16, 17, 31, 32, 33, 40, 63}));
  return {width, random.OneIn(2)};
}

/// A node made from earlier ones; -1 when the types do not allow it.
int RandomNode(isa::ExprBuilder& build, isa::ScalarProgram& program, Random& random) {
  const auto any = [&] {
    return static_cast<int>(random.Between(0, static_cast<int64_t>(program.nodes.size()) - 1));
  };
  const ScalarOp binary[] = {ScalarOp::kAdd, ScalarOp::kSub, ScalarOp::kMul,        ScalarOp::kMin,
                             ScalarOp::kMax, ScalarOp::kShr, ScalarOp::kRoundShift, ScalarOp::kAnd,
                             ScalarOp::kOr,  ScalarOp::kXor, ScalarOp::kLt,         ScalarOp::kLe,
                             ScalarOp::kEq,  ScalarOp::kNe};
  switch (random.Between(0, 9)) {
    case 9: {
      const auto t = static_cast<int>(random.Between(0, 1));  // of 16 and 2 elements
      const int index = build.Convert(ScalarOp::kWrap, any(), {t == 0 ? 4 : 1, false}, 0);
      return build.Lookup({"t", t, t == 0 ? 16 : 2, {t == 0 ? 32 : 9, t == 0}}, index, 0);
    }
    case 0:
      return build.Convert(ScalarOp::kWrap, any(), RandomType(random), 0);
    case 1:
      return build.Convert(ScalarOp::kSat, any(), RandomType(random), 0);
    case 2:
      return build.Not(any(), 0);
    case 3:
      return build.Select(any(), any(), any(), 0);
    case 4:
      return build.Clamp(any(), any(), any(), 0);
    case 5:
      if (random.OneIn(2)) {
        const int count =
            build.Convert(ScalarOp::kWrap, any(), {static_cast<int>(random.Between(1, 6)), false}, 0);
        return build.Binary(ScalarOp::kShl, any(), count, 0);
      }
      return build.Binary(ScalarOp::kShl, any(), build.Constant(random.Between(0, 40), 0), 0);
    case 6:
      return build.Abs(any(), 0);
    default:
      return build.Binary(binary[random.Between(0, 13)], any(), any(), 0);
  }
}

isa::ScalarProgram RandomProgram(Random& random) {
  isa::ScalarProgram program;
  isa::ExprBuilder build(program);
  const int inputs = static_cast<int>(random.Between(1, 4));
  for (int n = 0; n < inputs; ++n) {
    const auto kind = random.OneIn(3) ? ScalarInput::Kind::kImmediate : ScalarInput::Kind::kOperand;
    program.inputs.push_back({.kind = kind, .type = RandomType(random)});
    program.nodes.push_back({.op = ScalarOp::kInput, .type = program.inputs.back().type, .input = n});
  }
  const int64_t size = static_cast<int64_t>(program.nodes.size()) + random.Between(1, 14);
  for (int tries = 0; static_cast<int64_t>(program.nodes.size()) < size && tries < 60; ++tries) {
    if (random.OneIn(8)) build.Constant(random.Value({33, true}), 0);
    RandomNode(build, program, random);
  }
  // Half the time as ISAs do: back to a lane's width.
  program.result = static_cast<int>(program.nodes.size()) - 1;
  if (random.OneIn(2)) program.result = build.Convert(ScalarOp::kWrap, program.result, {32, true}, 0);
  return program;
}

void Put(LaneRegister to, int lane, int64_t value) {
  if (to.wide) {
    static_cast<int64_t*>(to.data)[lane] = value;
  } else {
    static_cast<int32_t*>(to.data)[lane] = static_cast<int32_t>(value);
  }
}

int64_t Get(LaneRegister from, int lane) {
  return from.wide ? static_cast<int64_t*>(from.data)[lane] : static_cast<int32_t*>(from.data)[lane];
}

void CompareOnce(const isa::ScalarProgram& program, AluEvaluator& evaluator, Random& random,
                 const char* what) {
  std::vector<std::vector<int64_t>> lanes(kLanes, std::vector<int64_t>(program.inputs.size()));
  for (size_t n = 0; n < program.inputs.size(); ++n) {
    const ScalarInput& input = program.inputs[n];
    const int64_t immediate = random.Value(input.type);
    const bool uniform = input.kind == ScalarInput::Kind::kImmediate;
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane][n] = uniform ? immediate : random.Value(input.type);
    if (uniform) {
      evaluator.SetImmediate(static_cast<int>(n), immediate, kLanes);
    } else if (evaluator.Uses(static_cast<int>(n))) {
      for (int lane = 0; lane < kLanes; ++lane)
        Put(evaluator.Input(static_cast<int>(n)), lane, lanes[lane][n]);
    }
  }
  std::map<int, std::vector<int64_t>> tables;  // by memory
  for (size_t t = 0; t < program.tables.size(); ++t) {
    const isa::ScalarTable& table = program.tables[t];
    for (int64_t i = 0; i < table.depth; ++i) {
      tables[table.memory].push_back(random.Value(table.type));
      evaluator.Table(static_cast<int>(t))[i] = static_cast<int32_t>(tables[table.memory].back());
    }
  }
  const auto lookup = [&](const isa::ScalarTable& table, int64_t i) { return tables.at(table.memory).at(i); };
  evaluator.PrepareUniform(kLanes);
  const LaneRegister result = evaluator.Run(kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    ASSERT_EQ(Get(result, lane), isa::Evaluate(program, lanes[lane], lookup)) << what << " lane " << lane;
  }
}

TEST(AluEvaluator, GivesWhatEvaluateGivesOnRandomPrograms) {
  Random random(3);
  for (int n = 0; n < 3000; ++n) {
    const isa::ScalarProgram program = RandomProgram(random);
    for (const SimdLevel level : kSimdLevels) {
      if (!IsSupported(level)) continue;
      AluEvaluator evaluator(program, kLanes, level);
      const std::string what = "program " + std::to_string(n) + " " + std::string(SimdLevelName(level));
      // Twice: an instruction must not see the immediates of the one before.
      for (int round = 0; round < 2; ++round)
        ASSERT_NO_FATAL_FAILURE(CompareOnce(program, evaluator, random, what.c_str()));
    }
  }
}

TEST(AluCompiler, AddsIn32BitsWhenOnlyTheLowBitsAreKept) {
  isa::ScalarProgram program;
  isa::ExprBuilder build(program);
  for (int n = 0; n < 2; ++n) {
    program.inputs.push_back({.type = {32, true}});
    program.nodes.push_back({.op = ScalarOp::kInput, .type = {32, true}, .input = n});
  }
  program.result = build.Convert(ScalarOp::kWrap, build.Binary(ScalarOp::kAdd, 0, 1, 0), {32, true}, 0);
  const CompiledAlu compiled = CompileAlu(program);
  ASSERT_EQ(compiled.ops.size(), 1u);
  EXPECT_EQ(compiled.ops[0].op, LaneOp::kAdd);
  EXPECT_FALSE(compiled.ops[0].wide);
}

}  // namespace
}  // namespace cosim::sim
