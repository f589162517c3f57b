// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/onnx/reader.h"

namespace cosim::import {
namespace {

bool IsOnnx(const std::string& path) { return std::filesystem::path(path).extension() == ".onnx"; }

std::string FolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

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
  return bytes ? ImportBytes(*bytes, path, FolderOf(path), options, diagnostics) : std::nullopt;
}

std::optional<std::vector<uint8_t>> ReadWhole(const std::string& path, Diagnostics& diagnostics) {
  auto bytes = ReadFile(path, diagnostics);
  if (!bytes || !IsOnnx(path)) return bytes;
  std::string error;
  auto whole = onnx::WithDataInside(*bytes, FolderOf(path), error);
  if (!whole) diagnostics.Error(codes::kUnreadable, {path}, error);
  return whole;
}

std::optional<Model> ImportBytes(std::span<const uint8_t> bytes, const std::string& name,
                                 const std::string& folder, const Options& options,
                                 Diagnostics& diagnostics) {
  auto model = IsOnnx(name) ? ImportOnnx(bytes, name, folder, options, diagnostics)
                            : ImportTflite(bytes, name, diagnostics);
  if (!model) return model;
  model->graph.SetName(std::filesystem::path(name).stem().string());
  if (!IsOnnx(name))
    for (const auto& [input, shape] : options.shapes) model->unused_shapes.push_back(input);
  return model;
}

}  // namespace cosim::import
