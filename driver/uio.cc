// SPDX-License-Identifier: Apache-2.0
#include "driver/uio.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "driver/diagnostic_codes.h"
#include "driver/word_copy.h"
#include "isa/spec/registers.h"

namespace cosim::driver {
namespace {

namespace fs = std::filesystem;

/// Orders accesses of this processor to device memory and to other memory, both ways.
void Barrier() {
#if defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("dsb sy" ::: "memory");
#else
  __sync_synchronize();
#endif
}

std::vector<UioMap> ReadMaps(const fs::path& folder) {
  std::vector<UioMap> maps;
  for (;;) {
    const fs::path map = folder / fmt::format("map{}", maps.size());
    const auto address = ReadNumber(map / "addr"), bytes = ReadNumber(map / "size");
    if (!address || !bytes) return maps;
    maps.push_back({*address, *bytes, ReadNumber(map / "offset").value_or(0)});
  }
}

/// Map N of a node is at N pages of its file.
Mapping MapNode(const OpenFile& file, const UioNode& node, size_t number) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return {file, number * page, node.maps[number].bytes};
}

OpenFile OpenNode(const UioNode& node, Diagnostics& diags) {
  OpenFile file(open(node.device_file.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) ReportFile(codes::kNoNode, node.device_file, std::strerror(errno), diags);
  return file;
}

}  // namespace

std::optional<UioNode> FindUio(const fs::path& root, const std::string& name, Diagnostics& diags) {
  const fs::path folder = root / "sys/class/uio";
  std::vector<std::string> names, found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    names.push_back(ReadText(entry.path() / "name").value_or("?"));
    if (names.back() == name) found.push_back(entry.path().filename().string());
  }
  if (found.size() == 1) {
    return UioNode{found[0], root / "dev" / found[0], ReadMaps(folder / found[0] / "maps")};
  }
  std::ranges::sort(names);
  std::ranges::sort(found);
  if (!found.empty()) {
    diags
        .Error(codes::kNoNode, {},
               fmt::format("several UIO devices are named '{}': {}", name, fmt::join(found, ", ")))
        .hint = "give each its own linux,uio-name in the overlay";
    return std::nullopt;
  }
  Diagnostic& diagnostic = diags.Error(
      codes::kNoNode, {},
      names.empty() ? fmt::format("no UIO device is named '{}': there is none at all", name)
                    : fmt::format("no UIO device is named '{}': there is {}", name, fmt::join(names, ", ")));
  diagnostic.hint =
      "`cosim flash` applies the overlay; the kernel needs uio_pdrv_genirq with of_id=generic-uio, "
      "as a module's parameter or on its command line";
  return std::nullopt;
}

void UioInterrupt::Arm() {
  uint32_t count = 0;
  while (read(descriptor_, &count, sizeof count) == sizeof count) continue;
  const uint32_t one = 1;
  while (write(descriptor_, &one, sizeof one) < 0 && errno == EINTR) continue;
}

bool UioInterrupt::Wait(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waited{descriptor_, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    uint32_t count = 0;
    return ready == 1 && read(descriptor_, &count, sizeof count) == sizeof count;
  }
}

std::unique_ptr<UioRegisters> UioRegisters::Open(const UioNode& node, Diagnostics& diags) {
  if (node.maps.empty() || node.maps[0].bytes < isa::registers::kSize || node.maps[0].offset != 0) {
    diags.Error(codes::kNoNode, {},
                fmt::format("map0 of {} is no block of {} bytes that begins a page", node.device,
                            isa::registers::kSize));
    return nullptr;
  }
  OpenFile file = OpenNode(node, diags);
  if (file.get() < 0) return nullptr;
  Mapping mapping = MapNode(file, node, 0);
  if (mapping.words() == nullptr) {
    ReportFile(codes::kNoNode, node.device_file, std::strerror(errno), diags);
    return nullptr;
  }
  return std::unique_ptr<UioRegisters>(new UioRegisters(std::move(file), std::move(mapping)));
}

uint32_t UioRegisters::Read(uint32_t offset) {
  const uint32_t value = mapping_.words()[offset / sizeof(uint32_t)];
  Barrier();
  return value;
}

void UioRegisters::Write(uint32_t offset, uint32_t value) {
  Barrier();
  mapping_.words()[offset / sizeof(uint32_t)] = value;
}

std::unique_ptr<UioMemory> UioMemory::Open(const UioNode& node, Diagnostics& diags) {
  if (node.maps.size() < 2) {
    diags.Error(codes::kNoMemory, {}, fmt::format("{} has no second map, the memory it shares", node.device))
        .hint = "reserve memory in the overlay and give it as the second entry of reg; or load u-dma-buf";
    return nullptr;
  }
  const OpenFile file = OpenNode(node, diags);
  if (file.get() < 0) return nullptr;
  Mapping mapping = MapNode(file, node, 1);
  if (mapping.words() == nullptr) {
    ReportFile(codes::kNoMemory, node.device_file, std::strerror(errno), diags);
    return nullptr;
  }
  return std::unique_ptr<UioMemory>(new UioMemory(node.device, node.maps[1].address, std::move(mapping)));
}

void UioMemory::Write(uint64_t address, std::span<const uint8_t> bytes) {
  WriteWords(mapping_.words(), address, bytes);
}

void UioMemory::Read(uint64_t address, std::span<uint8_t> bytes) {
  ReadWords(mapping_.words(), address, bytes);
}

}  // namespace cosim::driver
