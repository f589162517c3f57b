// SPDX-License-Identifier: Apache-2.0
// A whole experiment: network to quantized graph to program to device to checked outputs, with what each part
// cost. The command line and the tests drive this; what it prints is theirs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/data/inputs.h"
#include "compiler/import/import.h"
#include "compiler/network/compile.h"
#include "compiler/quantize/graph/compare.h"
#include "compiler/quantize/graph/quantize_graph.h"
#include "compiler/session/accuracy.h"
#include "compiler/session/end_to_end.h"
#include "compiler/session/energy.h"
#include "compiler/session/memory_band.h"
#include "compiler/session/origin.h"
#include "compiler/session/warnings.h"
#include "isa/spec/spec.h"
#include "runtime/executor.h"
#include "runtime/network.h"
#include "sim/kernels/simd_level.h"
#include "sim/rtl/rtl_run.h"
#include "sim/synth/clock_evidence.h"

namespace cosim::session {

enum class Check { kNone, kOutputs, kLayers };

struct Options {
  std::string network;  ///< one of zoo::Names(), or the name of `model`
  /// A model from a file, run as it is: nothing is quantized, and the seed is not used.
  std::shared_ptr<const import::Model> model;
  std::vector<graph::Tensor> inputs;  ///< of `model`; of a module, instead of its samples
  /// Of a network of the zoo, what QuantizeFor gives, by somebody who has it already; else it is made.
  std::shared_ptr<const graph::QuantizedGraph> quantized;
  std::shared_ptr<const network::TunedTiles> tuned;  ///< schedules to take instead of choosing; may be null
  network::LoweringCache* cache = nullptr;           ///< shared with other experiments; may be null
  std::string device = "cycle";                      ///< "functional", "cycle", "rtl", "tlm" or "tlm-rtl"
  std::filesystem::path rtl_library;                 ///< of the devices that run RTL: BuildRtl's
  sim::RtlTrace rtl_trace;                           ///< of device "rtl", whose library was built to
  uint64_t seed = 1;
  std::optional<isa::HostProcessor> host;  ///< beside the accelerator; nothing: unknown
  int activation_bits = 0;                 ///< of a network of the zoo: QuantizeFor's
  bool timing_only = false;
  int virtual_threads = 2;
  Check check = Check::kOutputs;
  bool report_quantization = false;
  sim::SimdLevel simd = sim::BestSimdLevel();
  bool poison = false;  ///< fill the on-chip memories with a pattern first
  int runs = 1;         ///< of a single frame on the same device, one after the other; the last one counts
  int frames = 1;       ///< more than one: Result::frames; not with timing_only, nor with Check::kLayers
  int jobs = 1;         ///< accelerators simulated at a time, of several frames
  std::function<void(const std::string&)> progress;  ///< what is being done now
  std::function<void(size_t, size_t)> step;          ///< how many parts of it are done, of how many
};

/// Costs on the host, in CPU seconds of this process; simulate and cpu_fallback of all frames.
struct HostCost {
  double quantize_s = 0, compile_s = 0, verify_s = 0, simulate_s = 0, check_s = 0, cpu_fallback_s = 0,
         peak_rss_mb = 0;
};

/// A value that was compared with the golden model, as compiler/golden/tolerance.h says.
struct Compared {
  std::string name;
  int64_t values = 0, mismatches = 0;
};

/// Several frames. Simulated and host time do not mix: `cycles` is the accelerator's, all else this
/// machine's.
struct FramesSummary {
  int count = 0, jobs = 1;
  runtime::Cycle cycles = 0;  ///< of all frames
  double wall_s = 0;          ///< from the first frame's start to the last one's end, simulation included
  double cpu_step_s = 0;      ///< wall time in CPU steps, summed over the frames
  double overlapped_s = 0;    ///< … of which the accelerator worked on another frame
};

struct Result {
  runtime::Network network;
  std::string producer;  ///< who compiled it, when it came as a module; then the golden outputs did too
  runtime::Run run;      ///< of the first frame
  std::optional<FramesSummary> frames;  ///< when there were several
  std::optional<MemoryBand> band;       ///< of `run`, when the configuration's memory has one
  std::optional<Origin> origin;
  std::optional<synth::ClockEvidence> clock;  ///< when `run` was timed: its milliseconds are by that clock
  std::vector<Compared> outputs, layers;
  /// Layers that the golden model's own routines computed: what they do is not checked independently.
  std::vector<std::string> unchecked;
  std::vector<graph::QuantizationRow> quantization;
  int64_t macs = 0;          ///< of convolutions, dense layers and matrix products, wherever they ran
  int64_t macs_host = 0;     ///< … of layers on the host
  int64_t ideal_cycles = 0;  ///< the others at the array's rate
  int64_t instructions = 0;
  sim::Work work;  ///< of its programs
  EndToEnd end_to_end;
  std::optional<FrameEnergy> energy;  ///< both when somebody asked for it
  std::optional<Accuracy> accuracy;
  std::vector<Warning> warnings;
  HostCost host;
  int64_t Values() const;
  int64_t Mismatches() const;
};

/// How a network is quantized so that the ISA can run it: per channel where it has channel multipliers, by
/// powers of two else. Activations have `activation_bits`, 8 or 16; 0: as many of the two as the lanes hold.
graph::QuantizeOptions QuantizeOptionsFor(const isa::Spec& spec, uint64_t seed, int activation_bits = 0);

/// The graph quantized so.
graph::QuantizedGraph QuantizeFor(const isa::Spec& spec, const std::string& network, uint64_t seed,
                                  int activation_bits = 0);

/// Compiles only.
runtime::Network CompileFor(const isa::Spec& spec, const graph::Graph& graph,
                            const network::CompileOptions& options);

/// What the verifier has against the network's programs; empty if nothing. Programs that the cache knows to
/// be right are not looked at again; it may be null.
std::string VerifyPrograms(const isa::Spec& spec, const runtime::Network& network,
                           network::LoweringCache* cache = nullptr);

/// The inputs or outputs of a network with their types. Nothing, and `error` set, when a place (of a module)
/// does not hold what it says.
std::optional<std::vector<import::Port>> PortsOf(const std::vector<runtime::Place>& places,
                                                 std::string& error);

/// Nothing, and `error` set, when the device stops (deadlock, hazard) or the verifier objects. Timing only,
/// no code is made for the host.
std::optional<Result> RunExperiment(const isa::Spec& spec, const Options& options, std::string& error);

}  // namespace cosim::session
