// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/place_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>

#include "isa/check.h"
#include "isa/sv/plan.h"

namespace cosim::synth {
namespace {

/// "load" for the loads of unit load, "compute_load" for those of unit compute.
std::string Piece(const isa::Unit& unit, std::string_view kind) {
  return unit.name == kind ? unit.name : fmt::format("{}_{}", unit.name, kind);
}

/// What issue loads: registers of the engine itself, its loops, its splitter into bursts. `rest` is a name in
/// it.
bool IsFront(std::string_view rest) {
  return rest.find('.') == std::string_view::npos || rest.starts_with("i_nest.") ||
         rest.starts_with("i_splitter.");
}

/// The unit whose name stands before the last "_" of "load_commands"; nullptr: none.
const isa::Unit* UnitOf(std::string_view instance, const isa::Spec& spec) {
  const auto unit = std::ranges::find(spec.units, instance.substr(0, instance.rfind('_')), &isa::Unit::name);
  return unit == spec.units.end() ? nullptr : &*unit;
}

std::string BlockOfUnit(const isa::Unit& unit, std::string_view part, std::string_view rest) {
  if (part == "commands" || part == "decode") return unit.name + "_front";
  if (part == "lanes") return Piece(unit, "alu") + (rest.starts_with("gen_lane[") ? "_lane" : "_engine");
  if (part == "gemm" && rest.find("i_array.") != std::string_view::npos) return Piece(unit, part) + "_slice";
  constexpr std::array kEngines = {"load", "store", "gemm", "alu"};
  if (std::ranges::find(kEngines, part) == kEngines.end()) return "";
  return IsFront(rest) ? unit.name + "_front" : Piece(unit, part) + "_engine";
}

/// `name` is one inside the core: "i_load_load.flying_q".
std::string BlockInCore(std::string_view name, const isa::Spec& spec) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || !name.starts_with("i_")) return "";
  const std::string_view instance = name.substr(2, dot - 2), rest = name.substr(dot + 1);
  if (instance == "fetch" || instance == "completion") return "fetch";
  if (instance == "locks") return "locks";
  for (const char* port : {"read_port", "write_port"})
    if (instance.starts_with(port)) return port;
  if (instance.starts_with("mem_")) {
    const int memory = spec.MemoryIndex(instance.substr(4));
    return memory < 0 ? "" : "memory_" + spec.memories[memory].name;
  }
  for (const isa::Queue& queue : spec.queues)
    if (instance == "queue_" + queue.name) return spec.units[queue.to].name + "_front";
  const isa::Unit* unit = UnitOf(instance, spec);
  return unit ? BlockOfUnit(*unit, instance.substr(unit->name.size() + 1), rest) : "";
}

}  // namespace

std::string PlaceBlockOf(std::string_view object, const isa::Spec& spec) {
  constexpr std::string_view kCore = "i_accelerator.";
  if (object.starts_with(kCore)) return BlockInCore(object.substr(kCore.size()), spec);
  for (const char* read : {"m_axi_ar", "m_axi_r"})
    if (object.starts_with(read)) return "read_port";
  if (object.starts_with("m_axi_")) return "write_port";
  for (const char* part : {"i_registers.", "i_run_control.", "i_watch.", "i_ledger.", "i_cycles.",
                           "i_read_bytes.", "i_write_bytes.", "i_gemm_steps.", "i_alu_steps.", "s_axi_"})
    if (object.starts_with(part)) return "registers";
  return object == "interrupt" ? "registers" : "";
}

std::vector<std::string> PlaceBlocks(const isa::Spec& spec) {
  std::vector<std::string> names;
  const isa::SvPlan plan(spec);
  for (const isa::SvUnit& planned : plan.units) {
    const isa::Unit& unit = spec.units[planned.unit];
    names.push_back(unit.name + "_front");
    if (planned.loads) names.push_back(Piece(unit, "load") + "_engine");
    if (planned.gemms)
      for (const char* part : {"_engine", "_slice"}) names.push_back(Piece(unit, "gemm") + part);
    if (planned.alus)
      for (const char* part : {"_engine", "_lane"}) names.push_back(Piece(unit, "alu") + part);
    if (planned.stores) names.push_back(Piece(unit, "store") + "_engine");
  }
  for (const char* name : {"fetch", "locks", "registers", "read_port", "write_port"}) names.push_back(name);
  for (size_t m = 0; m < spec.memories.size(); ++m)
    if (!isa::SvIsTable(plan, static_cast<int>(m))) names.push_back("memory_" + spec.memories[m].name);
  return names;
}

PlacePartition PartitionObjects(const std::vector<std::string>& objects, const isa::Spec& spec) {
  static const std::regex lane(R"(\bgen_(lane|out|batch|set)\[(\d+)\])");
  PlacePartition partition;
  std::map<std::string, size_t> index;
  for (const std::string& name : PlaceBlocks(spec)) {
    index.emplace(name, partition.blocks.size());
    partition.blocks.push_back({name, {}});
  }
  // Names come in any order: of equal ones the lowest lane stands for all.
  std::map<std::string, std::pair<std::vector<int>, std::string>> lowest;
  for (const std::string& object : objects) {
    std::vector<int> lanes;
    for (std::sregex_iterator it(object.begin(), object.end(), lane), end; it != end; ++it)
      lanes.push_back(std::stoi((*it)[2]));
    const std::string kind = std::regex_replace(object, lane, "gen_$1[]");
    const auto [entry, is_new] = lowest.try_emplace(kind, lanes, object);
    if (is_new) continue;
    ++partition.alike;
    if (lanes < entry->second.first) entry->second = {lanes, object};
  }
  for (const auto& [kind, object] : lowest) {
    const std::string name = PlaceBlockOf(object.second, spec);
    if (name.empty()) {
      partition.uncovered.push_back(object.second);
    } else {
      const auto block = index.find(name);
      COSIM_CHECK(block != index.end(), "'{}' is of block '{}', which is not in the list", object.second,
                  name);
      partition.blocks[block->second].objects.push_back(object.second);
    }
  }
  return partition;
}

}  // namespace cosim::synth
