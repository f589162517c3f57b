// SPDX-License-Identifier: Apache-2.0
// What the importer says of TensorFlow Lite files that it cannot take: all of it in one run.
#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "compiler/import/tflite/sparse.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A chain: the first operator reads tensor 0 and writes tensor 1, and so on.
File Chain(const std::vector<TensorInfo>& tensors, const std::vector<OperatorInfo>& operators) {
  File file{.name = "test.tflite", .tensors = tensors, .operators = operators};
  for (size_t i = 0; i < operators.size(); ++i) {
    file.operators[i].inputs = {static_cast<int>(i)};
    file.operators[i].outputs = {static_cast<int>(i) + 1};
  }
  file.inputs = {0};
  file.outputs = {static_cast<int>(operators.size())};
  return file;
}

std::string ErrorsOf(const File& file) {
  Diagnostics diagnostics;
  EXPECT_FALSE(Builder(file, diagnostics).Run());
  return diagnostics.Render();
}

TEST(TfliteProblems, AreNamedAllAtOnce) {
  const TensorInfo real = Typed(DType::kFloat32, {4}), bytes = Scaled(DType::kInt8, {4}, 0.5f, 0);
  File file = Chain({real, real, real, real, real}, {{.name = "DetectEyes", .custom = true},
                                                     {.name = "RELU"},
                                                     {.name = "SKIP_GRAM", .version = 2},
                                                     {.name = "RELU"}});
  // Two more inputs, of which nothing is known to be wrong but the operators on them.
  for (int i = 0; i < 2; ++i) {
    file.inputs.push_back(static_cast<int>(file.tensors.size()));
    file.tensors.push_back(bytes);
    file.tensors.push_back(bytes);
    const int from = file.inputs.back();
    file.operators.push_back({.name = "SIN", .inputs = {from}, .outputs = {from + 1}});
    file.outputs.push_back(from + 1);
  }
  const std::string errors = ErrorsOf(file);
  EXPECT_THAT(errors, HasSubstr("custom operator DetectEyes on float32 is not supported (1 use)"));
  EXPECT_THAT(errors, HasSubstr("operator SKIP_GRAM (version 2) on float32 is not supported (1 use)"));
  EXPECT_THAT(errors, HasSubstr("sin.4: int8 values: the reference computes float32 only (and 1 more SIN)"));
  EXPECT_THAT(errors, Not(HasSubstr("relu"))) << "nothing is wrong with it";
  EXPECT_THAT(errors, HasSubstr("what a custom operator computes is not in the file; the "));
  EXPECT_EQ(errors.find("hint:"), errors.rfind("hint:")) << "once for all of them";
}

TEST(TfliteProblems, BehindAnUnknownOperatorAreNamedToo) {
  const TensorInfo real = Typed(DType::kFloat32, {4}), bytes = Scaled(DType::kInt8, {4}, 0.5f, 0);
  const std::string errors = ErrorsOf(Chain(
      {real, bytes, bytes, real}, {{.name = "FlexErf", .custom = true}, {.name = "SIN"}, {.name = "POW"}}));
  EXPECT_THAT(errors, HasSubstr("custom operator FlexErf on float32 is not supported (1 use)"));
  EXPECT_THAT(errors, HasSubstr("convert without tf.lite.OpsSet.SELECT_TF_OPS"));
  EXPECT_THAT(errors, HasSubstr("sin.1: int8 values: the reference computes float32 only"));
  EXPECT_THAT(errors, HasSubstr("pow.2: has 1 operands"));
}

// What may be a shape is not replaced: that it is not constant is the unknown operator's fault.
TEST(TfliteProblems, AreNotBlamedOnThoseBehind) {
  const TensorInfo real = Typed(DType::kFloat32, {2, 3}), list = Typed(DType::kInt32, {2});
  File file = Chain({real, list, real}, {{.name = "Mystery", .custom = true}, {.name = "TRANSPOSE"}});
  file.operators[1].inputs = {0, 1};
  EXPECT_THAT(ErrorsOf(file), Not(HasSubstr("transpose")));
}

TEST(TfliteProblems, UnusableTensorsAreNamedWhereTheyAreUsed) {
  TensorInfo text = Typed(DType::kFloat32, {4});
  text.unusable = "element type STRING";
  const TensorInfo real = Typed(DType::kFloat32, {4});
  EXPECT_THAT(ErrorsOf(Chain({real, text, real}, {{.name = "RELU"}, {.name = "RELU"}})),
              HasSubstr("relu.0: a result has element type STRING"));
  EXPECT_THAT(ErrorsOf(Chain({text, real}, {{.name = "RELU"}})),
              HasSubstr("an input that has element type STRING"));
}

TEST(TfliteProblems, AResultsShapeNeedNotBeWritten) {
  const TensorInfo real = Typed(DType::kFloat32, {2, 3}), open = Typed(DType::kFloat32, {});
  Diagnostics diagnostics;
  const File file = Chain({real, open, real}, {{.name = "RELU"}, {.name = "FLOOR"}});
  EXPECT_TRUE(Builder(file, diagnostics).Run()) << diagnostics.Render();
}

TEST(TfliteProblems, TheReferenceListsEveryOperator) {
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/tflite-operators.md");
  std::set<std::string> listed;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ") || line.starts_with("| operators")) continue;
    std::istringstream cell(line.substr(2, line.find(" |", 2) - 2));
    for (std::string name; std::getline(cell, name, ',');)
      listed.insert(name.substr(name.find_first_not_of(' ')));
  }
  EXPECT_EQ(listed, Builder::Supported());
}

// Rows 0 and 2 of [3,4] in blocks of [1,2]: row 0 has its second block, row 2 its first.
TEST(TfliteSparse, StoredElementsComeToTheirPlaces) {
  Sparsity sparsity{.order = {0, 1, 2},
                    .blocks = {1},
                    .levels = {{false, 3, {}, {}}, {true, 0, {0, 1, 1, 2}, {1, 0}}, {false, 2, {}, {}}}};
  const std::vector<uint8_t> data = {5, 6, 7, 8};
  const graph::TensorType type = {DType::kInt8, {3, 4}};
  const auto dense = Densified(sparsity, type, data);
  ASSERT_TRUE(dense);
  EXPECT_THAT(dense->data<int8_t>(), testing::ElementsAre(0, 0, 5, 6, 0, 0, 0, 0, 7, 8, 0, 0));
  const auto damaged = [&](auto damage) {
    Sparsity copy = sparsity;
    damage(copy);
    return !Densified(copy, type, data);
  };
  EXPECT_TRUE(damaged([](Sparsity& s) { s.levels[1].indices[0] = 2; }));
  EXPECT_TRUE(damaged([](Sparsity& s) { s.levels[1].segments[3] = 9; }));
  EXPECT_TRUE(damaged([](Sparsity& s) { s.levels[1].segments[0] = -1; }));
  EXPECT_TRUE(damaged([](Sparsity& s) { s.levels[2].extent = 3; }));
  EXPECT_TRUE(damaged([](Sparsity& s) { s.order[0] = 1; }));
  EXPECT_TRUE(damaged([](Sparsity& s) { s.blocks[0] = 2; }));
  EXPECT_TRUE(damaged([](Sparsity& s) { s.levels[0].extent = 2; }));
  EXPECT_FALSE(Densified(sparsity, type, {data.data(), 3})) << "too few";
  EXPECT_FALSE(Densified(sparsity, {DType::kInt8, {3, 5}}, data));
}

}  // namespace
}  // namespace cosim::import::tflite
