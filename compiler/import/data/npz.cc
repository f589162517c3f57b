// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zip.h>

#include <memory>

#include "compiler/import/data/arrays.h"

namespace cosim::import {
namespace {

constexpr uint64_t kMostBytes = uint64_t{4} << 30;

struct Close {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

std::string Text(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

std::optional<std::vector<uint8_t>> ReadMember(zip_t* archive, zip_int64_t index, std::string& name,
                                               std::string& error) {
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE) ||
      !(stat.valid & ZIP_STAT_NAME))
    return error = zip_strerror(archive), std::nullopt;
  name = stat.name;
  if (stat.size > kMostBytes) return error = fmt::format("member {} is too large", name), std::nullopt;
  const std::unique_ptr<zip_file_t, Close> file(zip_fopen_index(archive, index, 0));
  if (!file) return error = zip_strerror(archive), std::nullopt;
  // The size that the archive states is not to be trusted before that much has been read.
  std::vector<uint8_t> bytes;
  while (bytes.size() < stat.size) {
    const size_t at = bytes.size(), step = std::min<uint64_t>(stat.size - at, uint64_t{1} << 20);
    bytes.resize(at + step);
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + at, step);
    if (got <= 0) return error = fmt::format("member {} is damaged", name), std::nullopt;
    bytes.resize(at + static_cast<size_t>(got));
  }
  return bytes;
}

}  // namespace

std::optional<std::map<std::string, graph::Tensor>> ParseNpz(std::span<const uint8_t> bytes,
                                                             std::string& error) {
  zip_error_t zip_error;
  zip_error_init(&zip_error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &zip_error);
  if (!source) return error = Text(zip_error), std::nullopt;
  const std::unique_ptr<zip_t, Close> archive(
      zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &zip_error));
  if (!archive) {
    zip_source_free(source);
    return error = Text(zip_error), std::nullopt;
  }
  zip_error_fini(&zip_error);
  std::map<std::string, graph::Tensor> arrays;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    std::string name;
    const auto member = ReadMember(archive.get(), i, name, error);
    if (!member) return std::nullopt;
    if (name.size() > 4 && name.ends_with(".npy")) name.resize(name.size() - 4);
    auto tensor = ParseNpy(*member, error);
    if (!tensor) return error = fmt::format("member {}: {}", name, error), std::nullopt;
    arrays.emplace(name, std::move(*tensor));
  }
  if (arrays.empty()) return error = "the archive holds no arrays", std::nullopt;
  return arrays;
}

std::optional<std::vector<uint8_t>> FormatNpz(
    const std::vector<std::pair<std::string, graph::Tensor>>& arrays, std::string& error) {
  zip_error_t zip_error;
  zip_error_init(&zip_error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &zip_error);
  if (!target) return error = Text(zip_error), std::nullopt;
  zip_source_keep(target);
  std::unique_ptr<zip_t, Close> archive(zip_open_from_source(target, ZIP_TRUNCATE, &zip_error));
  std::optional<std::vector<uint8_t>> result;
  std::vector<std::vector<uint8_t>> members;  // libzip reads them when it closes the archive
  for (const auto& [name, tensor] : arrays) members.push_back(FormatNpy(tensor));
  bool good = archive != nullptr;
  for (size_t i = 0; i < members.size() && good; ++i) {
    zip_source_t* source = zip_source_buffer(archive.get(), members[i].data(), members[i].size(), 0);
    const zip_int64_t index =
        source ? zip_file_add(archive.get(), (arrays[i].first + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8)
               : -1;
    if (index < 0) zip_source_free(source);
    good = index >= 0 && zip_set_file_compression(archive.get(), index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_mtime(archive.get(), index, 315532800, 0) == 0;  // 1980: the same bytes every time
  }
  if (!good) {
    error = archive ? zip_strerror(archive.get()) : Text(zip_error);
  } else if (zip_close(archive.get()) != 0) {
    error = zip_strerror(archive.get());
  } else {
    archive.release();  // closing has freed it
    zip_stat_t stat;
    zip_source_stat(target, &stat);
    result.emplace(stat.size);
    if (zip_source_open(target) != 0 ||
        zip_source_read(target, result->data(), stat.size) != static_cast<zip_int64_t>(stat.size))
      error = "the archive cannot be read back", result.reset();
    zip_source_close(target);
  }
  zip_source_free(target);
  return result;
}

}  // namespace cosim::import
