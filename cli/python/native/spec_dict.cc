// SPDX-License-Identifier: Apache-2.0
#include "cli/python/native/spec_dict.h"

#include <pybind11/stl.h>

#include <string>
#include <vector>

namespace cosim::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

template <typename Items, typename Make>
py::list ListOf(const Items& items, Make make) {
  py::list list;
  for (const auto& item : items) list.append(make(item));
  return list;
}

template <typename Part>
std::vector<std::string> NamesOf(const std::vector<Part>& parts, const std::vector<int>& indices) {
  std::vector<std::string> names;
  for (const int index : indices) names.push_back(parts[static_cast<size_t>(index)].name);
  return names;
}

/// None for -1.
template <typename Part>
py::object NameOf(const std::vector<Part>& parts, int index) {
  if (index < 0) return py::none();
  return py::str(parts[static_cast<size_t>(index)].name);
}

py::dict FieldDict(const isa::Field& field) {
  return py::dict("name"_a = field.name, "offset"_a = field.offset, "width"_a = field.type.width,
                  "signed"_a = field.type.is_signed, "doc"_a = field.doc);
}

py::dict MemoryDict(const isa::Spec& spec, const isa::Memory& memory) {
  return py::dict("name"_a = memory.name, "doc"_a = memory.doc, "depth"_a = memory.depth,
                  "banks"_a = memory.banks, "lanes"_a = memory.lanes,
                  "fields"_a = ListOf(memory.fields, FieldDict), "element_bits"_a = memory.element_bits,
                  "stored_bytes"_a = memory.stored_bytes, "mirrors"_a = NameOf(spec.memories, memory.mirrors),
                  "readers"_a = NamesOf(spec.units, memory.readers),
                  "writers"_a = NamesOf(spec.units, memory.writers));
}

py::dict UnitDict(const isa::Unit& unit) {
  return py::dict("name"_a = unit.name, "doc"_a = unit.doc, "commands"_a = unit.commands,
                  "overlap"_a = unit.overlap, "latency"_a = unit.latency, "lanes"_a = unit.lanes,
                  "buffer_beats"_a = unit.buffer_beats, "port"_a = unit.port);
}

py::dict InstructionDict(const isa::Spec& spec, const isa::InstructionFormat& format) {
  py::dict match;
  for (const auto& [field, value] : format.match)
    match[py::str(format.fields[static_cast<size_t>(field)].name)] = value;
  const auto queues = [&](const std::vector<std::pair<int, int>>& flags) {
    std::vector<int> indices;
    for (const auto& [queue, field] : flags) indices.push_back(queue);
    return NamesOf(spec.queues, indices);
  };
  return py::dict("name"_a = format.name, "doc"_a = format.doc, "kind"_a = std::string(KindName(format.kind)),
                  "unit"_a = spec.units[static_cast<size_t>(format.unit)].name, "opcode"_a = format.opcode,
                  "fields"_a = ListOf(format.fields, FieldDict), "match"_a = match,
                  "pops"_a = queues(format.pops), "pushes"_a = queues(format.pushes),
                  "memory"_a = NameOf(spec.memories, format.memory),
                  "micro_ops"_a = NameOf(spec.memories, format.micro_ops),
                  "computes"_a = format.intrinsic ? py::object(py::str(format.intrinsic->text)) : py::none());
}

py::dict OperandDict(const isa::Spec& spec, const isa::Operand& operand) {
  return py::dict("name"_a = operand.name,
                  "memory"_a = spec.memories[static_cast<size_t>(operand.memory)].name,
                  "index"_a = operand.index);
}

py::dict AluOpDict(const isa::Spec& spec, const isa::AluOp& op) {
  const auto operand = [&](const isa::Operand& each) { return OperandDict(spec, each); };
  return py::dict("name"_a = op.name, "doc"_a = op.doc, "code"_a = op.code,
                  "instruction"_a = spec.formats[static_cast<size_t>(op.format)].name,
                  "operands"_a = ListOf(op.operands, operand), "result"_a = operand(op.result),
                  "body"_a = op.body, "initiation_interval"_a = op.initiation_interval,
                  "available"_a = op.available, "unavailable"_a = op.unavailable);
}

py::dict DramDict(const isa::MemorySystem& dram) {
  return py::dict("port_bits"_a = dram.port_bits, "burst_beats"_a = dram.burst_beats,
                  "latency"_a = dram.latency, "write_latency"_a = dram.write_latency,
                  "outstanding"_a = dram.outstanding, "jitter"_a = dram.jitter, "seed"_a = dram.seed,
                  "dram_bytes"_a = dram.dram_bytes);
}

}  // namespace

py::dict SpecDict(const isa::Spec& spec) {
  const auto queue = [&](const isa::Queue& each) {
    return py::dict("name"_a = each.name, "source"_a = NameOf(spec.units, each.from),
                    "target"_a = NameOf(spec.units, each.to), "capacity"_a = each.capacity);
  };
  const auto parameter = [](const isa::Parameter& each) {
    return py::dict("name"_a = each.name, "doc"_a = each.doc, "value"_a = each.value);
  };
  return py::dict(
      "isa"_a = spec.isa, "config"_a = spec.config, "board"_a = spec.board, "doc"_a = spec.doc,
      "config_doc"_a = spec.config_doc, "clock_mhz"_a = spec.clock_mhz, "word_bits"_a = spec.word_bits,
      "ports"_a = spec.ports, "fingerprint"_a = spec.FingerprintText(),
      "macs_per_cycle"_a = spec.MacsPerCycle(), "parameters"_a = ListOf(spec.parameters, parameter),
      "memories"_a = ListOf(spec.memories, [&](const auto& each) { return MemoryDict(spec, each); }),
      "units"_a = ListOf(spec.units, UnitDict), "queues"_a = ListOf(spec.queues, queue),
      "instructions"_a = ListOf(spec.formats, [&](const auto& each) { return InstructionDict(spec, each); }),
      "alu_ops"_a = ListOf(spec.alu_ops, [&](const auto& each) { return AluOpDict(spec, each); }),
      "dram"_a = DramDict(spec.dram));
}

}  // namespace cosim::python
