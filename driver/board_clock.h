// SPDX-License-Identifier: Apache-2.0
// The clock of a board's logic, where the kernel has a driver that shows it (PYNQ's fclk).
#pragma once

#include <filesystem>
#include <optional>

namespace cosim::driver {

/// The file that holds its rate in Hz and takes another; nothing when there is none.
std::optional<std::filesystem::path> FindClock(const std::filesystem::path& root);

/// As that file has it.
std::optional<double> ReadClockMhz(const std::filesystem::path& root);

/// Whether an accelerator of a configuration with `wanted` may run at that rate: at most that, rounded to
/// whole hertz, and at least 98 % of it, which is how near dividers come.
constexpr bool SuitsClock(double mhz, double wanted) { return mhz <= wanted + 1e-6 && mhz >= 0.98 * wanted; }

}  // namespace cosim::driver
