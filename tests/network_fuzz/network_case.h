// SPDX-License-Identifier: Apache-2.0
// One random network on one random configuration of an ISA, edited at random or not: drawing it, running it
// against the golden model, shrinking it, and its one-line form that reproduces it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "isa/spec/loader.h"
#include "runtime/network.h"
#include "tests/network_fuzz/isa_edit.h"

namespace cosim::testing {

struct NetworkCase {
  std::string isa = "cosim";             ///< of isa/
  std::vector<isa::Override> overrides;  ///< of configs/tiny.yaml
  int threads = 2;
  bool keep_every_value = false;
  int value_bits = 8;  ///< of the network's values: 8 or 16, whatever the hardware's lanes have
  std::string file;    ///< "int8", "uint8" or "int16": a TensorFlow Lite file of such values; empty: a graph
  bool rtl = false;    ///< under Verilator too, which is built for the configuration
  uint64_t seed = 0;
  std::vector<uint64_t> steps;
  std::vector<IsaEdit> edits;  ///< of the ISA, one after the other; those that are left apply and elaborate
};

struct Outcome {
  enum class Kind {
    kEqual,    ///< all outputs, and values where they are kept, are the golden model's on every device
    kRefused,  ///< the configuration or the network is not to be had, with a reason
    kFailed    ///< anything else: a mismatch, a program that does not verify, a device that stops, a crash
  } kind = Kind::kEqual;
  std::string reason;  ///< why refused, what failed, or why the first of the sums on the CPU is there
  int on_accelerator = 0, on_cpu = 0;            ///< layers
  int sums_on_accelerator = 0, sums_on_cpu = 0;  ///< those with products: convolutions, dense, matmul
};

NetworkCase DrawCase(uint64_t seed);
/// One of a file (random_file.h), mostly on isa/cosim.yaml.
NetworkCase DrawFileCase(uint64_t seed);
/// How often each of TensorFlow Lite's operators is in the case's file.
std::map<std::string, int64_t> OperatorsOf(const NetworkCase& c);

/// "isa=cosim threads=2 keep=0 bits=8 rtl=0 seed=7 set=batch:2,… steps=1f,2a,… edits=drop:…|…", and back;
/// nothing when the text is not of this form. What has no edits does not mention them; what has a file says
/// "file=int8" behind bits.
std::string ToString(const NetworkCase& c);
std::optional<NetworkCase> ParseCase(const std::string& text);

Outcome RunCase(const NetworkCase& c);
/// What the functional and the cycle device, and the RTL with `rtl`, do wrong with a network of the graph;
/// empty: nothing. `refusal`: why there is no RTL of such hardware.
std::string FaultOnDevices(const isa::Spec& spec, const runtime::Network& network, const graph::Graph& graph,
                           uint64_t seed, bool rtl, std::string& refusal);

/// In a process of its own, so that a crash is an outcome; at most `seconds` long.
Outcome RunIsolated(const NetworkCase& c, int seconds);

/// The smallest case found for which `fails` still holds: steps and overrides left out one by one.
NetworkCase Shrink(NetworkCase c, const std::function<bool(const NetworkCase&)>& fails);

}  // namespace cosim::testing
