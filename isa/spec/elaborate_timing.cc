// SPDX-License-Identifier: Apache-2.0
// Numbers of the units, and what follows from them for each ALU op.
#include <algorithm>
#include <map>
#include <utility>

#include "isa/spec/elaborate.h"
#include "isa/spec/param_expr.h"

namespace cosim::isa {
namespace {

constexpr int64_t kMaxCommands = 65536;
constexpr int64_t kMaxLatency = 10000;
constexpr int64_t kMaxUnitLanes = 65536;
constexpr int64_t kMaxBufferBeats = int64_t{1} << 20;

void ReadUnit(Elaboration& e, size_t index) {
  const YamlEntry& entry = *e.units[index];
  Unit& unit = e.spec.units[index];
  const std::string what = fmt::format("unit '{}'", unit.name);
  const MapReader reader(entry.value, entry.key, what, e.diags,
                         {"doc", "where", "commands", "overlap", "latency", "lanes", "buffer_beats", "port"});
  if (!reader.is_map()) return;
  const auto number = [&](std::string_view key, int64_t max, int64_t min = 1) {
    const YamlNode* node = reader.Require(key);
    if (!node) return 0;
    return static_cast<int>(
        EvaluateParamIn(*node, fmt::format("'{}' of {}", key, what), min, max, e.definitions, e.diags)
            .value_or(0));
  };
  unit.doc = reader.OptionalString("doc", "");
  unit.commands = number("commands", kMaxCommands);
  unit.overlap = reader.Bool("overlap").value_or(false);
  unit.latency = number("latency", kMaxLatency);
  if (reader.Find("lanes")) unit.lanes = number("lanes", kMaxUnitLanes);
  if (reader.Find("buffer_beats")) unit.buffer_beats = number("buffer_beats", kMaxBufferBeats);
  if (reader.Find("port")) unit.port = number("port", kMaxPorts - 1, 0);
  e.spec.ports = std::max(e.spec.ports, unit.port + 1);
}

// Lanes that are worked on together read one element of each operand.
void CheckGroups(AluOp& op, const Spec& spec, const Unit& unit) {
  const int64_t lanes = spec.memories[op.result.memory].LaneCount();
  const int64_t together = std::min<int64_t>(unit.lanes, lanes);
  for (const Operand& operand : op.operands) {
    const Memory& memory = spec.memories[operand.memory];
    if (!op.available || operand.parts == 1 || memory.lanes.back() % together == 0) continue;
    op.available = false;
    op.unavailable = fmt::format("unit '{}' works on {} lanes at a time, which do not divide the {} of '{}'",
                                 unit.name, together, memory.lanes.back(), memory.name);
  }
}

void SetTiming(AluOp& op, const Spec& spec) {
  const Unit& unit = spec.units[spec.formats[op.format].unit];
  if (unit.lanes == 0) return;  // CheckStructure reports it
  CheckGroups(op, spec, unit);
  std::map<int, int> reads;
  int most = 1;
  for (const Operand& operand : op.operands) most = std::max(most, ++reads[operand.memory]);
  const int64_t lanes = spec.memories[op.result.memory].LaneCount();
  op.initiation_interval = static_cast<int>(most * ((lanes + unit.lanes - 1) / unit.lanes));
  op.min_distance = (unit.latency + op.initiation_interval - 1) / op.initiation_interval;
}

}  // namespace

void ElaborateTiming(Elaboration& e) {
  int stages = 0;
  for (const AluOp& op : e.spec.alu_ops) stages = std::max(stages, op.program.stages);
  e.definitions.SetAluStages(stages);
  for (size_t i = 0; i < e.units.size(); ++i) ReadUnit(e, i);
  for (AluOp& op : e.spec.alu_ops) SetTiming(op, e.spec);
  for (const InstructionFormat& format : e.spec.formats) {
    Unit& unit = e.spec.units[format.unit];
    unit.reads_dram |= format.kind == Kind::kLoad;
    unit.writes_dram |= format.kind == Kind::kStore;
  }
}

}  // namespace cosim::isa
