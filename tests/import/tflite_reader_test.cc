// SPDX-License-Identifier: Apache-2.0
// What a TensorFlow Lite file may say of a tensor, in files made for it.
#include <flatbuffers/flatbuffers.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/tflite/schema_generated.h"

namespace cosim::import {
namespace {

namespace fb = cosim::tflite;

/// What reading a model says whose only tensor, input and output at once, has this type and zero point.
std::string ErrorOf(fb::TensorType type, int64_t zero_point) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<float> scales = {0.5f};
  const std::vector<int64_t> zero_points = {zero_point};
  const std::vector<int32_t> shape = {1, 4}, only = {0};
  const auto quantization =
      fb::CreateQuantizationParametersDirect(builder, nullptr, nullptr, &scales, &zero_points);
  const std::vector<flatbuffers::Offset<fb::Tensor>> tensors = {
      fb::CreateTensorDirect(builder, &shape, type, 0, "x", quantization)};
  const std::vector<flatbuffers::Offset<fb::SubGraph>> graphs = {
      fb::CreateSubGraphDirect(builder, &tensors, &only, &only)};
  const std::vector<flatbuffers::Offset<fb::Buffer>> buffers = {fb::CreateBufferDirect(builder)};
  builder.Finish(fb::CreateModelDirect(builder, 3, nullptr, &graphs, nullptr, &buffers), "TFL3");
  Diagnostics diagnostics;
  ImportTflite({builder.GetBufferPointer(), builder.GetSize()}, "x.tflite", diagnostics);
  return diagnostics.Render();
}

TEST(TfliteReader, OnlyBytesHaveAZeroPoint) {
  const auto refused = ::testing::HasSubstr("a zero point of tensor 'x'");
  EXPECT_THAT(ErrorOf(fb::TensorType_INT8, 127), ::testing::Not(refused));
  EXPECT_THAT(ErrorOf(fb::TensorType_INT8, 128), refused);
  EXPECT_THAT(ErrorOf(fb::TensorType_UINT8, 128), ::testing::Not(refused));
  EXPECT_THAT(ErrorOf(fb::TensorType_UINT8, -1), refused);
  EXPECT_THAT(ErrorOf(fb::TensorType_INT16, 0), ::testing::Not(refused));
  EXPECT_THAT(ErrorOf(fb::TensorType_INT16, 256), refused);
  EXPECT_THAT(ErrorOf(fb::TensorType_INT32, 1), refused);
}

}  // namespace
}  // namespace cosim::import
