// SPDX-License-Identifier: Apache-2.0
#include "driver/u_dma_buf.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "driver/diagnostic_codes.h"
#include "driver/word_copy.h"
#include "isa/check.h"

namespace cosim::driver {
namespace {

namespace fs = std::filesystem;

/// As the kernel's enum dma_data_direction.
constexpr int kToDevice = 1, kFromDevice = 2;

}  // namespace

std::unique_ptr<UDmaBuf> UDmaBuf::Open(const fs::path& root, const std::string& name, Diagnostics& diags) {
  const fs::path folder = root / "sys/class/u-dma-buf" / name, device = root / "dev" / name;
  const auto address = ReadNumber(folder / "phys_addr"), bytes = ReadNumber(folder / "size");
  if (!address || !bytes) {
    diags.Error(codes::kNoMemory, {}, fmt::format("there is no u-dma-buf '{}'", name)).hint =
        fmt::format("insmod u-dma-buf.ko {}=SIZE, or declare it in the overlay", name);
    return nullptr;
  }
  // Without O_SYNC the kernel maps it cached.
  const OpenFile file(open(device.c_str(), O_RDWR | O_CLOEXEC));
  Mapping mapping;
  if (file.get() >= 0) mapping = Mapping(file, 0, *bytes);
  if (mapping.words() == nullptr) {
    ReportFile(codes::kNoMemory, device, std::strerror(errno), diags);
    return nullptr;
  }
  const bool coherent = ReadNumber(folder / "dma_coherent").value_or(0) != 0;
  if (!coherent) {  // find out now whether this user may sync
    for (const char* attribute : {"sync_offset", "sync_size", "sync_direction"}) {
      const std::string problem = WriteText(folder / attribute, "0");
      if (problem.empty()) continue;
      ReportFile(codes::kNoMemory, folder / attribute, problem, diags);
      return nullptr;
    }
  }
  return std::unique_ptr<UDmaBuf>(new UDmaBuf(name, folder, *address, coherent, std::move(mapping)));
}

void UDmaBuf::Write(uint64_t address, std::span<const uint8_t> bytes) {
  WriteWords(mapping_.words(), address, bytes);
}

void UDmaBuf::Read(uint64_t address, std::span<uint8_t> bytes) {
  ReadWords(mapping_.words(), address, bytes);
}

void UDmaBuf::SyncForDevice(uint64_t address, uint64_t bytes) {
  Sync("sync_for_device", kToDevice, address, bytes);
}

void UDmaBuf::SyncForCpu(uint64_t address, uint64_t bytes) {
  Sync("sync_for_cpu", kFromDevice, address, bytes);
}

void UDmaBuf::Sync(const char* file, int direction, uint64_t address, uint64_t bytes) {
  if (coherent_) return;
  const std::lock_guard lock(syncing_);
  const std::pair<const char*, uint64_t> settings[] = {{"sync_offset", address},
                                                       {"sync_size", bytes},
                                                       {"sync_direction", static_cast<uint64_t>(direction)},
                                                       {file, 1}};
  for (const auto& [attribute, value] : settings) {
    const std::string problem = WriteText(folder_ / attribute, fmt::format("{}", value));
    COSIM_CHECK(problem.empty(), "{} of {}, which could be written before: {}", attribute, name_, problem);
  }
}

}  // namespace cosim::driver
