// SPDX-License-Identifier: Apache-2.0
// ONNX files that are wrong in ways a person can name, written field by field: each gives a diagnostic, and
// takes no memory that its size does not justify.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "compiler/import/summary.h"
#include "tests/import/testing.h"

namespace cosim::import {
namespace {

using ::testing::HasSubstr;

// Protocol buffers, as far as these files need them.
std::string Varint(uint64_t v) {
  std::string text;
  for (; v > 127; v >>= 7) text += static_cast<char>(v | 128);
  return text + static_cast<char>(v);
}
std::string Number(int field, uint64_t v) { return Varint(field << 3) + Varint(v); }
std::string Bytes(int field, const std::string& bytes) {
  return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
}

struct NodeText {
  std::string op;
  std::vector<std::string> inputs, outputs;
  std::string attributes = {};
};

std::string Node(const NodeText& node) {
  std::string text;
  for (const std::string& name : node.inputs) text += Bytes(1, name);
  for (const std::string& name : node.outputs) text += Bytes(2, name);
  return Bytes(1, text + Bytes(4, node.op) + node.attributes);
}

/// A float value; an input is field 11 of a graph, an output field 12.
std::string Value(int field, const std::string& name, const std::vector<int64_t>& shape) {
  std::string dimensions;
  for (int64_t extent : shape) dimensions += Bytes(1, Number(1, static_cast<uint64_t>(extent)));
  return Bytes(field, Bytes(1, name) + Bytes(2, Bytes(1, Number(1, 1) + Bytes(2, dimensions))));
}
std::string Input(const std::string& name, const std::vector<int64_t>& shape) {
  return Value(11, name, shape);
}
std::string Output(const std::string& name) { return Value(12, name, {}); }

/// Element type 1 is float, 7 int64.
std::string TensorOf(const std::string& name, int type, const std::vector<int64_t>& shape,
                     const std::string& data) {
  std::string text;
  for (int64_t extent : shape) text += Number(1, static_cast<uint64_t>(extent));
  return Bytes(5, text + Number(2, type) + Bytes(8, name) + data);
}
std::string Raw(const std::string& bytes) { return Bytes(9, bytes); }
std::string Int64s(const std::vector<int64_t>& values) {
  return Raw({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t)});
}
/// In a file beside the model.
std::string External(const std::string& location) {
  return Bytes(13, Bytes(1, "location") + Bytes(2, location)) + Number(14, 1);
}

std::string FileOf(const std::string& graph, uint64_t opset = 13) {
  return Number(1, 7) + Bytes(8, Number(2, opset)) + Bytes(7, graph);
}

std::string Errors(const std::string& model, const std::string& folder = "/nonexistent") {
  Diagnostics diagnostics;
  const auto result = ImportOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, "bad.onnx",
                                 folder, {}, diagnostics);
  EXPECT_EQ(result.has_value(), !diagnostics.HasErrors());
  return diagnostics.Render();
}

TEST(OnnxFiles, TheHelpersWriteOnesThatAreTaken) {
  EXPECT_EQ(Errors(FileOf(Node({"Relu", {"x"}, {"y"}}) + Input("x", {2, 3}) + Output("y"))), "");
  EXPECT_EQ(Errors(FileOf(Node({"Add", {"x", "w"}, {"y"}}) + Input("x", {1}) + Output("y") +
                          TensorOf("w", 1, {1}, Raw({0, 0, 0, 0})))),
            "");
}

