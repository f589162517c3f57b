// SPDX-License-Identifier: Apache-2.0
// From a quantized graph to a network that runs: fuse, place, lay out, plan memory, write programs, compile
// CPU code. All consecutive accelerator groups become one static program.
#pragma once

#include <functional>
#include <string>

#include "compiler/cpu/compiler.h"
#include "compiler/graph/graph.h"
#include "compiler/network/lower_group.h"
#include "isa/spec/spec.h"
#include "runtime/network.h"

namespace cosim::network {

struct CompileOptions {
  int virtual_threads = 2;
  /// Every int8 value is stored and stays readable (Network::values); fusion stops at values.
  bool keep_every_value = false;
  bool explain = false;        ///< fill runtime::Layer::knobs and alternatives
  bool channels_last = false;  ///< images come as [N, H, W, C] where the accelerator gathers from them
  bool timing_only = false;    ///< leave constants empty and host kernels out: only the cycles count
  /// Constants are as many zeros: all stands where it would with them, so that cycles are the same.
  bool blank_constants = false;
  PassObserver after_pass;            ///< for people who want to see the IR; may be empty
  LoweringCache* cache = nullptr;     ///< shared with other compilations; may be null
  const TunedTiles* tuned = nullptr;  ///< schedules to take instead of choosing; may be null
  /// Gets each group that goes to the accelerator, in order, with its tile; may be empty. Its values are
  /// those of the graph after Rearranged (rearranged.h).
  std::function<void(const Group&, const Tile&)> placed = {};
};

/// `graph` is an integer graph; its input and output arrays are those of the graph, plain, but for images
/// with `channels_last` (Place::channels_last). Where the accelerator's addresses do not reach over all of
/// it, every layer is the host's, for that reason.
runtime::Network Compile(const graph::Graph& graph, const isa::Spec& spec, const CompileOptions& options,
                         cpu::CpuCompiler& cpu);

/// Any graph that verifies, with every layer on the host: steps are CpuSteps, and no accelerator is looked
/// at. `keep_every_value`: as in CompileOptions.
runtime::Network CompileForHost(const graph::Graph& graph, bool keep_every_value, cpu::CpuCompiler& cpu);

}  // namespace cosim::network
