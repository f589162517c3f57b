// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/session/session.h"

namespace cosim::session {
namespace {

graph::Graph GraphFor(const isa::Spec& spec, const PartitionOptions& options) {
  return options.model ? options.model->graph
                       : QuantizeFor(spec, options.network, options.seed, options.activation_bits).graph;
}

/// Whether the change leaves a network of the zoo quantized as it was.
bool KeepsGraph(const SpecChange& change) {
  return change.isa.empty() && std::ranges::none_of(change.overrides, [](const isa::Override& override) {
           return override.path == "parameters.wgt_bits" || override.path == "parameters.inp_bits";
         });
}

/// Parameters that bound what fits, one at a time; those that a blocked layout wants at a certain value; the
/// ISA with more operations.
std::vector<SpecChange> ChangesTo(const isa::Spec& spec) {
  std::vector<SpecChange> changes;
  const auto value = [&](const char* name) {
    const auto at = std::ranges::find(spec.parameters, name, &isa::Parameter::name);
    return at == spec.parameters.end() ? int64_t{-1} : at->value;
  };
  const auto set = [](const std::string& name, int64_t to) {
    return isa::Override{"parameters." + name, std::to_string(to)};
  };
  const auto add = [&](const std::string& name, int64_t to) {
    if (const int64_t now = value(name.c_str()); now >= 0 && now != to)
      changes.push_back({{set(name, to)}, "", fmt::format("parameters.{}={} (now {})", name, to, now)});
  };
  for (const isa::Parameter& parameter : spec.parameters) {
    if (parameter.name.ends_with("_bytes") || parameter.name == "par_depth")
      for (const int64_t factor : {2, 8}) add(parameter.name, parameter.value * factor);
    if (parameter.name == "iter_bits" || parameter.name == "dim_bits")
      add(parameter.name, parameter.value + 2);
  }
  add("batch", 1);
  add("inp_bits", 8);
  add("wgt_bits", 8);
  add("acc_bits", 32);
  const int64_t in = value("block_in"), out = value("block_out");
  if (in != out && out % in == 0) add("alu_lanes", in);
  if (in != out)
    for (const int64_t block : {in, out})
      changes.push_back({{set("block_in", block), set("block_out", block)},
                         "",
                         fmt::format("parameters.block_in={} and parameters.block_out={} (now {} and {})",
                                     block, block, in, out)});
  if (spec.isa != "cosim") changes.push_back({{}, "cosim", fmt::format("isa cosim (now {})", spec.isa)});
  return changes;
}

}  // namespace

Partition ExplainPartition(const isa::Spec& spec, const PartitionOptions& options) {
  const auto say = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  say("compiling " + options.network);
  const network::CompileOptions compile{.virtual_threads = options.virtual_threads,
                                        .channels_last = !options.model,
                                        .timing_only = true,
                                        .after_pass = {}};
  const graph::Graph graph = GraphFor(spec, options);
  const runtime::Network network = CompileFor(spec, graph, compile);
  Partition partition{.network = options.network, .layers = static_cast<int>(network.layers.size())};
  for (const runtime::Layer& layer : network.layers) {
    partition.macs += layer.macs;
    if (layer.on_accelerator) continue;
    partition.host_macs += layer.macs;
    partition.host.push_back({layer, {}});
  }
  if (partition.host.empty() || !options.respecify) return partition;
  for (const SpecChange& change : ChangesTo(spec)) {
    say("trying " + change.text);
    const auto changed = options.respecify(change);
    if (!changed) continue;
    ++partition.tried;
    std::set<std::string> still;
    const runtime::Network other =
        CompileFor(*changed, KeepsGraph(change) ? graph : GraphFor(*changed, options), compile);
    for (const runtime::Layer& layer : other.layers)
      if (!layer.on_accelerator) still.insert(layer.name);
    for (HostLayer& layer : partition.host)
      if (!still.count(layer.layer.name)) layer.lifted_by.push_back(change.text);
  }
  return partition;
}

}  // namespace cosim::session
