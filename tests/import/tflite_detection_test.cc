// SPDX-License-Identifier: Apache-2.0
// The custom operator behind detectors, its options, and files of several graphs as bytes.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "compiler/import/tflite/flex_map.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite::detection_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Options = std::map<std::string, double>;

const Options kOptions = {{"max_detections", 3},
                          {"max_classes_per_detection", 1},
                          {"nms_score_threshold", 0.25},
                          {"nms_iou_threshold", 0.5},
                          {"num_classes", 2},
                          {"y_scale", 10},
                          {"x_scale", 10},
                          {"h_scale", 5},
                          {"w_scale", 5}};

TensorInfo Real(Shape shape) { return {.name = "", .dtype = DType::kFloat32, .shape = std::move(shape)}; }
TensorInfo Constant(Shape shape, std::vector<float> list) {
  TensorInfo info = Real(shape);
  info.data = std::make_shared<const Tensor>(std::move(shape), std::move(list));
  return info;
}

// Unit squares at 0.5, 0.6 (overlaps the first by 9/11 x 1), 0.5 again, and 10.5.
const std::vector<float> kAnchors = {0.5, 0.5, 1, 1, 0.6f, 0.5, 1, 1, 0.5, 0.5, 1, 1, 10.5, 0.5, 1, 1};

struct Result {
  std::vector<float> boxes, classes, scores;
  float count = 0;
};

File Detector(std::optional<Options> options) {
  File file{.name = "test.tflite",
            .tensors = {Real({1, 4, 4}), Real({1, 4, 3}), Constant({4, 4}, kAnchors), Real({}), Real({}),
                        Real({}), Real({})},
            .inputs = {0, 1},
            .outputs = {3, 4, 5, 6}};
  file.operators = {{.name = "TFLite_Detection_PostProcess", .inputs = {0, 1, 2}, .outputs = {3, 4, 5, 6}}};
  file.operators[0].custom_options = std::move(options);
  return file;
}

Result Detected(const Options& options, const std::vector<float>& encodings,
                const std::vector<float>& scores) {
  Diagnostics diagnostics;
  const File file = Detector(options);
  const auto model = Builder(file, diagnostics).Run();
  EXPECT_TRUE(model) << diagnostics.Render();
  if (!model) return {};
  const auto values = golden::Run(model->graph, {Tensor({1, 4, 4}, encodings), Tensor({1, 4, 3}, scores)});
  const auto list = [&](size_t k) {
    const auto data = values[model->graph.outputs()[k]]->data<float>();
    return std::vector<float>(data.begin(), data.end());
  };
  return {list(0), list(1), list(2), list(3)[0]};
}

const std::vector<float> kPlain(16, 0.0f);
// Background, then two classes.
const std::vector<float> kScores = {0, 0.9f, 0.3f, 0, 0.8f, 0.7f, 0, 0.1f, 0.2f, 0, 0.4f, 0.6f};

TEST(Detection, TheFastWayKeepsTheBestClassOfEachBox) {
  const Result result = Detected(kOptions, kPlain, kScores);
  EXPECT_EQ(result.count, 2);
  EXPECT_THAT(result.scores, ElementsAre(0.9f, 0.6f, 0));
  EXPECT_THAT(result.classes, ElementsAre(0, 1, 0));
  EXPECT_THAT(result.boxes, ElementsAre(0, 0, 1, 1, 10, 0, 11, 1, 0, 0, 0, 0));
}

TEST(Detection, SeveralClassesOfABox) {
  Options options = kOptions;
  options["max_classes_per_detection"] = 2;
  const Result result = Detected(options, kPlain, kScores);
  EXPECT_EQ(result.count, 2);
  EXPECT_THAT(result.scores, ElementsAre(0.9f, 0.3f, 0.6f, 0.4f, 0, 0));
  EXPECT_THAT(result.classes, ElementsAre(0, 1, 1, 0, 0, 0));
}

TEST(Detection, TheRegularWayGoesClassByClass) {
  Options options = kOptions;
  options["use_regular_nms"] = 1;
  const Result result = Detected(options, kPlain, kScores);
  EXPECT_EQ(result.count, 3);
  EXPECT_THAT(result.scores, ElementsAre(0.9f, 0.7f, 0.6f));
  EXPECT_THAT(result.classes, ElementsAre(0, 1, 1));
  EXPECT_FLOAT_EQ(result.boxes[4], 0.1f);
  options["detections_per_class"] = 1;
  EXPECT_THAT(Detected(options, kPlain, kScores).scores, ElementsAre(0.9f, 0.7f, 0));
}

