// SPDX-License-Identifier: Apache-2.0
// The devices of runtime::ExecuteFrames on boards: while an accelerator has one frame, the host works on
// another in a part of the memory of its own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "driver/board_device.h"
#include "driver/open_board.h"
#include "isa/diagnostics.h"
#include "isa/spec/spec.h"
#include "runtime/device.h"

namespace cosim::driver {

/// runtime::kFramesInFlight devices for each accelerator, whose programs take `dram_bytes` a frame. The
/// boards and the spec must outlive them. Empty after reporting what BoardDevice::Check does.
std::vector<std::unique_ptr<runtime::Device>> MakeFrameDevices(const isa::Spec& spec,
                                                               std::span<OpenBoard> boards,
                                                               uint64_t dram_bytes,
                                                               const BoardOptions& options,
                                                               Diagnostics& diags);

}  // namespace cosim::driver
