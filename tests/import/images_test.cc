// SPDX-License-Identifier: Apache-2.0
// Every kind of input file with every option that bears on it.
#include <gmock/gmock.h>
#include <stb/stb_image_write.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "compiler/import/data/arrays.h"
#include "compiler/import/data/image.h"
#include "compiler/import/data/samples.h"
#include "tests/import/testing.h"

namespace cosim::import {
namespace {

using graph::DType;
using graph::Tensor;
using ::testing::HasSubstr;

constexpr int kWidth = 6, kHeight = 4;

/// Smooth, so that JPEG stays near; no two channels alike.
std::vector<uint8_t> Picture() {
  std::vector<uint8_t> pixels;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (int c = 0; c < 3; ++c) pixels.push_back(static_cast<uint8_t>(40 + 12 * x + 9 * y + 30 * c));
  return pixels;
}

void Append(void* context, void* data, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
}

std::string Encoded(const std::string& format) {
  const auto pixels = Picture();
  std::string bytes;
  if (format == "png") stbi_write_png_to_func(Append, &bytes, kWidth, kHeight, 3, pixels.data(), kWidth * 3);
  if (format == "bmp") stbi_write_bmp_to_func(Append, &bytes, kWidth, kHeight, 3, pixels.data());
  if (format == "jpg") stbi_write_jpg_to_func(Append, &bytes, kWidth, kHeight, 3, pixels.data(), 100);
  if (format == "ppm")
    bytes = "P6\n6 4\n255\n" + std::string(reinterpret_cast<const char*>(pixels.data()), pixels.size());
  return bytes;
}

/// One input of that type, with a scale of 0.5 and a zero point of 3 where it is an integer.
Model Wants(DType dtype, graph::Shape shape) {
  Model model;
  model.graph = graph::Graph("m");
  model.graph.AddInput("x", {dtype, std::move(shape)});
  model.input_quantization.push_back(
      dtype == DType::kFloat32 ? std::nullopt : std::optional(graph::Quantization{{0.5f}, 3, 0}));
  return model;
}

class Inputs : public ::testing::Test {
 protected:
  Inputs() {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("cosim_inputs_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Inputs() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  std::string Write(const std::string& name, const std::vector<uint8_t>& bytes) {
    return Write(name, std::string(bytes.begin(), bytes.end()));
  }

  std::optional<Tensor> Load(const Model& model, InputOptions options) {
    Diagnostics diagnostics;
    auto inputs = LoadInputs(model, options, diagnostics);
    errors_ = diagnostics.Render();
    EXPECT_EQ(inputs.has_value(), errors_.empty());
    return inputs ? std::optional(std::move((*inputs)[0])) : std::nullopt;
  }

  std::filesystem::path folder_;
  std::string errors_;
};

constexpr const char* kFormats[] = {"bmp", "png", "ppm", "jpg"};

TEST_F(Inputs, EveryFormatGivesThePixels) {
  for (const std::string format : kFormats) {
    const auto x = Load(Wants(DType::kUint8, {1, kHeight, kWidth, 3}),
                        {.files = {Write("a." + format, Encoded(format))}});
    ASSERT_TRUE(x) << format << errors_;
    const auto want = Picture();
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(x->data<uint8_t>()[i], want[i], format == "jpg" ? 4 : 0) << format << i;
  }
}

TEST_F(Inputs, MeanAndScaleAndLayoutHoldForEveryFormat) {
  const auto want = Picture();
  for (const std::string format : kFormats) {
    const std::string file = Write("a." + format, Encoded(format));
    InputOptions options{.files = {file}, .mean = {10, 20, 30}, .scale = {0.5f}};
    const auto last = Load(Wants(DType::kFloat32, {1, kHeight, kWidth, 3}), options);
    const auto first = Load(Wants(DType::kFloat32, {1, 3, kHeight, kWidth}), options);
    options.layout = "nchw";
    const auto said = Load(Wants(DType::kFloat32, {1, 3, kHeight, kWidth}), options);
    ASSERT_TRUE(last && first && said) << format << errors_;
    EXPECT_EQ(*first, *said);
    for (int p = 0; p < kWidth * kHeight; ++p)
      for (int c = 0; c < 3; ++c) {
        const double real = (want[p * 3 + c] - 10 * (c + 1)) * 0.5;
        EXPECT_NEAR(last->data<float>()[p * 3 + c], real, format == "jpg" ? 2 : 0) << format;
        EXPECT_EQ(first->data<float>()[c * kWidth * kHeight + p], last->data<float>()[p * 3 + c]) << format;
      }
    // Quantized inputs take real numbers by their scale, and bytes less 128 when there are none.
    options = {.files = {file}, .mean = {100}, .scale = {0.25f}};
    const auto integers = Load(Wants(DType::kInt8, {1, kHeight, kWidth, 3}), options);
    ASSERT_TRUE(integers) << errors_;
    const double steps = (want[0] - 100) * 0.25 / 0.5 + 3;
    EXPECT_NEAR(integers->data<int8_t>()[0], std::round(steps), format == "jpg" ? 2 : 0) << format;
    const auto bytes = Load(Wants(DType::kInt8, {1, kHeight, kWidth, 3}), {.files = {file}});
    ASSERT_TRUE(bytes) << errors_;
    EXPECT_NEAR(bytes->data<int8_t>()[0], want[0] - 128, format == "jpg" ? 4 : 0) << format;
  }
}

TEST_F(Inputs, GreyNetworksAndOtherSizesTakeAnyFormat) {
  for (const std::string format : kFormats) {
    const std::string file = Write("a." + format, Encoded(format));
    const auto grey = Load(Wants(DType::kUint8, {1, 1, 8, 8}), {.files = {file}});
    ASSERT_TRUE(grey) << format << errors_;
    EXPECT_GT(grey->data<uint8_t>()[0], 50);
    EXPECT_LT(grey->data<uint8_t>()[0], 90);
  }
}

TEST_F(Inputs, MistakesWithImagesAreNamed) {
  const std::string file = Write("a.png", Encoded("png"));
  Load(Wants(DType::kFloat32, {1, kHeight, kWidth, 3}), {.files = {file}, .mean = {1, 2}});
  EXPECT_THAT(errors_, HasSubstr("2 values of --mean or --scale for 3 channels"));
  Load(Wants(DType::kFloat32, {1, kHeight, kWidth, 3}), {.files = {file}, .layout = "nchw"});
  EXPECT_THAT(errors_, HasSubstr("an image for input 'x' of 4 channels"));
  Load(Wants(DType::kFloat32, {1, 10}), {.files = {file}});
  EXPECT_THAT(errors_, HasSubstr("an image for input 'x', which is float32[1,10]"));
  const std::string whole = Encoded("png");
  Load(Wants(DType::kFloat32, {1, 4, 6, 3}), {.files = {Write("b.png", whole.substr(0, whole.size() / 2))}});
  EXPECT_NE(errors_, "");
}

TEST_F(Inputs, PnmImagesHoldWhatTheirHeadersSay) {
  std::string error;
  const auto decode = [&](const std::string& bytes) {
    error.clear();
    return DecodeImage({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, 3, error).has_value();
  };
  EXPECT_TRUE(decode("P6 # made by hand\n1 2 255\nabcdef"));
  EXPECT_TRUE(decode("P5\n2 2\n255\nabcd"));
  for (const char* bytes :
       {"P6\n1 2\n255\nabcde", "P6\n600 400\n255\nabc", "P6\n1 2\n65535\nabcdef", "P6\n-1 -2\n255\nabcdef",
        "P6\n1 -2\n255\nabcdef", "P6\n0 2\n255\n", "P6\n1 2\n0\nabcdef", "P6\n1 2\n", "P6",
        "P5\n2 2\n255\nabc", "P6\n4294967297 1\n255\nabc", "P6\n1 2\n70000\nabcdefabcdef"}) {
    EXPECT_FALSE(decode(bytes)) << bytes;
    EXPECT_EQ(error, "the PPM image is cut off or malformed") << bytes;
  }
}

TEST_F(Inputs, BytesWithoutASignatureAreNoImage) {
  // stb_image would take this for a TGA of 16 x 16 pixels, of which not one is there.
  const std::string tga("\0\0\2\0\0\0\0\0\0\0\0\0\x10\0\x10\0\x18\0", 18);
  std::string error;
  EXPECT_FALSE(DecodeImage({reinterpret_cast<const uint8_t*>(tga.data()), tga.size()}, 3, error));
  EXPECT_EQ(error, "not a BMP, PNG, JPEG or PPM image");
}

TEST_F(Inputs, NamesOfPngChunksAreWrittenOut) {
  std::string png = Encoded("png");
  const size_t at = png.find("IDAT");
  ASSERT_NE(at, std::string::npos);
  png.replace(at, 4, "\x1b[2J");  // upper case: it must be understood
  std::string error;
  EXPECT_FALSE(DecodeImage({reinterpret_cast<const uint8_t*>(png.data()), png.size()}, 3, error));
  EXPECT_EQ(error, "\\x1b[2J PNG chunk not known");
}

TEST_F(Inputs, ArraysAreTakenAsTheyAreOrConverted) {
  const auto pixels = Picture();
  Tensor bytes({DType::kUint8, {kHeight, kWidth, 3}}), doubles({DType::kFloat64, {1, kHeight, kWidth, 3}});
  std::copy(pixels.begin(), pixels.end(), bytes.mutable_bytes().begin());
  std::copy(pixels.begin(), pixels.end(), doubles.mutable_data<double>().begin());
  std::string error;
  const std::string npy = Write("a.npy", FormatNpy(bytes)), wide = Write("b.npy", FormatNpy(doubles)),
                    npz = Write("a.npz", *FormatNpz({{"x", bytes}}, error)), raw = Write("a.bin", pixels);
  for (const std::string& file : {npy, npz}) {
    const auto x = Load(Wants(DType::kFloat32, {1, kHeight, kWidth, 3}), {.files = {file}, .mean = {10}});
    ASSERT_TRUE(x) << errors_;
    EXPECT_EQ(x->data<float>()[5], static_cast<float>(pixels[5]) - 10);
    EXPECT_EQ(Load(Wants(DType::kInt8, {1, kHeight, kWidth, 3}), {.files = {file}})->data<int8_t>()[5],
              pixels[5] - 128);
    EXPECT_TRUE(Load(Wants(DType::kUint8, {1, kHeight, kWidth, 3}), {.files = {file}}));
  }
  EXPECT_EQ(Load(Wants(DType::kFloat32, {1, kHeight, kWidth, 3}), {.files = {wide}})->data<float>()[5],
            static_cast<float>(pixels[5]));
  EXPECT_EQ(Load(Wants(DType::kUint8, {1, kHeight, kWidth, 3}), {.files = {raw}})->data<uint8_t>()[5],
            pixels[5]);
  Load(Wants(DType::kFloat32, {1, kHeight, kWidth, 3}), {.files = {raw}});
  EXPECT_THAT(errors_, HasSubstr("has 72 bytes, but input 'x' (float32[1,4,6,3]) takes 288"));
  Load(Wants(DType::kFloat32, {1, 9, 9, 3}), {.files = {npy}});
  EXPECT_THAT(errors_, HasSubstr("holds uint8[4,6,3], but input 'x' is float32[1,9,9,3]"));
}

TEST_F(Inputs, SamplesComeFromFoldersAndStacks) {
  const Model model = Wants(DType::kFloat32, {1, kHeight, kWidth, 3});
  const auto open = [&](const std::string& source) {
    Diagnostics diagnostics;
    auto samples = OpenSamples(model, source, {}, diagnostics);
    errors_ = diagnostics.Render();
    return samples;
  };
  for (const char* name : {"classes/cat/2.png", "classes/cat/1.png", "classes/bird/1.png", "numbers/10/a.png",
                           "numbers/9/b.png", "mixed/cat/1.png", "mixed/1.png"})
    Write(name, Encoded("png"));
  Write("classes/cat/notes.txt", "not a sample");
  const auto classes = open(folder_ / "classes"), numbers = open(folder_ / "numbers");
  ASSERT_TRUE(classes && numbers) << errors_;
  ASSERT_EQ(classes->size(), 3u);
  EXPECT_EQ(classes->Label(0), 0);
  EXPECT_EQ(classes->Label(2), 1);
  EXPECT_EQ(numbers->Label(0), 10);
  EXPECT_EQ(numbers->Label(1), 9);
  EXPECT_FALSE(open(folder_ / "mixed"));
  EXPECT_THAT(errors_, HasSubstr("1.png lies beside folders of classes"));

  const Tensor stack({DType::kFloat32, {3, kHeight, kWidth, 3}});
  std::string error;
  const auto write = [&](graph::Shape labels) {
    return Write("stack.npz", *FormatNpz({{"x", stack}, {"labels", Tensor({DType::kInt64, labels})}}, error));
  };
  const auto stacked = open(write({3}));
  ASSERT_TRUE(stacked) << errors_;
  EXPECT_EQ(stacked->size(), 3u);
  EXPECT_EQ(stacked->Label(2), 0);
  Diagnostics diagnostics;
  EXPECT_EQ(stacked->Get(2, diagnostics)->front().shape(), (graph::Shape{1, kHeight, kWidth, 3}));
  EXPECT_FALSE(open(write({2})));
  EXPECT_THAT(errors_, HasSubstr("labels are int64[2], for 3 samples"));
}

}  // namespace
}  // namespace cosim::import
