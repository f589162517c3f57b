// SPDX-License-Identifier: Apache-2.0
// Loading by dfx-mgr, the service of images for Zynq UltraScale+ that owns the programmable logic there: a
// package in a folder that it watches, and its client to ask for it. Each function does one thing below a
// root and says what it did; nothing, after reporting, when it could not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "driver/fpga_manager.h"
#include "isa/diagnostics.h"

namespace cosim::driver {

/// The name of the package, and of the .bit.bin in it: what an overlay's firmware-name has to say.
inline constexpr char kDfxPackage[] = "cosim", kDfxFirmware[] = "cosim.bit.bin";

/// dfx-mgr-client below the root; nothing, unreported, when it is not there.
std::optional<std::filesystem::path> FindDfxClient(const std::filesystem::path& root);

/// Whether dfx-mgr would load logic by this overlay: there is one, and it names the package's firmware.
/// E0805.
bool SuitsDfx(const std::optional<std::string>& overlay, Diagnostics& diags);

/// Writes the package, shell.json last: without it dfx-mgr does not take a folder for one. E0804, E0805.
std::optional<std::string> WriteDfxPackage(const std::filesystem::path& root, std::span<const uint8_t> bin,
                                           const std::string& overlay, Diagnostics& diags);

/// Asks the client to take away what is in the only slot of a flat design. Saying that there is nothing is no
/// error. E0803.
std::optional<std::string> UnloadByDfx(const std::filesystem::path& client, Diagnostics& diags);

/// Waits until dfx-mgr lists the package and asks the client to load it: logic and overlay. E0803, E0805.
std::optional<std::string> LoadByDfx(const std::filesystem::path& root, const std::filesystem::path& client,
                                     const Patience& patience, Diagnostics& diags);

}  // namespace cosim::driver
