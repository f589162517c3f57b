// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "isa/program/decode.h"

namespace cosim::session {
namespace {

constexpr size_t kNamed = 3;  // layers that a message names

// Which parts of the ISA instructions of the programs name.
struct Used {
  std::set<int> units, queues, memories, intrinsics, alu_ops;
  bool anything = false;
};

void AddOperand(Used& used, const isa::Spec& spec, const isa::Operand& operand) {
  if (operand.memory < 0) return;
  used.memories.insert(operand.memory);
  if (spec.memories[operand.memory].mirrors >= 0) used.memories.insert(spec.memories[operand.memory].mirrors);
}

void AddInstruction(Used& used, const isa::Spec& spec, const isa::Decoded& decoded) {
  const isa::InstructionFormat& format = spec.formats[decoded.format];
  used.anything = true;
  used.units.insert(decoded.unit);
  for (int q = 0; q < static_cast<int>(spec.queues.size()); ++q)
    if ((decoded.pops | decoded.pushes) >> q & 1) used.queues.insert(q);
  if (const auto* transfer = std::get_if<isa::Transfer>(&decoded.body))
    used.memories.insert(transfer->memory);
  if (format.micro_ops >= 0) used.memories.insert(format.micro_ops);
  if (format.intrinsic) {
    used.intrinsics.insert(decoded.format);
    AddOperand(used, spec, format.intrinsic->dst);
    for (const isa::Operand& source : format.intrinsic->sources) AddOperand(used, spec, source);
  }
  const auto* alu = std::get_if<isa::Alu>(&decoded.body);
  if (!alu || alu->op < 0) return;
  used.alu_ops.insert(alu->op);
  AddOperand(used, spec, spec.alu_ops[alu->op].result);
  for (const isa::Operand& operand : spec.alu_ops[alu->op].operands) AddOperand(used, spec, operand);
}

Used UsedBy(const isa::Spec& spec, const runtime::Network& network) {
  Used used;
  const isa::Decoder decode(spec);
  for (const auto& step : network.steps)
    if (const auto* program = std::get_if<runtime::AcceleratorStep>(&step))
      for (const isa::Instruction& instruction : program->program.instructions)
        AddInstruction(used, spec, decode(instruction));
  return used;
}

std::vector<std::string> Unused(size_t count, const std::set<int>& used,
                                const std::function<std::string(int)>& name) {
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(count); ++i)
    if (!used.count(i) && !name(i).empty()) names.push_back(name(i));
  return names;
}

void WarnOfUnused(const isa::Spec& spec, const Used& used, std::vector<Warning>& warnings) {
  const auto warn = [&](const std::string& one, const std::string& many,
                        const std::vector<std::string>& names) {
    if (names.empty()) return;
    warnings.push_back({"unused", fmt::format("the program never uses {} {}", names.size() == 1 ? one : many,
                                              fmt::join(names, ", "))});
  };
  warn("the unit", "the units",
       Unused(spec.units.size(), used.units, [&](int i) { return spec.units[i].name; }));
  warn("the queue", "the queues",
       Unused(spec.queues.size(), used.queues, [&](int i) { return spec.queues[i].name; }));
  warn("the memory", "the memories",
       Unused(spec.memories.size(), used.memories, [&](int i) { return spec.memories[i].name; }));
  warn("the intrinsic of", "the intrinsics of", Unused(spec.formats.size(), used.intrinsics, [&](int i) {
         return spec.formats[i].intrinsic ? spec.formats[i].name : "";
       }));
  warn("the ALU op", "the ALU ops", Unused(spec.alu_ops.size(), used.alu_ops, [&](int i) {
         return spec.alu_ops[i].available ? spec.alu_ops[i].name : "";
       }));
}

std::string Layers(const std::vector<const runtime::Layer*>& layers) {
  std::string text;
  for (size_t i = 0; i < std::min(layers.size(), kNamed); ++i) text += (i ? ", " : "") + layers[i]->name;
  return layers.size() > kNamed ? fmt::format("{} and {} more", text, layers.size() - kNamed) : text;
}

std::vector<const runtime::Layer*> OnHost(const runtime::Network& network, bool with_macs_only) {
  std::vector<const runtime::Layer*> layers;
  for (const runtime::Layer& layer : network.layers)
    if (!layer.on_accelerator && (layer.macs > 0 || !with_macs_only)) layers.push_back(&layer);
  return layers;
}

}  // namespace

MacsByPlace CountMacs(const runtime::Network& network) {
  MacsByPlace macs;
  for (const runtime::Layer& layer : network.layers)
    (layer.on_accelerator ? macs.accelerator : macs.host) += layer.macs;
  return macs;
}

std::vector<Warning> WarningsOf(const isa::Spec& spec, const runtime::Network& network) {
  std::vector<Warning> warnings;
  const MacsByPlace macs = CountMacs(network);
  if (const auto layers = OnHost(network, true); macs.host > 0)
    warnings.push_back(
        {"host_macs",
         fmt::format("{:.1f} % of the MACs run on the host, in {} {}: {}",
                     100 * static_cast<double>(macs.host) / static_cast<double>(macs.host + macs.accelerator),
                     layers.size(), layers.size() == 1 ? "layer" : "layers", Layers(layers))});
  const Used used = UsedBy(spec, network);
  if (!used.anything) {
    const auto layers = OnHost(network, false);
    warnings.push_back({"nothing_on_accelerator",
                        layers.empty() ? "nothing runs on the accelerator: the network computes nothing"
                                       : fmt::format("nothing runs on the accelerator; of {}: {}",
                                                     layers.front()->name, layers.front()->reason)});
  } else {
    WarnOfUnused(spec, used, warnings);
  }
  if (const size_t count = network.carried.size(); count > 0)
    warnings.push_back(
        {"state", fmt::format("{} {} kept from one frame to the next (--frames=N); in the first "
                              "they have their initial values",
                              count, count == 1 ? "value is" : "values are")});
  return warnings;
}

std::string Violation(Require require, const runtime::Network& network) {
  if (require == Require::kNothing) return "";
  const auto layers = OnHost(network, require == Require::kMacs);
  if (layers.empty()) return "";
  if (require == Require::kMacs)
    return fmt::format("{} MACs run on the host: {}", CountMacs(network).host, Layers(layers));
  return fmt::format("{} steps run on the host: {}", layers.size(), Layers(layers));
}

}  // namespace cosim::session
