// SPDX-License-Identifier: Apache-2.0
// Finds what a board's kernel offers of an accelerator: its UIO device, and memory to share with it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "driver/accelerator_registers.h"
#include "driver/dma_memory.h"
#include "isa/diagnostics.h"

namespace cosim::driver {

/// The name that overlays give the accelerator's UIO device (linux,uio-name).
inline constexpr char kUioName[] = "cosim";

struct BoardPlaces {
  std::filesystem::path root = "/";  ///< sys/ and dev/ are below it
  std::string uio_name = kUioName;
  std::string memory;  ///< a u-dma-buf, as "udmabuf0"; empty: the second map of the UIO device
};

struct OpenBoard {
  std::unique_ptr<AcceleratorRegisters> registers;
  std::unique_ptr<DmaMemory> memory;
  std::optional<double> clock_mhz;  ///< where the kernel tells
};

/// Both, or nothing but nulls after reporting (E0804, E0806, E0807).
OpenBoard OpenBoardAt(const BoardPlaces& places, Diagnostics& diags);

}  // namespace cosim::driver