// As onnxruntime spells it below operator set 21.
TEST(OnnxFiles, QuantizationInTheDomainOfMicrosoftIsSeen) {
  const std::string model =
      FileOf(Node({"DequantizeLinear", {"x", "s", "z"}, {"y"}, Bytes(7, "com.microsoft")}) + Input("x", {2}) +
             Output("y") + TensorOf("s", 1, {}, Raw({0, 0, 0, 63})) + TensorOf("z", 5, {}, Raw({0, 0})));
  Diagnostics diagnostics;
  const auto summary =
      Summarize({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, "wide.onnx", "", diagnostics);
  ASSERT_TRUE(summary) << diagnostics.Render();
  EXPECT_EQ(summary->quantization, "operators between DequantizeLinear and QuantizeLinear");
}

TEST(OnnxFiles, ACycleIsNamed) {
  const std::string graph = Node({"Add", {"x", "b"}, {"a"}}) + Node({"Relu", {"a"}, {"b"}});
  EXPECT_THAT(Errors(FileOf(graph + Input("x", {1}) + Output("b"))),
              HasSubstr("error[E0902]: Add 'a' reads 'b' before anything computes it"));
  EXPECT_THAT(Errors(FileOf(Node({"Relu", {"y"}, {"y"}}) + Output("y"))),
              HasSubstr("before anything computes it"));
}

TEST(OnnxFiles, ADefinitionTwiceIsNamed) {
  EXPECT_THAT(Errors(FileOf(Node({"Relu", {"x"}, {"y"}}) + Node({"Abs", {"x"}, {"y"}}) + Input("x", {1}) +
                            Output("y"))),
              HasSubstr("value 'y' is defined twice"));
}

TEST(OnnxFiles, AMissingInitializerIsNamed) {
  EXPECT_THAT(Errors(FileOf(Node({"MatMul", {"x", "weights"}, {"y"}}) + Input("x", {1, 4}) + Output("y"))),
              HasSubstr("MatMul 'y' reads 'weights' before anything computes it"));
}

// Before operator set 10 a resize had no region of interest: its operands are the image and the scales, no
// more, no less.
TEST(OnnxFiles, AnUpsampleWithOtherOperandsIsRefused) {
  const std::string ends =
      Input("x", {1, 1, 2, 2}) + Output("y") + TensorOf("s", 1, {4}, Raw(std::string(16, '\0')));
  for (const std::vector<std::string>& inputs :
       {std::vector<std::string>{}, {"x"}, {"x", "s", "s"}, {"x", ""}, {"", "s"}})
    EXPECT_THAT(Errors(FileOf(Node({"Upsample", inputs, {"y"}}) + ends, 9)), HasSubstr("error[E090"))
        << inputs.size();
}

constexpr int64_t kHuge = int64_t{1} << 40;

TEST(OnnxFiles, AbsurdShapesAreRefused) {
  EXPECT_THAT(Errors(FileOf(Node({"Relu", {"x"}, {"y"}}) + Input("x", {kHuge}) + Output("y"))),
              HasSubstr("error[E0903]"));
  EXPECT_THAT(Errors(FileOf(Node({"Relu", {"x"}, {"y"}}) + Input("x", {1 << 20, 1 << 20, 1 << 20, 1 << 20}) +
                            Output("y"))),
              HasSubstr("error[E0903]"));
  EXPECT_THAT(Errors(FileOf(Node({"Add", {"x", "w"}, {"y"}}) + Input("x", {1}) + Output("y") +
                            TensorOf("w", 1, {kHuge}, ""))),
              HasSubstr("initializer 'w' has more than"));
  EXPECT_THAT(Errors(FileOf(Node({"Add", {"x", "w"}, {"y"}}) + Input("x", {1}) + Output("y") +
                            TensorOf("w", 1, {1 << 28}, Raw("few")))),
              HasSubstr("initializer 'w' has 3 bytes of data for shape [268435456]"));
}

TEST(OnnxFiles, AbsurdResultsAreRefused) {
  const std::string shape = TensorOf("s", 7, {1}, Int64s({kHuge})) + Output("y") + Input("x", {1});
  for (const char* op : {"Expand", "Tile"})
    EXPECT_NE(Errors(FileOf(Node({op, {"x", "s"}, {"y"}}) + shape)), "") << op;
  EXPECT_NE(
      Errors(FileOf(Node({"ConstantOfShape", {"s"}, {"c"}}) + Node({"Add", {"c", "x"}, {"y"}}) + shape)), "");
}

// Each doubles the constant before it: 2^60 elements if nobody counts.
TEST(OnnxFiles, ConstantsThatGrowAreNotComputed) {
  std::string nodes;
  for (int i = 0; i < 60; ++i) {
    const std::string from = "c" + std::to_string(i), to = "c" + std::to_string(i + 1);
    nodes += Node({"Concat", {from, from}, {to}, Bytes(5, Bytes(1, "axis") + Number(3, 0) + Number(20, 2))});
  }
  const std::string errors =
      Errors(FileOf(nodes + Node({"ReduceMax", {"c60"}, {"m"}}) + Node({"Add", {"x", "m"}, {"y"}}) +
                    Input("x", {1}) + Output("y") + TensorOf("c0", 1, {1}, Raw({0, 0, 0, 0}))));
  EXPECT_THAT(errors, HasSubstr("error[E09"));
}

// Many constants, each of a size that is fine by itself.
TEST(OnnxFiles, ManyLargeConstantsAreNotComputedEither) {
  std::string nodes;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "c" + std::to_string(i);
    nodes += Node({"ConstantOfShape", {"s"}, {name}});
  }
  EXPECT_EQ(Errors(FileOf(nodes + Node({"Add", {"x", "c7"}, {"y"}}) + Input("x", {1}) + Output("y") +
                          TensorOf("s", 7, {1}, Int64s({int64_t{1} << 22})))),
            "");
}

