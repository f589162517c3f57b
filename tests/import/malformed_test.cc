// SPDX-License-Identifier: Apache-2.0
// Damaged model files: a diagnostic, never a crash. Damage is drawn from a seed, so a failure repeats.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <random>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/file_kind.h"
#include "tests/import/testing.h"

namespace cosim::import {
namespace {

/// Imports; whatever comes out, either a model or a reason.
bool Imports(const std::vector<uint8_t>& bytes) {
  Diagnostics diagnostics;
  const auto model = ImportTflite(bytes, "damaged.tflite", diagnostics);
  EXPECT_EQ(model.has_value(), !diagnostics.HasErrors());
  return model.has_value();
}

TEST(Malformed, AnEmptyFileIsNoModel) {
  Diagnostics diagnostics;
  EXPECT_FALSE(ImportTflite({}, "empty.tflite", diagnostics));
  EXPECT_THAT(diagnostics.Render(),
              testing::HasSubstr("empty.tflite: error[E0901]: not a TensorFlow Lite file"));
}

TEST(Malformed, WhatAFileIsInsteadIsSaid) {
  const auto said = [](const std::string& text, bool tflite) {
    Diagnostics diagnostics;
    const std::vector<uint8_t> bytes(text.begin(), text.end());
    EXPECT_FALSE(tflite ? ImportTflite(bytes, "m.tflite", diagnostics)
                        : ImportOnnx(bytes, "m.onnx", "", {}, diagnostics));
    return diagnostics.Render();
  };
  const std::map<std::string, std::string> kinds = {
      {"", "it is empty"},
      {"\n <!DOCTYPE HTML><title>404</title>", "it is a web page"},
      {"<html><body>", "it is a web page"},
      {"version https://git-lfs.github.com/spec/v1\n", "`git lfs pull`"},
      {"\x89HDF\r\n\x1a\n", "tf.lite.TFLiteConverter"},
      {"PK\x03\x04 archive/data.pkl", "it is a ZIP archive"},
      {"\x80\x02}q", "torch.onnx.export"},
      {"\x1f\x8b\b", "unpack it first"}};
  for (const auto& [text, hint] : kinds)
    for (const bool tflite : {true, false}) EXPECT_THAT(said(text, tflite), testing::HasSubstr(hint)) << text;
  EXPECT_THAT(said("\b\x08\x12\x07pytorch", true), testing::HasSubstr("has to end in .onnx"));
  EXPECT_THAT(said(std::string("\x1c\0\0\0TFL3", 8), false), testing::HasSubstr("has to end in .tflite"));
  EXPECT_THAT(said("nothing in particular", true), testing::Not(testing::HasSubstr("hint")));
  EXPECT_THAT(said("\b\x08\x12\x07pytorch", false), testing::Not(testing::HasSubstr("hint")));
}

TEST(Malformed, EveryTruncationIsRefused) {
  COSIM_NEED_DATA();
  const auto bytes = BytesOf(DataFolder() + "/tflite/kws_dscnn_int8.tflite");
  ASSERT_GT(bytes.size(), 1000u);
  for (size_t length = 0; length < bytes.size(); length += length < 2000 ? 1 : 997)
    EXPECT_FALSE(Imports({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)})) << length;
}

// Four bytes behind the header move whatever stood at a multiple of eight; the sanitizers see how it is read.
TEST(Malformed, LongsNeedNotBeAligned) {
  COSIM_NEED_DATA();
  auto bytes = BytesOf(DataFolder() + "/tflite/kws_dscnn_int8.tflite");
  bytes.insert(bytes.begin() + 8, 4, 0);
  bytes[0] = static_cast<uint8_t>(bytes[0] + 4);  // where the root is
  ASSERT_GE(bytes[0], 4);
  EXPECT_TRUE(Imports(bytes));
}

TEST(Malformed, FlippedBytesNeverCrash) {
  COSIM_NEED_DATA();
  for (const char* name : {"kws_dscnn_int8", "resnet8_cifar10_fp32", "mobilenetv1_025_128_uint8"}) {
    const auto bytes = BytesOf(DataFolder() + "/tflite/" + name + ".tflite");
    // Tables stand at both ends, constants in between: most flips go where the structure is.
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < 200; ++round) {
      auto damaged = bytes;
      for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips) {
        const size_t window = std::min<size_t>(bytes.size(), 4096), at = random() % window;
        damaged[random() % 2 ? at : bytes.size() - 1 - at] = static_cast<uint8_t>(random());
      }
      refused += !Imports(damaged);
    }
    EXPECT_GT(refused, 0) << name;
  }
}

TEST(Diagnostics, TheReferenceListsEveryCode) {
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/diagnostics.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
#define COSIM_EXPECT_ROW(name, code, meaning) \
  EXPECT_THAT(text, testing::HasSubstr(std::string("| ") + code + " | " + meaning + " |"));
  COSIM_IMPORT_DIAGNOSTICS(COSIM_EXPECT_ROW)
#undef COSIM_EXPECT_ROW
}

}  // namespace
}  // namespace cosim::import
