// SPDX-License-Identifier: Apache-2.0
// Prints the decoders: an instruction's fields by the roles they play, chosen with one AND-OR over the
// formats that have the role, and registered: they are the head of the unit's command queue.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/sv/package.h"

namespace cosim::isa {
namespace {

/// "word_i[cosim_pkg::OpGemmDstBaseOffset +: cosim_pkg::OpGemmDstBaseBits]"
std::string FieldSlice(const InstructionFormat& format, int field) {
  const std::string name =
      "cosim_pkg::Op" + SvConstantName(format.name) + SvConstantName(format.fields[field].name);
  return fmt::format("word_i[{}Offset +: {}Bits]", name, name);
}

/// True exactly for words of `format`: the opcode and all else it fixes.
std::string MatchExpression(const InstructionFormat& format) {
  std::string text;
  for (auto [field, value] : format.match) {
    const int width = format.fields[field].type.width;
    const uint64_t bits = static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
    fmt::format_to(std::back_inserter(text), "{}({} == {}'d{})", text.empty() ? "" : " & ",
                   FieldSlice(format, field), width, bits);
  }
  return text;
}

class DecoderPrinter {
 public:
  DecoderPrinter(const Spec& spec, const SvUnit& unit) : spec_(spec), unit_(unit) {}

  std::string Print(const SvPlan& plan);

 private:
  void Output(const std::string& name, int bits, const std::string& expression) {
    fmt::format_to(std::back_inserter(ports_), ",\n  output logic [{}:0] {}_o", bits - 1, name);
    fmt::format_to(std::back_inserter(fields_), "    {}_o <= {};\n", name, expression);
  }
  /// The value of the role's field in every format that has it: without asking which format it is where all
  /// those of which the role is read have it in one place.
  std::string Select(const SvRole& role) const;
  void Flags(const std::string& name, const std::vector<int>& queues, int offset);
  void Banks(const SvPlan& plan);
  void LoadedMemory();
  std::string AnyOf(Kind kind) const;

