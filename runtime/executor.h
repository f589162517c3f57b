// SPDX-License-Identifier: Apache-2.0
// Runs a compiled network on a device and adds up what it cost. Accelerator time is cycles; CPU time is
// measured here, on the machine that ran it, and kept apart.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/network.h"
#include "runtime/profile.h"

namespace cosim::runtime {

struct LayerProfile {
  Cycle cycles = 0;         ///< of its window (runtime/layer_windows.h): layers add up to the total
  uint64_t dram_bytes = 0;  ///< moved by its instructions, whole beats
  double cpu_seconds = 0;   ///< of its CPU steps
};

/// When a step ran on this host, in seconds of a clock that only goes forward.
struct StepTime {
  bool on_accelerator = false;
  double begin = 0, end = 0;
};

struct Run {
  bool completed = true;
  std::string error;
  bool timed = false;
  Cycle cycles = 0;
  std::optional<Cycle> model_cycles;  ///< as Counters::model_cycles
  std::vector<LedgerRow> ledger;      ///< summed over the programs
  std::vector<LayerProfile> layers;   ///< as Network::layers
  bool layers_timed = true;           ///< LayerProfile::cycles are known: devices told times of instructions
  double simulate_seconds = 0;        ///< CPU seconds of the calling thread in Device::Execute
  double cpu_seconds = 0;             ///< … in CPU kernels
  std::vector<StepTime> steps;        ///< as Network::steps, those that ran
  std::vector<std::vector<uint8_t>> outputs;  ///< plain arrays, as Network::outputs; empty when timing only
};

/// `inputs`: plain arrays, as Network::inputs (ignored when timing only). `accelerator`, if there is one, is
/// held while the device executes.
Run Execute(const Network& network, const isa::Spec& spec, Device& device,
            const std::vector<std::vector<uint8_t>>& inputs, bool timing_only,
            std::mutex* accelerator = nullptr);

/// Of the run's steps, those on the accelerator or those on this host: how long they took together.
double SecondsOfSteps(const Run& run, bool on_accelerator);

/// The plain array at `place`, after a run.
std::vector<uint8_t> ReadPlain(Device& device, const Place& place);

/// CPU seconds this process has used.
double CpuSeconds();

}  // namespace cosim::runtime
