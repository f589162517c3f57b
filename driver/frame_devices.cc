// SPDX-License-Identifier: Apache-2.0
#include "driver/frame_devices.h"

#include <optional>
#include <utility>

#include "driver/memory_part.h"
#include "driver/work_meter.h"
#include "runtime/frames.h"

namespace cosim::driver {
namespace {

/// A BoardDevice with its own part of the memory; the meter is that of all on this accelerator.
class FrameDevice final : public runtime::Device {
 public:
  FrameDevice(const isa::Spec& spec, OpenBoard& board, std::shared_ptr<WorkMeter> meter, uint64_t begin,
              uint64_t bytes, const BoardOptions& options)
      : meter_(std::move(meter)),
        memory_(*board.memory, begin, bytes),
        device_(spec, *board.registers, memory_, options, meter_.get()) {}

  std::string Name() const override { return device_.Name(); }
  void Reserve(uint64_t bytes) override { device_.Reserve(bytes); }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override { device_.Write(address, bytes); }
  void Read(uint64_t address, std::span<uint8_t> bytes) override { device_.Read(address, bytes); }
  runtime::Counters Execute(const isa::Program& program, const runtime::ExecuteOptions& options) override {
    return device_.Execute(program, options);
  }
  void PoisonOnChip(uint64_t seed) override { device_.PoisonOnChip(seed); }
  std::optional<runtime::Progress> AcceleratorProgress() override { return device_.AcceleratorProgress(); }

 private:
  std::shared_ptr<WorkMeter> meter_;
  MemoryPart memory_;
  BoardDevice device_;
};

}  // namespace

std::vector<std::unique_ptr<runtime::Device>> MakeFrameDevices(const isa::Spec& spec,
                                                               std::span<OpenBoard> boards,
                                                               uint64_t dram_bytes,
                                                               const BoardOptions& options,
                                                               Diagnostics& diags) {
  const uint64_t part = (dram_bytes + kBaseAlignment - 1) / kBaseAlignment * kBaseAlignment;
  std::vector<std::unique_ptr<runtime::Device>> devices;
  for (OpenBoard& board : boards) {
    BoardOptions own = options;
    own.clock_mhz = board.clock_mhz;
    if (!BoardDevice(spec, *board.registers, *board.memory, own)
             .Check(runtime::kFramesInFlight * part, diags))
      return {};
    const auto meter = std::make_shared<WorkMeter>(*board.registers);
    for (uint64_t slot = 0; slot < runtime::kFramesInFlight; ++slot)
      devices.push_back(std::make_unique<FrameDevice>(spec, board, meter, slot * part, part, own));
  }
  return devices;
}

}  // namespace cosim::driver