class ExternalData : public ::testing::Test {
 protected:
  ExternalData() {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("cosim_external_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "model" / "inner");
    for (const char* name : {"secret.bin", "model/weights.bin", "model/inner/weights.bin"})
      std::ofstream(folder_ / name, std::ios::binary) << "abcd";
    std::filesystem::create_symlink(folder_ / "secret.bin", folder_ / "model" / "link.bin");
  }
  ~ExternalData() override { std::filesystem::remove_all(folder_); }

  std::string With(const std::string& location, int64_t elements = 1) {
    return Errors(FileOf(Node({"Add", {"x", "w"}, {"y"}}) + Input("x", {1}) + Output("y") +
                         TensorOf("w", 1, {elements}, External(location))),
                  (folder_ / "model").string());
  }

  std::filesystem::path folder_;
};

TEST_F(ExternalData, InTheModelsFolderIsRead) {
  EXPECT_EQ(With("weights.bin"), "");
  EXPECT_EQ(With("inner/weights.bin"), "");
}

TEST_F(ExternalData, MovesInsideForACopyThatNeedsNoOtherFile) {
  const std::string path = folder_ / "model" / "m.onnx",
                    graph = Node({"Add", {"x", "w"}, {"y"}}) + Input("x", {1}) + Output("y");
  const auto whole = [&](const std::string& model) {
    std::ofstream(path, std::ios::binary) << model;
    Diagnostics diagnostics;
    const auto bytes = ReadWhole(path, diagnostics);
    EXPECT_EQ(bytes.has_value(), !diagnostics.HasErrors());
    return bytes ? std::string(bytes->begin(), bytes->end()) : diagnostics.Render();
  };
  const std::string inside = FileOf(graph + TensorOf("w", 1, {1}, Raw("abcd")));
  EXPECT_EQ(whole(inside), inside);
  const std::string moved = whole(FileOf(graph + TensorOf("w", 1, {1}, External("weights.bin"))));
  EXPECT_THAT(moved, ::testing::Not(HasSubstr("weights.bin")));
  EXPECT_THAT(moved, HasSubstr("abcd"));
  EXPECT_EQ(Errors(moved), "");
  EXPECT_THAT(whole(FileOf(graph + TensorOf("w", 1, {1}, External("../secret.bin")))),
              HasSubstr("outside the model's folder"));
}

TEST_F(ExternalData, IsFoundForAModelWithoutAFolderInItsPath) {
  const std::string model = FileOf(Node({"Add", {"x", "w"}, {"y"}}) + Input("x", {1}) + Output("y") +
                                   TensorOf("w", 1, {1}, External("weights.bin")));
  std::ofstream(folder_ / "model" / "m.onnx", std::ios::binary) << model;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_ / "model");
  Diagnostics diagnostics;
  EXPECT_TRUE(ImportFile("m.onnx", {}, diagnostics)) << diagnostics.Render();
  EXPECT_TRUE(ReadWhole("m.onnx", diagnostics)) << diagnostics.Render();
  const std::span bytes(reinterpret_cast<const uint8_t*>(model.data()), model.size());
  EXPECT_FALSE(ImportBytes(bytes, "m.onnx", "", {}, diagnostics));
  std::filesystem::current_path(before);
}

TEST_F(ExternalData, OutsideTheModelsFolderIsRefused) {
  for (const std::string& location : {std::string("../secret.bin"), (folder_ / "secret.bin").string(),
                                      std::string("inner/../../secret.bin"), std::string("link.bin"),
                                      std::string("/etc/passwd"), std::string("")})
    EXPECT_THAT(With(location), HasSubstr("outside the model's folder")) << location;
}

TEST_F(ExternalData, MissingOrTooShortIsSaid) {
  EXPECT_THAT(With("none.bin"), HasSubstr("has its data in 'none.bin', which is missing or too short"));
  EXPECT_THAT(With("inner"), HasSubstr("has its data in 'inner', which is missing or too short"));
  EXPECT_THAT(With("weights.bin", 2), HasSubstr("initializer 'w' has 4 bytes of data for shape [2]"));
}

TEST_F(ExternalData, MissingDataHidesNothingElse) {
  const std::string model = FileOf(
      Node({"Mystery", {"w"}, {"a"}}) + Node({"Add", {"x", "a"}, {"b"}}) + Node({"Riddle", {"x"}, {"c"}}) +
      Node({"Add", {"b", "c"}, {"y"}}) + Input("x", {1}) + Output("y") +
      TensorOf("w", 1, {1}, External("none.bin")) + TensorOf("v", 1, {1}, External("none.bin")));
  const std::string errors = Errors(model, (folder_ / "model").string());
  EXPECT_THAT(
      errors,
      HasSubstr("initializer 'w' has its data in 'none.bin', which is missing or too short (and 1 more)"));
  EXPECT_THAT(errors, HasSubstr("operator Riddle"));
  EXPECT_THAT(errors, ::testing::Not(HasSubstr("Add")));
}

}  // namespace
}  // namespace cosim::import
