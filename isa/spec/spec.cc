// SPDX-License-Identifier: Apache-2.0
// Look-ups in a Spec, and its fingerprint.
#include "isa/spec/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "isa/check.h"
#include "isa/spec/elaborate.h"

namespace cosim::isa {
namespace {

template <typename T>
int IndexOf(const std::vector<T>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &T::name);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

/// FNV-1a, 64 bits.
uint64_t Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Writes the canonical text, one thing a line. Its form is part of every fingerprint.
class Canonical {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void Fields(const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      Line(" field {} {} {} {}", field.name, field.type.width, field.type.is_signed, field.offset);
    }
  }
  void Operand(const isa::Operand& operand) {
    Line(" operand {} {} {}", operand.name, operand.memory, operand.index);
    for (int axis : operand.axes) Line("  axis {}", axis);
    if (operand.row_axis >= 0) Line("  row {} {}", operand.row_axis, operand.parts);
    if (operand.line_axis >= 0)
      Line("  lines {} {} {}", operand.line_axis, operand.lines, operand.pitch_field);
    if (operand.axes.size() == operand.lanes.size()) return;
    for (const auto& dimension : operand.lanes) {
      for (const LaneTerm& term : dimension) Line("  term {} {} {}", term.axis, term.scale, term.divisor);
      Line("  lane");
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void WriteMemory(const Memory& memory, Canonical& out) {
  out.Line("memory {} {} {} {} {}", memory.name, memory.depth, memory.banks, memory.stored_bytes,
           memory.mirrors);
  // Said only where there is something to say: specs that hold whole banks are the same as before there was a
  // choice.
  if (memory.locks_ports) out.Line(" locks ports");
  for (int extent : memory.lanes) out.Line(" lanes {}", extent);
  out.Fields(memory.fields);
}

void WriteFormat(const InstructionFormat& format, Canonical& out) {
  out.Line("format {} {} {} {} {}", format.name, KindName(format.kind), format.unit, format.memory,
           format.micro_ops);
  for (const auto& [field, value] : format.match) out.Line(" match {} {}", field, value);
  out.Fields(format.fields);
  if (!format.intrinsic) return;
  for (const Intrinsic::Axis& axis : format.intrinsic->axes)
    out.Line(" axis {} {}", axis.extent, axis.reduce);
  out.Operand(format.intrinsic->dst);
  for (const Operand& source : format.intrinsic->sources) out.Operand(source);
}

void WriteAluOp(const AluOp& op, Canonical& out) {
  out.Line("op {} {} {} {} {}", op.name, op.code, op.format, op.initiation_interval, op.available);
  for (const Operand& operand : op.operands) out.Operand(operand);
  out.Operand(op.result);
  for (const ScalarInput& input : op.program.inputs) {
    out.Line(" input {} {} {}", input.operand, input.field, input.instruction_field);
  }
  for (const ScalarTable& table : op.program.tables) out.Line(" table {}", table.memory);
  for (const ScalarNode& node : op.program.nodes) {
    out.Line(" node {} {} {} {} {} {} {} {} {}", static_cast<int>(node.op), node.type.width,
             node.type.is_signed, node.a, node.b, node.c, node.value, node.input, node.stage);
  }
  out.Line(" result {} {}", op.program.result, op.program.stages);
}

}  // namespace

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kLoad:
      return "load";
    case Kind::kStore:
      return "store";
    case Kind::kGemm:
      return "gemm";
    case Kind::kAlu:
      return "alu";
    case Kind::kSync:
      return "sync";
  }
  COSIM_CHECK(false, "unknown kind {}", static_cast<int>(kind));
}

int64_t Memory::LaneCount() const {
  int64_t count = 1;
  for (int extent : lanes) count *= extent;
  return count;
}

int Intrinsic::RowSource() const {
  const auto found = std::ranges::find_if(sources, [](const Operand& s) { return s.row_axis >= 0; });
  return found == sources.end() ? -1 : static_cast<int>(found - sources.begin());
}

int InstructionFormat::FieldIndex(std::string_view name) const { return IndexOf(fields, name); }

int64_t Spec::Param(std::string_view name) const {
  const int index = IndexOf(parameters, name);
  COSIM_CHECK(index >= 0, "there is no parameter '{}'", name);
  return parameters[index].value;
}

int Spec::MemoryIndex(std::string_view name) const { return IndexOf(memories, name); }
int Spec::UnitIndex(std::string_view name) const { return IndexOf(units, name); }
int Spec::QueueIndex(std::string_view name) const { return IndexOf(queues, name); }
int Spec::FormatIndex(std::string_view name) const { return IndexOf(formats, name); }
int Spec::AluOpIndex(std::string_view name) const { return IndexOf(alu_ops, name); }

int64_t Spec::MacsPerCycle() const {
  int64_t most = 0;
  std::set<int> working;  // units that do so many
  for (const InstructionFormat& format : formats) {
    if (!format.intrinsic) continue;
    int64_t product = 1;
    for (const Intrinsic::Axis& axis : format.intrinsic->axes) product *= axis.extent;
    if (product > most) working.clear();
    most = std::max(most, product);
    if (product == most) working.insert(format.unit);
  }
  return most * static_cast<int64_t>(working.size());
}

std::string Spec::FingerprintText() const { return fmt::format("{:016x}", fingerprint); }

uint64_t Fingerprint(const Spec& spec) {
  Canonical out;
  out.Line("isa {} {} {} {}", spec.isa, spec.word_bits, spec.opcode_bits, spec.fetch_words);
  out.Line("port {} {} {}", spec.dram.port_bits, spec.dram.burst_beats, spec.dram.outstanding);
  for (const Memory& memory : spec.memories) WriteMemory(memory, out);
  for (const Unit& unit : spec.units) {
    out.Line("unit {} {} {} {} {} {}", unit.name, unit.commands, unit.overlap, unit.latency, unit.lanes,
             unit.buffer_beats);
    // Said only where there is a choice: specs of one port are the same whether they name it or not.
    if (spec.ports > 1) out.Line("at {}", unit.port);
  }
  for (const Queue& queue : spec.queues)
    out.Line("queue {} {} {} {}", queue.name, queue.from, queue.to, queue.capacity);
  for (const InstructionFormat& format : spec.formats) WriteFormat(format, out);
  for (const AluOp& op : spec.alu_ops) WriteAluOp(op, out);
  return Hash(out.text());
}

}  // namespace cosim::isa
