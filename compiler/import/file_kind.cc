// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/file_kind.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cosim::import {
namespace {

constexpr char kFromPyTorch[] = "export the model by torch.onnx.export";
constexpr char kFromKeras[] = "convert the model by tf.lite.TFLiteConverter";

/// Whether the text begins so, whatever its case, after blanks.
bool IsMarkup(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string start(text.substr(0, 14));
  std::ranges::transform(start, start.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}

}  // namespace

std::string FileKindHint(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<size_t>(bytes.size(), 256));
  const auto is = [&](std::string_view start, size_t at = 0) {
    return text.size() >= at && text.substr(at).starts_with(start);
  };
  if (text.empty()) return "it is empty";
  if (is("TFL3", 4)) return "it is a TensorFlow Lite model: its name has to end in .tflite";
  if (is("version https://git-lfs")) return "it is a pointer of Git LFS: `git lfs pull` fetches the model";
  if (IsMarkup(text)) return "it is a web page: the download gave that instead of a model";
  if (is("\x89HDF\r\n")) return std::string("it is an HDF5 file, as Keras writes: ") + kFromKeras;
  if (is("PK\x03\x04"))
    return std::string("it is a ZIP archive: unpack it, or, if it is a checkpoint of PyTorch or Keras, ") +
           "export or convert the model (torch.onnx.export, tf.lite.TFLiteConverter)";
  if (is("\x80\x02") || is("\x80\x03") || is("\x80\x04"))
    return std::string("it is a pickle of Python, as PyTorch writes: ") + kFromPyTorch;
  if (is("\x1f\x8b")) return "it is compressed: unpack it first";
  // A version of the format between 1 and 20, then a text or a version: ONNX has no mark of its own.
  if (text.size() > 2 && text[0] == 8 && text[1] > 0 && text[1] < 20 &&
      std::string_view("\x12\x1a\"(2:B").find(text[2]) != std::string_view::npos)
    return "it may be an ONNX model: its name has to end in .onnx then";
  return "";
}

}  // namespace cosim::import
