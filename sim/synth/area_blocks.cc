// SPDX-License-Identifier: Apache-2.0
// Units and what stands between them. Memories are area_memory.cc's, what multiplies and adds
// area_compute.cc's.
#include "sim/synth/area_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "isa/sv/plan.h"
#include "sim/synth/area_parts.h"

namespace cosim::synth {
namespace {

using isa::Kind;

/// The widest of these fields among the unit's instructions of a kind, at least 1.
int Widest(const isa::Spec& spec, const isa::SvUnit& unit, Kind kind,
           std::initializer_list<const char*> fields) {
  int widest = 1;
  for (const char* field : fields) widest = std::max(widest, unit.FieldBits(spec, kind, field));
  return widest;
}

/// hw/rtl/fifo.sv's memory.
double FifoLuts(int64_t bits, int64_t depth) { return depth < 1 ? 0 : LutRamLuts(bits, depth); }

AreaBlock Command(const isa::Spec& spec, const isa::SvPlan& plan, const isa::SvUnit& unit) {
  double roles = 0, choices = 0;
  for (const isa::SvRole& role : isa::SvRoles(spec, unit)) {
    roles += role.bits;
    std::set<int> places;  // from where the decoder may have to take it
    int takers = 0;
    for (const int f : unit.formats) {
      const isa::InstructionFormat& format = spec.formats[f];
      if (format.kind != role.kind) continue;
      const int field = format.FieldIndex(role.field);
      places.insert(field < 0 ? -1 : format.fields[field].offset);
      takers += field >= 0;
    }
    if (places.size() > 1) choices += 1.0 * role.bits * takers;
  }
  const int depth = spec.units[unit.unit].commands - 1;
  return {unit.name,
          "command",
          {{"one", 1},
           {"word_bits", unit.command_bits},
           {"queue_luts", FifoLuts(unit.command_bits, depth)},
           {"role_bits", roles},
           {"choice_bits", choices},
           {"tokens", double(unit.pops.size() + unit.pushes.size())},
           {"lock_bits", plan.bank_bits},
           {"depth_bits", CountBits(depth)}}};
}

AreaBlock Load(const isa::Spec& spec, const isa::SvUnit& unit) {
  const int port = spec.dram.port_bits;
  int64_t data = 0;
  int address = 1;
  double pads = 0, terms = 0;
  for (const int m : unit.memories) {
    const isa::Memory& memory = spec.memories[m];
    for (const int f : unit.formats)
      if (spec.formats[f].memory == m && isa::SvPads(spec.formats[f])) {
        pads += static_cast<double>(memory.element_bits);
        break;
      }
    data = std::max(data, (memory.stored_bytes * 8 + port - 1) / port * port);
    address = std::max(address, isa::SvAddressBits(memory.depth));
    terms += std::popcount(static_cast<uint64_t>(memory.stored_bytes)) - 1;
  }
  const int dim = Widest(spec, unit, Kind::kLoad, {"rows", "cols", "stride"});
  const int pad = Widest(spec, unit, Kind::kLoad, {"pad_top", "pad_bottom", "pad_left", "pad_right"});
  const int value = Widest(spec, unit, Kind::kLoad, {"pad_value"});
  const int pieces = static_cast<int>(unit.piece_bytes), shift = std::countr_zero(unsigned(port / 8));
  const isa::Unit& described = spec.units[unit.unit];
  const int bits = static_cast<int>(unit.memories.size()) + 1 + address + 2 * shift + 4 + 2 * pad +
                   4 * (std::max(dim, pad) + 2) + value + unit.tag_bits +
                   (pieces > 0 ? 4 * isa::SvAddressBits(pieces + 1) + 2 * shift : 0);
  const int depth = described.commands - 1;
  const RamMapping buffer = MapRam(port, described.buffer_beats, port);
  return {unit.name,
          "load",
          {{"one", 1},
           {"data_bits", double(data)},
           {"pad_bits", pads},
           {"port_bits", port},
           {"gathers", pieces > 0 ? 1.0 : 0},
           {"piece_bytes", pieces},
           {"piece_port_bits", pieces > 0 ? port * 1.0 * shift : 0},
           {"address_bits", address},
           {"dim_bits", dim},
           {"memories", double(unit.memories.size())},
           {"terms", terms},
           {"waiting_bits", bits},
           {"queue_luts", FifoLuts(bits, depth)},
           {"buffer_luts", double(buffer.lut)},
           {"buffer_registers", double(port + buffer.registers)},
           {"depth_bits", CountBits(depth) + CountBits(described.buffer_beats)}}};
}

AreaBlock Store(const isa::Spec& spec, const isa::SvUnit& unit) {
  const isa::Memory& memory = spec.memories[unit.stored];
  const int port = spec.dram.port_bits, shift = std::countr_zero(unsigned(port / 8));
  const int dim = Widest(spec, unit, Kind::kStore, {"rows", "cols", "stride"});
  const int address = isa::SvAddressBits(memory.depth), depth = spec.units[unit.unit].commands;
  const int part = std::min<int>(port, static_cast<int>(memory.stored_bytes * 8));
  return {
      unit.name,
      "store",
      {{"one", 1},
       {"element_bits", double(memory.element_bits)},
       {"choice_bits", double(memory.stored_bytes * 8 - part)},
       {"port_bits", port},
       {"merged_bits", part < port ? double(port) : 0},
       {"address_bits", address},
       {"dim_bits", dim},
       {"queue_luts", FifoLuts(address + 2 * shift + 2 * dim, depth) + FifoLuts(unit.tag_bits + 1, depth)},
       {"port_luts", FifoLuts(1 + port / 8 + port, 8)},
       {"depth_bits", CountBits(depth)},
       {"credit_bits", CountBits(spec.dram.outstanding * spec.dram.burst_beats)}}};
}

AreaBlock Queues(const isa::Spec& spec) {
  double bits = 0;
  for (const isa::Queue& queue : spec.queues) bits += CountBits(queue.capacity);
  return {"queues", "queues", {{"queues", double(spec.queues.size())}, {"count_bits", bits}}};
}

AreaBlock Locks(const isa::Spec& spec, const isa::SvPlan& plan) {
  int in_flight = 1;
  for (const isa::Unit& unit : spec.units) in_flight = std::max({in_flight, unit.commands, unit.latency + 2});
  const double units = double(spec.units.size()), banks = units * plan.bank_bits;
  return {"locks",
          "locks",
          {{"banks", banks}, {"bank_counts", banks * CountBits(in_flight)}, {"rivals", banks * (units - 1)}}};
}

AreaBlock Fetch(const isa::Spec& spec) {
  const int word = spec.word_bits, port = spec.dram.port_bits;
  return {"fetch",
          "fetch",
          {{"one", 1},
           {"word_bits", word},
           {"part_bits", double(std::max(0, word - port))},
           {"buffer_luts", FifoLuts(std::max(word, port), spec.fetch_words)},
           {"depth_bits", CountBits(spec.fetch_words)}}};
}

AreaBlock Ledger(const isa::Spec& spec) {
  const int columns = std::max<int>(8, std::bit_ceil(unsigned(5 + spec.queues.size())));
  const double units = double(spec.units.size());
  return {"ledger",
          "ledger",
          {{"units", units},
           {"columns", units * columns},
           {"long_rows", columns > 8 ? units : 0},
           {"queues", double(spec.queues.size())}}};
}

AreaBlock Port(const isa::Spec& spec, const isa::SvPlan& plan, int port) {
  const double readers = plan.readers[port].count;
  return {"port",
          "port",
          {{"one", 1},
           {"readers", readers},
           {"credit_bits", CountBits(spec.dram.outstanding)},
           {"burst_bits", CountBits(spec.dram.burst_beats)}}};
}

AreaBlock Control(const isa::Spec& spec) {
  return {"control",
          "control",
          {{"one", 1},
           {"units", double(spec.units.size())},
           {"queues", double(spec.queues.size())},
           {"ports", double(spec.ports)}}};
}

}  // namespace

int CountBits(int64_t most) { return std::max(1, static_cast<int>(std::bit_width(uint64_t(most)))); }

std::vector<AreaBlock> AreaBlocks(const isa::Spec& spec) {
  const isa::SvPlan plan(spec);
  std::vector<AreaBlock> blocks;
  for (const isa::SvUnit& unit : plan.units) {
    blocks.push_back(Command(spec, plan, unit));
    if (unit.loads) blocks.push_back(Load(spec, unit));
    if (unit.gemms) AddGemmBlocks(spec, unit, blocks);
    if (unit.alus) AddAluBlocks(spec, unit, blocks);
    if (unit.stores) blocks.push_back(Store(spec, unit));
  }
  AddMemoryBlocks(spec, plan, blocks);
  if (!spec.queues.empty()) blocks.push_back(Queues(spec));
  blocks.push_back(Locks(spec, plan));
  blocks.push_back(Fetch(spec));
  blocks.push_back(Ledger(spec));
  for (int port = 0; port < spec.ports; ++port) blocks.push_back(Port(spec, plan, port));
  blocks.push_back(Control(spec));
  return blocks;
}

}  // namespace cosim::synth
