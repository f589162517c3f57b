// SPDX-License-Identifier: Apache-2.0
#include "cli/spec_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace cosim::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A number without a fraction is shown without one.
Json PlainNumber(double value) {
  return value == std::floor(value) ? Json(static_cast<int64_t>(value)) : Json(value);
}

Json MemoryNumbers(const isa::MemorySystem& dram) {
  return {{"port_bits", dram.port_bits},
          {"burst_beats", dram.burst_beats},
          {"latency", dram.latency},
          {"write_latency", dram.write_latency},
          {"outstanding", dram.outstanding},
          {"jitter", dram.jitter},
          {"seed", dram.seed},
          {"dram_bytes", PlainNumber(dram.dram_bytes)}};
}

Json MemoriesJson(const isa::Spec& spec) {
  Json json = Json::object();
  for (const isa::Memory& memory : spec.memories)
    json[memory.name] = {
        {"depth", memory.depth}, {"banks", memory.banks}, {"element_bits", memory.element_bits}};
  return json;
}

Json UnitsJson(const isa::Spec& spec) {
  Json json = Json::object();
  for (const isa::Unit& unit : spec.units)
    json[unit.name] = {{"commands", unit.commands},
                       {"overlap", unit.overlap},
                       {"latency", unit.latency},
                       {"lanes", unit.lanes},
                       {"port", unit.port}};
  return json;
}

template <typename List>
Json NamesJson(const List& list) {
  Json json = Json::array();
  for (const auto& each : list) json.push_back(each.name);
  return json;
}

}  // namespace

Json ConfigurationJson(const isa::Spec& spec) {
  Json json = {{"board", spec.board},
               {"clock_mhz", spec.clock_mhz},
               {"macs_per_cycle", spec.MacsPerCycle()},
               {"parameters", Json::object()}};
  for (const isa::Parameter& parameter : spec.parameters)
    json["parameters"][parameter.name] = parameter.value;
  json["memory"] = MemoryNumbers(spec.dram);
  json["hardware"] = {{"macs_per_dsp", spec.hardware.macs_per_dsp},
                      {"lut_inputs", spec.hardware.lut_inputs},
                      {"wide_product_dsps", spec.hardware.wide_product_dsps}};
  json["memories"] = MemoriesJson(spec);
  json["units"] = UnitsJson(spec);
  json["queues"] = Json::object();
  for (const isa::Queue& queue : spec.queues) json["queues"][queue.name] = queue.capacity;
  json["instructions"] = NamesJson(spec.formats);
  json["alu_ops"] = NamesJson(spec.alu_ops);
  return json;
}

}  // namespace cosim::cli
