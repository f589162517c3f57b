// SPDX-License-Identifier: Apache-2.0
// Files by which Linux shows devices: short texts in sysfs, device nodes that are mapped. All paths are below
// a root, which is "/" on a board and a folder in tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "isa/diagnostics.h"

namespace cosim::driver {

/// The text without blanks around it; nothing when it cannot be read.
std::optional<std::string> ReadText(const std::filesystem::path& file);

/// Reads a number as sysfs prints it, "0x1000" or "4096". Nothing when that is no number.
std::optional<uint64_t> ReadNumber(const std::filesystem::path& file);

/// Writes to a file that is there, in one piece. An empty string, or what the system says.
std::string WriteText(const std::filesystem::path& file, const std::string& text);

/// A new file with folders around it, or one that takes the place of an old one. False after reporting
/// (E0804, E0805).
bool CreateFile(const std::filesystem::path& file, std::span<const uint8_t> bytes, Diagnostics& diags);

/// Reports a file that the system does not let this user open or write (E0804 with what to do, else `code`).
void ReportFile(const std::string& code, const std::filesystem::path& file, const std::string& problem,
                Diagnostics& diags);

/// A file descriptor that is closed in the end.
class OpenFile {
 public:
  explicit OpenFile(int descriptor = -1) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// A part of a device's memory in this process. `words` is null when it is not mapped.
class Mapping {
 public:
  Mapping() = default;
  /// Maps `bytes` from byte `offset` of the device, a multiple of the page size, for reading and writing.
  Mapping(const OpenFile& file, uint64_t offset, uint64_t bytes);
  ~Mapping();
  Mapping(Mapping&& other) noexcept
      : bytes_(other.bytes_), address_(std::exchange(other.address_, nullptr)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(address_, other.address_);
    return *this;
  }
  uint64_t bytes() const { return bytes_; }
  volatile uint32_t* words() const { return static_cast<volatile uint32_t*>(address_); }

 private:
  uint64_t bytes_ = 0;
  void* address_ = nullptr;
};

}  // namespace cosim::driver
