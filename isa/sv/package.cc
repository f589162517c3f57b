// SPDX-License-Identifier: Apache-2.0
// Prints the constants of a Spec as a SystemVerilog package.
#include "isa/sv/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/spec/registers.h"
#include "isa/text_escape.h"

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
  /// `what` comes first: tools read comments that begin with their name as orders.
  void Section(std::string_view what, std::string_view doc) {
    fmt::format_to(std::back_inserter(text_), "\n  // {}: {}\n", what, CommentText(doc));
  }
  void Constant(std::string_view name, int64_t value) {
    fmt::format_to(std::back_inserter(text_), "  parameter int unsigned {} = 32'd{};\n", name, value);
  }
  void Vector(std::string_view name, int bits, const std::string& digits) {
    fmt::format_to(std::back_inserter(text_), "  parameter logic [{}:0] {} = {}'{};\n", bits - 1, name, bits,
                   digits);
  }
  std::string Finish() { return text_ + "\nendpackage\n// verilator lint_on UNUSEDPARAM\n"; }

 private:
  std::string text_;
};

void PrintMemories(const Spec& spec, Package& package) {
  for (const Memory& memory : spec.memories) {
    const std::string name = "Mem" + SvConstantName(memory.name);
    package.Section(memory.name, memory.doc);
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
    package.Section(unit.name, unit.doc);
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
    package.Section(format.name, format.doc);
    package.Constant(name + "Opcode", format.opcode);
    for (const Field& field : format.fields) {
      package.Constant(name + SvConstantName(field.name) + "Offset", field.offset);
      package.Constant(name + SvConstantName(field.name) + "Bits", field.type.width);
    }
  }
}

/// The map of isa/spec/registers.h: RegName for an offset, RegNameBit for a mask, RegErrorName for a code.
void PrintRegisters(const Spec& spec, Package& package) {
  package.Section("Registers: byte offsets, masks of their bits, error codes, and the shape of the ledger.");
#define COSIM_PRINT_OFFSET(name, offset, bits, access, doc) package.Constant("Reg" #name, offset);
  COSIM_REGISTERS(COSIM_PRINT_OFFSET)
#undef COSIM_PRINT_OFFSET
#define COSIM_PRINT_BIT(reg, name, bit, doc) package.Constant("Reg" #reg #name, int64_t{1} << (bit));
  COSIM_REGISTER_BITS(COSIM_PRINT_BIT)
#undef COSIM_PRINT_BIT
#define COSIM_PRINT_ERROR(name, code, doc) package.Constant("RegError" #name, code);
  COSIM_REGISTER_ERRORS(COSIM_PRINT_ERROR)
#undef COSIM_PRINT_ERROR
  package.Constant("RegVersionValue", registers::kVersionValue);
  package.Constant("RegWatchdogReset", registers::kWatchdogReset);
  package.Constant("RegCounterBits", registers::kCounterBits);
  package.Constant("RegLedgerStride", static_cast<int64_t>(registers::LedgerStride(spec)));
  package.Vector("Fingerprint", 64, "h" + spec.FingerprintText());
}

/// One bit for each pair of unit and queue: bit u * QueueBits + q says that unit u pops from queue q.
std::string PopsMask(const Spec& spec, size_t queue_bits) {
  std::string bits(spec.units.size() * queue_bits, '0');
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    const size_t bit = static_cast<size_t>(spec.queues[q].to) * queue_bits + q;
    bits[bits.size() - 1 - bit] = '1';
  }
  return "b" + bits;
}

}  // namespace

std::string SvBanner(const Spec& spec, std::string_view what) {
  return fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n// {} Generated from isa '{}' and configuration '{}'.\n", what,
      CommentText(spec.isa), CommentText(spec.config));
}

std::string SvPackage(const Spec& spec, const SvPlan& plan) {
  Package package(SvBanner(spec, "The constants of one accelerator."));
  package.Section("Words, memory ports and fetch.");
  package.Constant("WordBits", spec.word_bits);
  package.Constant("OpcodeBits", spec.opcode_bits);
  package.Constant("FetchWords", spec.fetch_words);
  package.Constant("Ports", spec.ports);
  package.Constant("PortBits", spec.dram.port_bits);
  package.Constant("BurstBeats", spec.dram.burst_beats);
  package.Constant("Outstanding", spec.dram.outstanding);
  package.Constant("Units", static_cast<int64_t>(spec.units.size()));
  package.Constant("Queues", static_cast<int64_t>(spec.queues.size()));
  const size_t queue_bits = std::max<size_t>(1, spec.queues.size());
  package.Constant("QueueBits", static_cast<int64_t>(queue_bits));
  package.Vector("QueuePops", static_cast<int>(spec.units.size() * queue_bits), PopsMask(spec, queue_bits));
  package.Constant("SharedBanks", plan.bank_bits);
  PrintRegisters(spec, package);
  PrintMemories(spec, package);
  PrintUnits(spec, plan, package);
  package.Section("Capacities of the dependency queues.");
  for (const Queue& queue : spec.queues)
    package.Constant("Queue" + SvConstantName(queue.name) + "Capacity", queue.capacity);
  PrintFormats(spec, package);
  return package.Finish();
}

}  // namespace cosim::isa
