// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/flat_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "isa/check.h"

namespace cosim::synth {

FlatDesign::FlatDesign(const Netlist& netlist) : netlist_(netlist) {
  Open(netlist.modules.find(netlist.top)->second, -1, "");
}

int FlatDesign::Find(int net) const {
  while (net_[net] != net) net = net_[net] = net_[net_[net]];
  return net;
}

void FlatDesign::Join(int a, int b) { net_[Find(a)] = Find(b); }

void FlatDesign::AddCell(const Cell& cell, const Module& library, int instance) {
  FlatCell& flat = cells_.emplace_back();
  flat.cell = &cell;
  flat.instance = instance;
  for (size_t p = 0; p < cell.pins.size(); ++p) {
    if (cell.pins[p].net == kConstant) continue;
    const bool drives = std::ranges::count(library.outputs, cell.pins[p].port, &Pin::port) > 0;
    (drives ? flat.outputs : flat.inputs).push_back(static_cast<int>(p));
  }
}

int FlatDesign::Open(const Module& module, int parent, std::string name) {
  const int instance = static_cast<int>(instances_.size());
  const int first_net = nets();
  instances_.push_back({parent, std::move(name), &module, first_net});
  for (size_t n = 0; n < module.nets.size(); ++n) net_.push_back(first_net + static_cast<int>(n));
  for (const auto& [a, b] : module.joined) Join(first_net + a, first_net + b);
  for (const Cell& cell : module.cells) {
    const auto type = netlist_.modules.find(cell.type);
    COSIM_CHECK(type != netlist_.modules.end(), "the netlist has no module '{}'", cell.type);
    if (type->second.is_library) {
      AddCell(cell, type->second, instance);
      continue;
    }
    const int child = Open(type->second, instance, cell.name);
    std::unordered_map<std::string_view, int> ports;
    for (const std::vector<Pin>* side : {&type->second.inputs, &type->second.outputs})
      for (const Pin& port : *side) ports.emplace(port.port, port.net);
    for (const Pin& pin : cell.pins) {
      const auto port = ports.find(pin.port);
      COSIM_CHECK(port != ports.end(), "'{}' has no port '{}'", cell.type, pin.port);
      if (pin.net != kConstant) Join(first_net + pin.net, instances_[child].first_net + port->second);
    }
  }
  return instance;
}

int FlatDesign::NetOf(const FlatCell& cell, int pin) const {
  const int net = cell.cell->pins[pin].net;
  return net == kConstant ? kConstant : Find(instances_[cell.instance].first_net + net);
}

std::string FlatDesign::NameOf(const FlatCell& cell) const {
  const Module& module = *instances_[cell.instance].module;
  std::string name =
      cell.outputs.empty() ? cell.cell->type : module.nets[cell.cell->pins[cell.outputs[0]].net];
  for (int i = cell.instance; instances_[i].parent >= 0; i = instances_[i].parent)
    name = fmt::format("{}.{}", instances_[i].name, name);
  return name;
}

}  // namespace cosim::synth
