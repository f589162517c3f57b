// SPDX-License-Identifier: Apache-2.0
#include "driver/fpga_manager.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>
#include <thread>

#include "driver/board_clock.h"
#include "driver/diagnostic_codes.h"
#include "driver/kernel_files.h"

namespace cosim::driver {
namespace {

namespace fs = std::filesystem;

constexpr char kFirmware[] = "cosim.bin", kOverlay[] = "cosim";
/// Byte offsets of a port's registers for reading and writing.
constexpr uint64_t kReadControl = 0x00, kWriteControl = 0x14, kWidthBits = 3;

fs::path OverlayFolder(const fs::path& root) { return root / "sys/kernel/config/device-tree/overlays"; }

/// Writes and reports a refusal.
bool Set(const fs::path& file, const std::string& text, Diagnostics& diags) {
  const std::string problem = WriteText(file, text);
  if (!problem.empty()) ReportFile(codes::kNotLoaded, file, problem, diags);
  return problem.empty();
}

std::optional<fs::path> FindManager(const fs::path& root, Diagnostics& diags) {
  const fs::path folder = root / "sys/class/fpga_manager/fpga0";
  const char* problem = nullptr;
  if (!fs::exists(folder))
    problem = "the kernel has no FPGA manager";
  else if (!fs::exists(folder / "firmware"))
    problem = "the kernel's FPGA manager cannot be asked by user programs: it has no file 'firmware'";
  if (problem == nullptr) return folder;
  diags.Error(codes::kNoManager, {}, problem).hint =
      "boot a kernel of the board's vendor (linux-xlnx, as the PYNQ images have it); mainline's does not do. "
      "Where dfx-mgr owns the logic, --manager=dfx-mgr";
  return std::nullopt;
}

/// As the register of a port has it.
std::optional<uint32_t> WidthCode(int bits) {
  switch (bits) {
    case 128:
      return 0;
    case 64:
      return 1;
    case 32:
      return 2;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool HasManager(const fs::path& root) { return fs::exists(root / "sys/class/fpga_manager/fpga0/firmware"); }

bool Patience::For(const std::function<bool()>& is_there) const {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!is_there()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    if (pause)
      pause();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return true;
}

std::optional<std::string> Configure(const fs::path& root, std::span<const uint8_t> bin, Diagnostics& diags) {
  const auto manager = FindManager(root, diags);
  if (!manager) return std::nullopt;
  const fs::path firmware = root / "lib/firmware" / kFirmware;
  if (!CreateFile(firmware, bin, diags)) return std::nullopt;
  const bool is_taken = (!fs::exists(*manager / "flags") || Set(*manager / "flags", "0", diags)) &&
                        Set(*manager / "firmware", kFirmware, diags);
  std::error_code error;
  fs::remove(firmware, error);
  if (!is_taken) return std::nullopt;
  const std::string state = ReadText(*manager / "state").value_or("unknown");
  if (state == "operating")
    return fmt::format("{} bytes by {}, operating", bin.size(),
                       ReadText(*manager / "name").value_or("fpga0"));
  diags.Error(codes::kNotLoaded, {}, fmt::format("the FPGA manager is in state '{}' after loading", state))
      .hint = "the kernel's log (dmesg) says more; the logic is not configured now";
  return std::nullopt;
}

std::optional<std::string> RemoveOverlay(const fs::path& root, Diagnostics& diags) {
  const fs::path folder = OverlayFolder(root) / kOverlay;
  if (!fs::exists(folder)) return "none of before";
  if (rmdir(folder.c_str()) == 0) return "that of before is removed";
  ReportFile(codes::kNotLoaded, folder, std::strerror(errno), diags);
  return std::nullopt;
}

std::optional<std::string> ApplyOverlay(const fs::path& root, const std::string& dtbo,
                                        const Patience& patience, Diagnostics& diags) {
  const fs::path folder = OverlayFolder(root) / kOverlay;
  if (!fs::exists(OverlayFolder(root))) {
    diags.Error(codes::kNotLoaded, {}, fmt::format("{} is not there", OverlayFolder(root).string())).hint =
        "the kernel needs CONFIG_OF_CONFIGFS, and configfs mounted: mount -t configfs none "
        "/sys/kernel/config";
    return std::nullopt;
  }
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    ReportFile(codes::kNotLoaded, folder, std::strerror(errno), diags);
    return std::nullopt;
  }
  patience.For([&] { return fs::exists(folder / "dtbo"); });
  if (!Set(folder / "dtbo", dtbo, diags)) return std::nullopt;
  if (patience.For([&] { return ReadText(folder / "status") == "applied"; }))
    return fmt::format("{} bytes, applied", dtbo.size());
  diags.Error(codes::kNotLoaded, {}, "the kernel does not apply the overlay").hint =
      "the kernel's log (dmesg) says why; often a label is missing that the board's own tree should have";
  return std::nullopt;
}

std::optional<std::string> SetClock(const fs::path& root, double mhz, Diagnostics& diags) {
  const auto file = FindClock(root);
  if (!file)
    return fmt::format(
        "left as it is: the kernel has no fclk driver; {:g} MHz is the overlay's or boot loader's part", mhz);
  if (!Set(*file, fmt::format("{}", std::llround(mhz * 1e6)), diags)) return std::nullopt;
  const double is = ReadClockMhz(root).value_or(0);
  if (SuitsClock(is, mhz)) return fmt::format("{:g} MHz", is);
  diags.Error(codes::kNotLoaded, {}, fmt::format("the clock is {:g} MHz after asking for {:g}", is, mhz))
      .hint = "a clock of the board that divides to clock_mhz or little less is needed";
  return std::nullopt;
}

std::optional<std::string> SetPortWidths(const fs::path& root, const isa::BoardFacts& board, int ports,
                                         int bits, Diagnostics& diags) {
  if (board.port_registers == 0) return "nothing to set on this board";
  const auto code = WidthCode(bits);
  if (!code) {
    diags.Error(codes::kNotLoaded, {},
                fmt::format("memory ports of {} bits, which {} does not have", bits, board.name));
    return std::nullopt;
  }
  const fs::path memory = root / "dev/mem";
  const OpenFile file(open(memory.c_str(), O_RDWR | O_SYNC | O_CLOEXEC));
  for (int port = 0; port < ports; ++port) {
    const uint64_t address = board.port_registers + static_cast<uint64_t>(port) * board.port_stride;
    const Mapping mapping =
        file.get() < 0 ? Mapping() : Mapping(file, address, static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
    if (mapping.words() == nullptr) {
      ReportFile(codes::kNotLoaded, memory, std::strerror(errno), diags);
      return std::nullopt;
    }
    for (const uint64_t offset : {kReadControl, kWriteControl}) {
      volatile uint32_t& word = mapping.words()[offset / sizeof(uint32_t)];
      word = (word & ~static_cast<uint32_t>(kWidthBits)) | *code;
    }
  }
  return fmt::format("HP0{} at {} bits", ports > 1 ? fmt::format(" to HP{}", ports - 1) : "", bits);
}

}  // namespace cosim::driver
