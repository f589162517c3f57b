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

/// What a stretch of a run was spent on. A host step's own copies are in it.
enum class Stretch { kAccelerator, kHostStep, kCopies };

/// When it was on this host, in seconds of a clock that only goes forward.
struct StepTime {
  Stretch what = Stretch::kHostStep;
  double begin = 0, end = 0;
  /// Where the accelerator was then: of the host's stretches, where the device tells and others may use it.
  std::optional<Progress> from, to;
};

/// Whether a device has the network's programs already (LoadPrograms), from an earlier run with it.
enum class Programs { kToLoad, kLoaded };

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
  double copy_seconds = 0;            ///< … in Device::Write and Read, and what else fills its memory
  std::vector<StepTime> steps;        ///< inputs in, those of Network::steps that ran, outputs out
  std::vector<std::vector<uint8_t>> outputs;  ///< plain arrays, as Network::outputs; empty when timing only
};

/// `inputs`: plain arrays, as Network::inputs (ignored when timing only). `accelerator`, if there is one, is
/// held while the device executes.
Run Execute(const Network& network, const isa::Spec& spec, Device& device,
            const std::vector<std::vector<uint8_t>>& inputs, bool timing_only,
            std::mutex* accelerator = nullptr, Programs programs = Programs::kToLoad);

/// Writes the segments of all programs, and what is around the rows of images. They stand apart from each
/// other and from what runs write, so that a run that completed leaves them as they are.
void LoadPrograms(Device& device, const Network& network);

/// Bytes that Execute copies to and from a device that has the programs: inputs, outputs, and the arrays of
/// CPU steps but their constants and what the host has to itself.
uint64_t CopiedBytes(const Network& network);

/// How long the run's stretches of that kind took together.
double SecondsOf(const Run& run, Stretch what);

/// The plain array at `place`, after a run.
std::vector<uint8_t> ReadPlain(Device& device, const Place& place);

/// CPU seconds this process has used.
double CpuSeconds();

}  // namespace cosim::runtime
