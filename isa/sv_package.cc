// SPDX-License-Identifier: Apache-2.0
// Prints the constants of a Spec as a SystemVerilog package.
#include "isa/sv_package.h"

#include <fmt/format.h>

#include <iterator>

namespace cosim::isa {
namespace {

class Package {
 public:
  explicit Package(std::string banner) : text_(std::move(banner)) {
    text_ +=
        "// verilator lint_off UNUSEDPARAM\n// Reason: lists all that the spec knows, whoever needs it.\n"
        "package cosim_pkg;\n";
  }
  void Section(std::string_view title) { fmt::format_to(std::back_inserter(text_), "\n  // {}\n", title); }
  void Constant(std::string_view name, int64_t value) {
    fmt::format_to(std::back_inserter(text_), "  parameter int unsigned {} = 32'd{};\n", name, value);
  }
  std::string Finish() { return text_ + "\nendpackage\n// verilator lint_on UNUSEDPARAM\n"; }

 private:
  std::string text_;
};

void PrintMemories(const Spec& spec, Package& package) {
  for (const Memory& memory : spec.memories) {
    const std::string name = "Mem" + SvConstantName(memory.name);
    package.Section(memory.doc);
    package.Constant(name + "Depth", memory.depth);
    package.Constant(name + "AddrBits", SvAddressBits(memory.depth));
    package.Constant(name + "Banks", memory.banks);
    package.Constant(name + "Bits", memory.element_bits);
    package.Constant(name + "StoredBytes", memory.stored_bytes);
    package.Constant(name + "LaneBits", memory.record_bits);
    for (const Field& field : memory.fields) {
      if (field.name.empty()) continue;
      package.Constant(name + SvConstantName(field.name) + "Offset", field.offset);
      package.Constant(name + SvConstantName(field.name) + "Bits", field.type.width);
    }
  }
}

void PrintUnits(const Spec& spec, const SvPlan& plan, Package& package) {
  for (const SvUnit& planned : plan.units) {
    const Unit& unit = spec.units[planned.unit];
    package.Section(unit.doc);
    package.Constant(planned.constant + "Commands", unit.commands);
    package.Constant(planned.constant + "CommandBits", planned.command_bits);
    package.Constant(planned.constant + "Latency", unit.latency);
    package.Constant(planned.constant + "Overlap", unit.overlap ? 1 : 0);
    if (unit.lanes > 0) package.Constant(planned.constant + "Lanes", unit.lanes);
    if (unit.buffer_beats > 0) package.Constant(planned.constant + "BufferBeats", unit.buffer_beats);
  }
}

void PrintFormats(const Spec& spec, Package& package) {
  for (const InstructionFormat& format : spec.formats) {
    const std::string name = "Op" + SvConstantName(format.name);
    package.Section(format.doc);
    package.Constant(name + "Opcode", format.opcode);
    for (const Field& field : format.fields) {
      package.Constant(name + SvConstantName(field.name) + "Offset", field.offset);
      package.Constant(name + SvConstantName(field.name) + "Bits", field.type.width);
    }
  }
}

}  // namespace

std::string SvBanner(const Spec& spec, std::string_view what) {
  return fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n// {} Generated from isa '{}' and configuration '{}'.\n", what,
      spec.isa, spec.config);
}

std::string SvPackage(const Spec& spec, const SvPlan& plan) {
  Package package(SvBanner(spec, "The constants of one accelerator."));
  package.Section("Words, memory port and fetch.");
  package.Constant("WordBits", spec.word_bits);
  package.Constant("OpcodeBits", spec.opcode_bits);
  package.Constant("FetchWords", spec.fetch_words);
  package.Constant("PortBits", spec.dram.port_bits);
  package.Constant("BurstBeats", spec.dram.burst_beats);
  package.Constant("Outstanding", spec.dram.outstanding);
  package.Constant("Units", static_cast<int64_t>(spec.units.size()));
  package.Constant("Queues", static_cast<int64_t>(spec.queues.size()));
  package.Constant("SharedBanks", plan.bank_bits);
  PrintMemories(spec, package);
  PrintUnits(spec, plan, package);
  package.Section("Capacities of the dependency queues.");
  for (const Queue& queue : spec.queues)
    package.Constant("Queue" + SvConstantName(queue.name) + "Capacity", queue.capacity);
  PrintFormats(spec, package);
  return package.Finish();
}

}  // namespace cosim::isa
