// SPDX-License-Identifier: Apache-2.0
// docs/reference/host-operators.md names the operators that have no tensor expression.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "compiler/host/einsum.h"
#include "compiler/host/index.h"
#include "compiler/host/linear.h"
#include "compiler/host/reduce.h"
#include "tests/ops/testing.h"

namespace cosim::ops {
namespace {

using ::testing::HasSubstr;

bool IsCompiled(const graph::HostOperatorPtr& op, const std::vector<Operand>& operands, int32_t result = 0) {
  graph::Graph graph("operator");
  std::vector<graph::ValueId> ids;
  std::vector<graph::HostOperand> known;
  for (const Operand& operand : operands) {
    known.push_back({operand.value.type(), operand.constant ? &operand.value : nullptr});
    const std::string name = "x" + std::to_string(ids.size());
    ids.push_back(operand.constant ? graph.AddConstant(name, operand.value)
                                   : graph.AddInput(name, operand.value.type()));
  }
  const auto types = std::get<0>(op->Infer(known));
  graph.Add("y", graph::HostOp{op, result, types.at(static_cast<size_t>(result)), "a test"}, ids);
  return HasDefinition(graph, graph.size() - 1);
}

TEST(HostOperatorsPage, NamesTheRoutines) {
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/host-operators.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const size_t at = page.find("## Routines");
  ASSERT_NE(at, std::string::npos);
  const std::string compiled = page.substr(0, at), routines = page.substr(at);

  Randoms random(31);
  const Operand x = Reals(random, {4, 6}), indices = Numbers(random, DType::kInt64, {4, 6}, 0, 3);
  const std::tuple<const char*, graph::HostOperatorPtr, std::vector<Operand>> cases[] = {
      {"CumSum", host::CumulativeSum(false, false), {x, Integers({1})}},
      {"Hardmax", host::Normalize("hardmax", host::Normalization::kHardmax, 1, false), {x}},
      {"TopK", host::TopK(1, true), {x, Integers({2})}},
      {"ScatterElements", host::ScatterElements(0, host::ScatterMode::kAdd), {x, indices, x}},
      {"Einsum", host::Einsum("ij->ji"), {x}},
  };
  for (const auto& [name, op, operands] : cases) {
    EXPECT_FALSE(IsCompiled(op, operands)) << name;
    EXPECT_THAT(routines, HasSubstr(name));
    EXPECT_THAT(compiled, ::testing::Not(HasSubstr(name)));
  }
  EXPECT_FALSE(IsCompiled(host::LayerNormalization(1, 1e-5f), {x, Reals(random, {6})}, 1));
  // A type that loop IR has not.
  EXPECT_FALSE(
      IsCompiled(host::MatMul(), {Tensor({DType::kFloat16, {2, 2}}), Tensor({DType::kFloat16, {2, 2}})}));
}

}  // namespace
}  // namespace cosim::ops
