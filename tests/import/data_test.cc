// SPDX-License-Identifier: Apache-2.0
// Arrays and images in files, and photographs through whole networks.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "compiler/import/data/arrays.h"
#include "compiler/import/data/image.h"
#include "compiler/import/data/inputs.h"
#include "tests/import/testing.h"

namespace cosim::import {
namespace {

using graph::DType;
using graph::Tensor;

Tensor Counted(DType dtype, graph::Shape shape) {
  Tensor tensor({dtype, std::move(shape)});
  uint8_t next = 0;
  for (uint8_t& byte : tensor.mutable_bytes()) byte = dtype == DType::kBool ? next++ % 2 : next++;
  return tensor;
}

TEST(Npy, ReadsWhatItWrites) {
  for (DType dtype : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32, DType::kInt64,
                      DType::kFloat16, DType::kFloat32, DType::kFloat64, DType::kBool})
    for (const graph::Shape& shape : {graph::Shape{}, {3}, {2, 3, 4}, {0, 5}}) {
      const Tensor tensor = Counted(dtype, shape);
      const auto bytes = FormatNpy(tensor);
      EXPECT_EQ((bytes.size() - tensor.bytes().size()) % 64, 0u);
      std::string error;
      const auto back = ParseNpy(bytes, error);
      ASSERT_TRUE(back) << error;
      EXPECT_EQ(back->type(), tensor.type());
      EXPECT_TRUE(std::ranges::equal(back->bytes(), tensor.bytes()));
    }
}

TEST(Npy, RefusesWhatItCannotRead) {
  std::string error;
  auto bytes = FormatNpy(Counted(DType::kInt32, {2, 2}));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(ParseNpy({bytes.data(), length}, error)) << length;
  std::string text(bytes.begin(), bytes.end());
  text.replace(text.find("False"), 5, "True ");
  EXPECT_FALSE(ParseNpy({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, error));
  EXPECT_EQ(error, "the array is not in C order");
}

TEST(Npz, ReadsWhatItWrites) {
  std::string error;
  const auto bytes =
      FormatNpz({{"a", Counted(DType::kFloat32, {2, 3})}, {"b/c", Counted(DType::kInt8, {5})}}, error);
  ASSERT_TRUE(bytes) << error;
  const auto arrays = ParseNpz(*bytes, error);
  ASSERT_TRUE(arrays) << error;
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_EQ(arrays->at("a"), Counted(DType::kFloat32, {2, 3}));
  EXPECT_EQ(arrays->at("b/c"), Counted(DType::kInt8, {5}));
  for (size_t length = 0; length < bytes->size(); length += 7)
    EXPECT_FALSE(ParseNpz({bytes->data(), length}, error)) << length;
}

TEST(Image, ReadsPpmAndScalesIt) {
  const std::string text = "P6\n2 1\n255\n\x10\x20\x30\x50\x60\x70";
  std::string error;
  const auto image = DecodeImage({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, 3, error);
  ASSERT_TRUE(image) << error;
  EXPECT_THAT(image->pixels, testing::ElementsAre(0x10, 0x20, 0x30, 0x50, 0x60, 0x70));
  EXPECT_THAT(Resize(*image, 1, 1).pixels, testing::ElementsAre(0x30, 0x40, 0x50));
  EXPECT_FALSE(DecodeImage({reinterpret_cast<const uint8_t*>(text.data()) + 3, 9}, 3, error));
  EXPECT_EQ(error, "not a BMP, PNG, JPEG or PPM image");
}

struct Photograph {
  const char *model, *image;
  int label;
};

class Photographs : public testing::TestWithParam<Photograph> {};

TEST_P(Photographs, GetTheirLabel) {
  COSIM_NEED_DATA();
  const auto model = Import(DataFolder() + "/tflite/" + GetParam().model + ".tflite");
  ASSERT_TRUE(model);
  Diagnostics diagnostics;
  const auto inputs =
      LoadInputs(*model, {.files = {DataFolder() + "/images/" + GetParam().image + ".bmp"}}, diagnostics);
  ASSERT_TRUE(inputs) << diagnostics.Render();
  const auto result = RunModel(LoadTestSpec("pynq.yaml"), model, *inputs, "functional");
  ASSERT_TRUE(result);
  const auto& output = result->run.outputs[0];
  EXPECT_EQ(std::max_element(output.begin(), output.end()) - output.begin(), GetParam().label);
}

INSTANTIATE_TEST_SUITE_P(Imagenet, Photographs,
                         testing::Values(Photograph{"mobilenetv1_025_128_uint8", "cat", 286},
                                         Photograph{"mobilenetv1_025_128_uint8", "bird", 20},
                                         Photograph{"mobilenetv1_025_128_uint8", "sunflower", 986},
                                         Photograph{"mobilenetv2_100_224_uint8", "cat", 286},
                                         Photograph{"mobilenetv2_100_224_uint8", "bird", 20},
                                         Photograph{"mobilenetv2_100_224_uint8", "sunflower", 986}),
                         [](const auto& info) {
                           return std::string(info.param.model).substr(0, 11) + "_" + info.param.image;
                         });

}  // namespace
}  // namespace cosim::import
