// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/onnx/reader.h"

namespace cosim::import {

bool IsModelFile(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".tflite" || extension == ".onnx";
}

std::optional<std::vector<uint8_t>> ReadFile(const std::string& path, Diagnostics& diagnostics) {
  constexpr uintmax_t kMostBytes = uintmax_t{2} << 30;
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kMostBytes) {
    diagnostics.Error(codes::kUnreadable, {path}, error ? error.message() : "the file is larger than 2 GiB");
    return std::nullopt;
  }
  std::vector<uint8_t> bytes(size);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    diagnostics.Error(codes::kUnreadable, {path}, "the file cannot be read");
    return std::nullopt;
  }
  return bytes;
}

std::optional<Model> ImportFile(const std::string& path, const Options& options, Diagnostics& diagnostics) {
  const auto bytes = ReadFile(path, diagnostics);
  return bytes ? ImportBytes(*bytes, path, options, diagnostics) : std::nullopt;
}

std::optional<std::vector<uint8_t>> ReadWhole(const std::string& path, Diagnostics& diagnostics) {
  auto bytes = ReadFile(path, diagnostics);
  const std::filesystem::path file(path);
  if (!bytes || file.extension() != ".onnx") return bytes;
  std::string error;
  auto whole = onnx::WithDataInside(*bytes, file.parent_path().string(), error);
  if (!whole) diagnostics.Error(codes::kUnreadable, {path}, error);
  return whole;
}

std::optional<Model> ImportBytes(std::span<const uint8_t> bytes, const std::string& path,
                                 const Options& options, Diagnostics& diagnostics) {
  const std::filesystem::path file(path);
  auto model = file.extension() == ".onnx"
                   ? ImportOnnx(bytes, path, file.parent_path().string(), options, diagnostics)
                   : ImportTflite(bytes, path, diagnostics);
  if (model) model->graph.SetName(file.stem().string());
  return model;
}

}  // namespace cosim::import
