// SPDX-License-Identifier: Apache-2.0
// What the kernel does to programmable logic for a user program: configures it, applies an overlay, sets its
// clock and the width of its memory ports. Each function does one of them below a root
// (driver/kernel_files.h) and says what it did; nothing, after reporting, when the kernel did not.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "isa/diagnostics.h"
#include "isa/spec/board_facts.h"

namespace cosim::driver {

/// Waits for the kernel: `is_there` is asked until it is true or `timeout` is over; `pause` is called
/// between.
struct Patience {
  std::chrono::milliseconds timeout{5'000};
  std::function<void()> pause;  ///< empty: sleeps for 10 ms
  bool For(const std::function<bool()>& is_there) const;
};

/// Whether there is an FPGA manager that Configure can ask.
bool HasManager(const std::filesystem::path& root);

/// Loads a .bin by the first FPGA manager, as a firmware file that is removed again. E0803, E0804, E0805.
std::optional<std::string> Configure(const std::filesystem::path& root, std::span<const uint8_t> bin,
                                     Diagnostics& diags);

/// Takes away the overlay of an earlier call; what there is of it is gone before the logic is loaded anew.
std::optional<std::string> RemoveOverlay(const std::filesystem::path& root, Diagnostics& diags);

/// Applies a compiled overlay. E0804, E0805.
std::optional<std::string> ApplyOverlay(const std::filesystem::path& root, const std::string& dtbo,
                                        const Patience& patience, Diagnostics& diags);

/// Sets the logic's first clock by the fclk driver. Where there is no such driver the clock stays as it was,
/// which the text then says. E0804, E0805.
std::optional<std::string> SetClock(const std::filesystem::path& root, double mhz, Diagnostics& diags);

/// Sets the first `ports` memory ports to `bits` each, by /dev/mem, where the board needs it. E0804, E0805.
std::optional<std::string> SetPortWidths(const std::filesystem::path& root, const isa::BoardFacts& board,
                                         int ports, int bits, Diagnostics& diags);

}  // namespace cosim::driver
