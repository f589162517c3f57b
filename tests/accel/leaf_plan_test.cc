// SPDX-License-Identifier: Apache-2.0
// Plans of leaves against the elements that they are to reach, counted one by one.
#include "compiler/accel/leaf_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "compiler/accel/affine.h"
#include "compiler/tir/operators.h"

namespace cosim::accel {
namespace {

/// Calls `visit` with the values of all indices at every point of the space.
template <typename Visit>
void ForEachPoint(const IndexSpace& space, const Visit& visit) {
  int64_t points = 1;
  for (const int64_t extent : space.extents) points *= extent;
  for (int64_t p = 0; p < points; ++p) {
    std::vector<int64_t> at = space.bases;
    int64_t rest = p;
    for (size_t d = 0; d < space.extents.size(); ++d) {
      for (size_t i = 0; i < at.size(); ++i) at[i] += rest % space.extents[d] * space.strides[i][d];
      rest /= space.extents[d];
    }
    visit(at);
  }
}

IndexSpace RandomSpace(std::mt19937& random) {
  IndexSpace space;
  const size_t dims = 1 + random() % 4;
  for (size_t d = 0; d < dims; ++d) space.extents.push_back(1 + random() % 5);
  for (size_t i = 0; i < 3; ++i) {
    space.bases.push_back(200 + random() % 50);
    space.strides.emplace_back();
    for (size_t d = 0; d < dims; ++d)
      space.strides.back().push_back(random() % 4 == 0 ? 0 : static_cast<int64_t>(random() % 25) - 6);
  }
  return space;
}

std::set<int64_t> ElementsOf(const std::vector<ElementRun>& runs, int64_t from = 0) {
  std::set<int64_t> elements;
  for (const ElementRun& run : runs)
    for (int32_t e = run.begin; e < run.end; ++e) elements.insert(from + e);
  return elements;
}

TEST(Reach, HasEveryElementOnceInRunsThatAreApart) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const IndexSpace space = RandomSpace(random);
    const int64_t parts = 1 + random() % 3;
    std::set<int64_t> expected;
    ForEachPoint(space, [&](const std::vector<int64_t>& at) {
      for (int64_t p = 0; p < parts; ++p) expected.insert(at[1] + p);
    });
    const std::vector<ElementRun> runs = Reach(space, 1, parts);
    EXPECT_EQ(ElementsOf(runs), expected);
    for (size_t r = 1; r < runs.size(); ++r) EXPECT_LT(runs[r - 1].end, runs[r].begin);
  }
}

/// All steps of a part, as what its operands are at.
void AddSteps(const LeafPart& part, const IndexSpace& space, bool bases_in_micro_ops,
              std::multiset<std::vector<int64_t>>& steps) {
  const size_t indices = space.bases.size();
  for (int64_t out = 0; out < part.nest.iter_out; ++out)
    for (int64_t in = 0; in < part.nest.iter_in; ++in)
      for (int64_t u = 0; u < part.nest.micro_op_count; ++u) {
        std::vector<int64_t> at;
        for (size_t i = 0; i < indices; ++i)
          at.push_back((bases_in_micro_ops ? 0 : space.bases[i] + part.shift[i]) +
                       part.nest.micro_ops[u * indices + i] + out * part.nest.outer[i] +
                       in * part.nest.inner[i]);
        steps.insert(at);
      }
}

TEST(PlanLeaf, StepsAreThePointsWhereverMicroOpsAreCut) {
  std::mt19937 random(7);
  int cut = 0;
  for (int round = 0; round < 300; ++round) {
    IndexSpace space = RandomSpace(random);
    space.result = static_cast<int>(random() % 3);
    LeafRules rules{.iterations = 4, .micro_ops = 3, .bases_in_micro_ops = random() % 2 == 0};
    if (random() % 2 == 0) rules.apart = 2 + random() % 3;
    for (int i = 0; i < 3; ++i)
      rules.operands.push_back({.memory = i, .write = i == space.result, .index = i});
    std::multiset<std::vector<int64_t>> expected, steps;
    ForEachPoint(space, [&](const std::vector<int64_t>& at) { expected.insert(at); });
    const std::vector<LeafPart> parts = PlanLeaf(rules, space, true);
    cut += parts.size() > 1;
    std::vector<std::set<int64_t>> reached(3);
    for (const LeafPart& part : parts) {
      EXPECT_LE(part.nest.micro_op_count, rules.micro_ops);
      AddSteps(part, space, rules.bases_in_micro_ops, steps);
      for (size_t i = 0; i < 3; ++i)
        reached[i].merge(ElementsOf(part.reach[i], space.bases[i] + part.shift[i]));
    }
    EXPECT_EQ(steps, expected);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(reached[i], ElementsOf(Reach(space, static_cast<int>(i), 1)));
  }
  EXPECT_GT(cut, 50);
}

TEST(PlanLeaf, AnOperandReachesAllItsRows) {
  // Two points, three elements apart; each reads three rows of two elements, ten apart.
  const IndexSpace space{{2}, {0, 5}, {{1}, {3}}};
  LeafRules rules{.iterations = 4, .micro_ops = 4};
  rules.operands.push_back({.memory = 0, .write = true, .index = 0});
  rules.operands.push_back({.memory = 1, .index = 1, .parts = 2, .lines = 3, .pitch = 10});
  const std::vector<LeafPart> parts = PlanLeaf(rules, space, true);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(ElementsOf(parts[0].reach[1], 0),
            (std::set<int64_t>{0, 1, 3, 4, 10, 11, 13, 14, 20, 21, 23, 24}));
}

TEST(PlanLeaf, ASpaceWithoutPointsHasNoInstructions) {
  const LeafRules rules{.iterations = 4, .micro_ops = 4};
  EXPECT_TRUE(PlanLeaf(rules, {{3, 0}, {0, 0}, {{1, 1}, {1, 1}}}, true).empty());
}

TEST(IndexFunction, IsWhatEvaluateSays) {
  const tir::Var i = tir::MakeVar("i"), j = tir::MakeVar("j");
  const tir::Expr x = tir::Ref(i), y = tir::Ref(j);
  for (const tir::Expr& expr :
       {tir::Int(5), x, x * 3 + y, (x - y * 2) * 4 + 7, tir::Min(x * 2, y + 1), x * y, (x + y) * 2 - x}) {
    const IndexFunction function(expr);
    for (int64_t a = -2; a < 3; ++a)
      for (int64_t b = -2; b < 3; ++b) {
        Environment env;
        env.Push(i, a);
        env.Push(j, b);
        EXPECT_EQ(function(env), Evaluate(expr, env)) << tir::ToString(expr);
      }
  }
}

}  // namespace
}  // namespace cosim::accel
