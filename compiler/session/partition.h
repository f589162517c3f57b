// SPDX-License-Identifier: Apache-2.0
// What of a network runs on the accelerator and what does not: the limit that each layer on the host met, and
// which changes of the configuration or the ISA would lift it. The changes are tried: the network is compiled
// under each of them.
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

namespace cosim::session {

/// Overrides that are tried together, or another ISA.
struct SpecChange {
  std::vector<isa::Override> overrides;
  std::string isa;   ///< empty: the same
  std::string text;  ///< "parameters.inp_bytes=65536 (now 32768)"
};

struct PartitionOptions {
  std::string network;  ///< one of zoo::Names(), or the name of `model`
  std::shared_ptr<const import::Model> model;
  uint64_t seed = 1;
  int activation_bits = 0;  ///< QuantizeFor's
  int virtual_threads = 2;
  /// The spec with that change; nothing if it is not legal.
  std::function<std::optional<isa::Spec>(const SpecChange&)> respecify;
  std::function<void(const std::string&)> progress;  ///< what is being done now
};

struct HostLayer {
  runtime::Layer layer;
  std::vector<std::string> lifted_by;  ///< texts of the changes under which the host does not do it
};

struct Partition {
  std::string network;
  int layers = 0;
  int64_t macs = 0,
          host_macs = 0;        ///< of convolutions, dense layers and products of activations in the graph
  std::vector<HostLayer> host;  ///< in order
  int tried = 0;                ///< changes that were legal
};

Partition ExplainPartition(const isa::Spec& spec, const PartitionOptions& options);

}  // namespace cosim::session
