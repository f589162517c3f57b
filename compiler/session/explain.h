// SPDX-License-Identifier: Apache-2.0
// Why a network takes the cycles it takes: layer by layer, what its computing unit waited for, where the
// layer stands under the roofline, what other schedules would have cost and what a larger resource would
// save. Everything is simulated (timing only), nothing estimated.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"
#include "runtime/network.h"
#include "runtime/profile.h"
#include "sim/synth/fit.h"

namespace cosim::session {

struct ExplainOptions {
  std::string network;  ///< one of zoo::Names(), or the name of `model`
  std::shared_ptr<const import::Model> model;
  uint64_t seed = 1;
  int activation_bits = 0;  ///< QuantizeFor's
  int virtual_threads = 2;
  std::string layer;  ///< only this one; empty: all
  /// The same spec with more overrides; nothing if that is not legal.
  std::function<std::optional<isa::Spec>(const std::vector<isa::Override>&)> respecify;
  std::function<void(const std::string&)> progress;  ///< what is being done now
};

/// Cycles of a layer in which its unit did no steps.
struct Stall {
  std::string reason;
  runtime::Cycle cycles = 0;
};

struct Traffic {
  uint64_t read_bytes = 0, write_bytes = 0;  ///< whole beats
  runtime::Cycle cycles =
      0;  ///< the least that the busiest half of a port needs, or the DRAM for all of them
};

struct LayerExplanation {
  runtime::Layer layer;
  std::string unit;           ///< the one that computes it
  runtime::Cycle cycles = 0;  ///< of its window (runtime/layer_windows.h)
  runtime::Cycle ideal = 0;   ///< its multiply-accumulates at the array's rate
  runtime::Cycle busy =
      0;  ///< cycles in which `unit` did its steps; with those of `stalls` they are `cycles`
  runtime::Cycle elsewhere = 0;  ///< more of them, in the windows of other layers
  Traffic traffic;               ///< its loads and stores
  /// The least of it that passes in `cycles`: some is loaded while the layers before run, or stored while the
  /// next one does. So neither `ideal` nor `own_traffic.cycles` exceeds `cycles`.
  Traffic own_traffic;
  std::vector<Stall> stalls;  ///< largest first
};

/// The stall of a layer in whose window its unit does steps of another.
std::string WorksElsewhere(const std::string& unit);

/// Cycles that the network takes beyond its multiply-accumulates at the array's rate, by cause.
struct Loss {
  struct Share {
    std::string layer;
    runtime::Cycle cycles = 0;
  };
  std::string cause;
  runtime::Cycle cycles = 0;
  std::vector<Share> layers;  ///< largest first
};

/// What a change of the configuration does to the network, or to the layer asked for.
struct Lift {
  std::string what;  ///< "inp buffer 64 KiB instead of 32 KiB"
  std::vector<isa::Override> changes;
  runtime::Cycle cycles = 0;
  /// The layer asked for does less or more than before: `cycles` are its present ones and what the network
  /// takes more.
  bool fuses_otherwise = false;
  synth::Fit fit;  ///< of the changed accelerator and its board
};

struct Explanation {
  std::string network;
  int host_layers = 0;
  runtime::Cycle cycles = 0, ideal = 0;
  std::vector<LayerExplanation> layers;  ///< those on the accelerator that were asked for, in order
  std::vector<Loss> losses;              ///< of all layers, largest first; together `cycles` - `ideal`
  std::vector<Lift> lifts;               ///< fewest cycles first
};

/// Without layers where the accelerator runs none. Nothing, and `error` set, for a layer that the network
/// does not run on the accelerator, or a program that gets stuck.
std::optional<Explanation> Explain(const isa::Spec& spec, const ExplainOptions& options, std::string& error);

}  // namespace cosim::session