TEST(Detection, BoxesAreDecodedFromTheirAnchors) {
  std::vector<float> encodings = kPlain;
  encodings[0] = 5;   // half of the anchor's height down
  encodings[1] = -2;  // a fifth left
  encodings[2] = 5 * std::log(2.0f);
  encodings[3] = 5 * std::log(0.5f);
  const Result result = Detected(kOptions, encodings, {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(result.count, 1);
  EXPECT_NEAR(result.boxes[0], 0.0f, 1e-6);
  EXPECT_NEAR(result.boxes[1], 0.05f, 1e-6);
  EXPECT_NEAR(result.boxes[2], 2.0f, 1e-6);
  EXPECT_NEAR(result.boxes[3], 0.55f, 1e-6);
}

TEST(Detection, BytesAreReadAsNumbers) {
  File file = Detector(kOptions);
  const auto bytes = [](Shape shape, float scale, int32_t zero) {
    return TensorInfo{.name = "",
                      .dtype = DType::kUint8,
                      .shape = std::move(shape),
                      .scales = {scale},
                      .zero_points = {zero}};
  };
  file.tensors[0] = bytes({1, 4, 4}, 0.1f, 128);
  file.tensors[1] = bytes({1, 4, 3}, 1.0f / 256, 0);
  Diagnostics diagnostics;
  const auto model = Builder(file, diagnostics).Run();
  ASSERT_TRUE(model) << diagnostics.Render();
  Tensor boxes({DType::kUint8, {1, 4, 4}}), scores({DType::kUint8, {1, 4, 3}});
  std::ranges::fill(boxes.mutable_bytes(), 128);
  scores.mutable_bytes()[4] = 128;
  const auto values = golden::Run(model->graph, {boxes, scores});
  EXPECT_EQ(values[model->graph.outputs()[2]]->data<float>()[0], 0.5f);
  EXPECT_NEAR(values[model->graph.outputs()[0]]->data<float>()[0], 0.1f, 1e-6);
}

std::string Refusal(std::optional<Options> options) {
  Diagnostics diagnostics;
  const File file = Detector(std::move(options));
  EXPECT_FALSE(Builder(file, diagnostics).Run() && !diagnostics.HasErrors());
  return diagnostics.Render();
}

TEST(Detection, MistakesAreNamed) {
  EXPECT_THAT(Refusal(std::nullopt), HasSubstr("its options are no map that can be read"));
  Options options = kOptions;
  options.erase("w_scale");
  EXPECT_THAT(Refusal(options), HasSubstr("its option w_scale is 0, or is not there"));
  options = kOptions;
  options["num_classes"] = 7;
  EXPECT_THAT(Refusal(options), HasSubstr("scores [1,4,3] for 7 classes"));
  options = kOptions;
  options["max_detections"] = 1e30;
  EXPECT_THAT(Refusal(options), HasSubstr("-1 detections"));
  options["max_detections"] = 1 << 24;
  EXPECT_THAT(Refusal(options), HasSubstr("too large"));
  options = kOptions;
  options["nms_iou_threshold"] = 1.5;
  EXPECT_THAT(Refusal(options), HasSubstr("an overlap of 1.5"));
}

TEST(Custom, OthersAreRefusedByTheirName) {
  File file = Detector(kOptions);
  file.operators[0].name = "MyOwnOperator";
  Diagnostics diagnostics;
  EXPECT_FALSE(Builder(file, diagnostics).Run());
  EXPECT_THAT(diagnostics.Render(), HasSubstr("operator MyOwnOperator on float32 is not supported"));
}

/// {"a": -2, "b": 1.5, "c": true}: keys, their vector, the values with their types, the root.
std::vector<uint8_t> Flexed() {
  std::vector<uint8_t> bytes = {'a', 0, 'b', 0, 'c', 0};
  bytes.push_back(3);  // of keys
  for (int i = 0; i < 3; ++i) bytes.push_back(static_cast<uint8_t>(7 + i - 2 * i));
  bytes.insert(bytes.end(), 2, 0);
  const auto four = [&](uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  four(static_cast<uint32_t>(bytes.size()) - 7);  // back to the keys
  four(1);                                        // their width
  four(3);
  four(static_cast<uint32_t>(-2));
  four(std::bit_cast<uint32_t>(1.5f));
  four(1);
  for (uint8_t type : {1, 3, 26}) bytes.push_back(static_cast<uint8_t>(type << 2 | 2));
  bytes.push_back(15);          // the root: so many bytes back
  bytes.push_back(9 << 2 | 2);  // a map of four bytes a value
  bytes.push_back(1);
  return bytes;
}

TEST(FlexMap, NumbersByTheirKeys) {
  const auto numbers = NumbersOf(Flexed());
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, (Options{{"a", -2}, {"b", 1.5}, {"c", 1}}));
}

TEST(FlexMap, DamagedOnesAreRefusedOrRead) {
  const auto bytes = Flexed();
  for (size_t length = 0; length < bytes.size(); ++length) NumbersOf({bytes.data(), length});
  int refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int value : {0, 1, 2, 9, 38, 127, 128, 255}) {
      auto damaged = bytes;
      damaged[at] = static_cast<uint8_t>(value);
      refused += !NumbersOf(damaged);
    }
  EXPECT_GT(refused, 50);
  EXPECT_FALSE(NumbersOf({}));
  EXPECT_FALSE(NumbersOf(std::vector<uint8_t>{0, 4, 1}));
}

}  // namespace
}  // namespace cosim::import::tflite::detection_test
