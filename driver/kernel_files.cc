// SPDX-License-Identifier: Apache-2.0
#include "driver/kernel_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "driver/diagnostic_codes.h"

namespace cosim::driver {

std::optional<std::string> ReadText(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  constexpr char kBlanks[] = " \t\r\n";
  text.erase(text.find_last_not_of(kBlanks) + 1);
  text.erase(0, text.find_first_not_of(kBlanks));
  return text;
}

std::optional<uint64_t> ReadNumber(const std::filesystem::path& file) {
  const auto text = ReadText(file);
  if (!text) return std::nullopt;
  const bool is_hex = text->starts_with("0x");
  const char *begin = text->data() + (is_hex ? 2 : 0), *end = text->data() + text->size();
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::string WriteText(const std::filesystem::path& file, const std::string& text) {
  const OpenFile open_file(open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (open_file.get() < 0) return std::strerror(errno);
  const ssize_t written = write(open_file.get(), text.data(), text.size());
  if (written < 0) return std::strerror(errno);
  return static_cast<size_t>(written) == text.size() ? "" : "it takes a part only";
}

bool CreateFile(const std::filesystem::path& file, std::span<const uint8_t> bytes, Diagnostics& diags) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (stream) return true;
  const int number = error ? error.value() : errno != 0 ? errno : EIO;
  ReportFile(codes::kNotLoaded, file, std::strerror(number), diags);
  return false;
}

void ReportFile(const std::string& code, const std::filesystem::path& file, const std::string& problem,
                Diagnostics& diags) {
  const bool is_permission = problem == std::strerror(EACCES) || problem == std::strerror(EPERM);
  Diagnostic& diagnostic = diags.Error(is_permission ? codes::kNoPermission : code, {},
                                       fmt::format("{}: {}", file.string(), problem));
  if (is_permission) diagnostic.hint = "run it as root, or let a udev rule give the file to your group";
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Mapping::Mapping(const OpenFile& file, uint64_t offset, uint64_t bytes) : bytes_(bytes) {
  void* address = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                       static_cast<off_t>(offset));
  if (address != MAP_FAILED) address_ = address;
}

Mapping::~Mapping() {
  if (address_ != nullptr) munmap(address_, static_cast<size_t>(bytes_));
}

}  // namespace cosim::driver
