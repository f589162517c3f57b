// SPDX-License-Identifier: Apache-2.0
// Brings an accelerator onto a board, from its bitstream to registers that answer.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "driver/fpga_manager.h"
#include "isa/diagnostics.h"
#include "isa/spec/board_facts.h"
#include "isa/spec/spec.h"

namespace cosim::driver {

struct FlashFiles {
  std::filesystem::path bitstream;  ///< .bit or .bin
  std::filesystem::path overlay;    ///< .dtbo; empty: none, the tree of before has the accelerator
};

/// `path` itself if it is a file; of a folder the one .bit (else the one .bin) and the .dtbo if there is one.
/// Nothing after reporting E0801.
std::optional<FlashFiles> FindFlashFiles(const std::filesystem::path& path, Diagnostics& diags);

/// Who loads the logic.
enum class Manager {
  kThere,  ///< sysfs if the kernel has such a manager, else dfx-mgr if its client is there
  kSysfs,  ///< the kernel's FPGA manager
  kDfxMgr,
};
/// "sysfs", "dfx-mgr", or empty for kThere; nothing for another name.
std::optional<Manager> ManagerNamed(const std::string& name);

struct FlashOptions {
  Manager manager = Manager::kThere;
  std::filesystem::path root = "/";
  Patience patience;
  /// Called behind each step: what it was about, and what was done.
  std::function<void(const std::string& step, const std::string& done)> said;
};

/// Checks the bitstream against the board, loads it, sets port widths and clock as `spec` has them, applies
/// the overlay, waits for the UIO device and reads the registers: they must be those of `spec`. False after
/// reporting E0801 to E0806 or E0808; the steps that were said are done, all others are not.
bool Flash(const FlashFiles& files, const isa::BoardFacts& board, const isa::Spec& spec,
           const FlashOptions& options, Diagnostics& diags);

}  // namespace cosim::driver
