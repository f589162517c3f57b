// SPDX-License-Identifier: Apache-2.0
#include "driver/board_clock.h"

#include "driver/kernel_files.h"

namespace cosim::driver {

std::optional<std::filesystem::path> FindClock(const std::filesystem::path& root) {
  for (const char* folder : {"sys/devices/soc0/fclk0", "sys/devices/platform/fclk0"})
    if (std::filesystem::exists(root / folder / "set_rate")) return root / folder / "set_rate";
  return std::nullopt;
}

std::optional<double> ReadClockMhz(const std::filesystem::path& root) {
  const auto file = FindClock(root);
  const auto rate = file ? ReadNumber(*file) : std::nullopt;
  return rate ? std::optional(static_cast<double>(*rate) / 1e6) : std::nullopt;
}

}  // namespace cosim::driver