  const Spec& spec_;
  const SvUnit& unit_;
  std::string ports_, fields_;
};

std::string DecoderPrinter::Select(const SvRole& role) const {
  std::string text, place;
  const Field* first = nullptr;
  bool one_place = true;
  for (int f : unit_.formats) {
    const InstructionFormat& format = spec_.formats[f];
    if (format.kind != role.kind || (role.of_pieces && !format.Gathers())) continue;
    const int index = format.FieldIndex(role.field);
    one_place &= index >= 0;
    if (index < 0) continue;
    const Field& field = format.fields[index];
    std::string value = FieldSlice(format, index);
    if (field.type.is_signed) value = fmt::format("$signed({})", value);
    fmt::format_to(std::back_inserter(text), "{}(match_{} ? {}'({}) : '0)", text.empty() ? "" : "\n    | ",
                   format.name, role.bits, value);
    if (first == nullptr) {
      first = &field;
      place = fmt::format("{}'({})", role.bits, value);
    }
    one_place &= field.offset == first->offset && field.type == first->type;
  }
  if (first == nullptr) return "'0";
  return one_place ? place : text;
}

std::string DecoderPrinter::AnyOf(Kind kind) const {
  std::string text;
  for (int f : unit_.formats) {
    if (spec_.formats[f].kind == kind)
      text += (text.empty() ? "match_" : " | match_") + spec_.formats[f].name;
  }
  return text.empty() ? "1'b0" : text;
}

void DecoderPrinter::Flags(const std::string& name, const std::vector<int>& queues, int offset) {
  const int bits = static_cast<int>(queues.size());
  Output(name, std::max(1, bits), bits == 0 ? "'0" : fmt::format("word_i[{} +: {}]", offset, bits));
}

void DecoderPrinter::Banks(const SvPlan& plan) {
  std::string text;
  for (int f : unit_.formats) {
    const InstructionFormat& format = spec_.formats[f];
    for (auto [memory, field] : format.locks) {
      const int offset = plan.bank_offset[memory];
      fmt::format_to(std::back_inserter(text), "{}(match_{} ? {}'({}) << {} : '0)",
                     text.empty() ? "" : "\n    | ", format.name, plan.bank_bits, FieldSlice(format, field),
                     offset);
    }
  }
  Output("banks", plan.bank_bits, text.empty() ? "'0" : text);
}

/// One bit for each memory the unit loads to, and whether pieces are gathered into it.
void DecoderPrinter::LoadedMemory() {
  std::string memories;
  for (size_t m = unit_.memories.size(); m-- > 0;) {
    std::string any;
    for (int f : unit_.formats) {
      const InstructionFormat& format = spec_.formats[f];
      if (format.kind != Kind::kLoad || format.memory != unit_.memories[m]) continue;
      any += (any.empty() ? "match_" : " | match_") + format.name;
    }
    memories += (memories.empty() ? "{" : ", ") + any;
  }
  Output("load_memory", static_cast<int>(unit_.memories.size()), memories + "}");
  std::string gathers;
  for (int f : unit_.formats) {
    const InstructionFormat& format = spec_.formats[f];
    if (format.Gathers()) gathers += (gathers.empty() ? "match_" : " | match_") + format.name;
  }
  if (!gathers.empty()) Output("load_gathers", 1, gathers);
}

std::string DecoderPrinter::Print(const SvPlan& plan) {
  std::string matches, unused;
  for (int f : unit_.formats) {
    const InstructionFormat& format = spec_.formats[f];
    fmt::format_to(std::back_inserter(matches), "  logic match_{0};\n  assign match_{0} = {1};\n",
                   format.name, MatchExpression(format));
    unused += ", match_" + format.name;
  }
  Flags("pops", unit_.pops, unit_.pop_offset);
  Flags("pushes", unit_.pushes, unit_.push_offset);
  Banks(plan);
  if (unit_.loads) LoadedMemory();
  if (unit_.stores) Output("is_store", 1, AnyOf(Kind::kStore));
  if (unit_.gemms) Output("is_gemm", 1, AnyOf(Kind::kGemm));
  if (unit_.gemms && unit_.gemm.rows >= 0)
    Output("gemm_rows", 1, "match_" + spec_.formats[unit_.gemm.rows].name);
  if (unit_.alus) Output("is_alu", 1, AnyOf(Kind::kAlu));
  for (const SvRole& role : SvRoles(spec_, unit_)) {
    Output(role.name, role.bits, Select(role));
  }
  return fmt::format(
      "{}module decode_{} (\n  input  logic clk_i,\n  input  logic load_i,\n"
      "  input  logic [cosim_pkg::{}CommandBits-1:0] word_i{}\n);\n\n{}"
      "\n  always_ff @(posedge clk_i) if (load_i) begin\n{}  end\n"
      "\n  logic unused_word;\n  assign unused_word = ^{{word_i{}}};\n\nendmodule\n",
      SvBanner(spec_,
               fmt::format("The fields of the {} unit's instructions by their roles, a cycle after load_i.",
                           unit_.name)),
      unit_.name, unit_.constant, ports_, matches, fields_, unused);
}

}  // namespace

std::string SvUnitDecoder(const Spec& spec, const SvPlan& plan, const SvUnit& unit) {
  return DecoderPrinter(spec, unit).Print(plan);
}

std::string SvDispatch(const Spec& spec) {
  std::string body;
  for (size_t u = 0; u < spec.units.size(); ++u) {
    std::string any;
    for (const InstructionFormat& format : spec.formats) {
      if (format.unit != static_cast<int>(u)) continue;
      any += (any.empty() ? "" : "\n    | ") + fmt::format("({})", MatchExpression(format));
    }
    fmt::format_to(std::back_inserter(body), "  assign unit_o[{}] = {};  // {}\n", u, any,
                   spec.units[u].name);
  }
  return fmt::format(
      "{}module dispatch (\n  input  logic [cosim_pkg::WordBits-1:0] word_i,\n"
      "  output logic [cosim_pkg::Units-1:0]    unit_o  // at most one bit; none: no instruction\n);\n\n{}"
      "\n  logic unused_word;\n  assign unused_word = ^word_i;\n\nendmodule\n",
      SvBanner(spec, "Which unit a word is for."), body);
}

}  // namespace cosim::isa
