// SPDX-License-Identifier: Apache-2.0
// Prints the module around the lanes: state of the instruction, operand table, choice of lanes, result
// registers.
#include "isa/sv/alu.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/sv/lane.h"
#include "isa/sv/package.h"
#include "isa/sv/template.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kModule = R"(module alu_@u@ (
  input  logic clk_i,
  input  logic enable_i,      // values go on; they stand still otherwise
  input  logic issue_i,
@ports@  // Operand table, as alu_unit.sv wants it. Memories:@memories@.
  output logic              twice_o,
  output logic [@reads@-1:0]        first_o,
  output logic [@reads@-1:0]        second_o,
  output logic [@reads@*@indices@-1:0] first_index_o,
  output logic [@reads@*@indices@-1:0] second_index_o,
  output logic [@indices@-1:0]        result_index_o,
  output logic [@writes@-1:0]        result_memory_o,
  // Lanes.
  input  logic [@group_bits@-1:0]        group_i@lane_ports@
);
@tables@
  // ---- All registers wait for one of the two.
  logic clk;

  enabled_clock i_clock (.clk_i, .enable_i(enable_i | issue_i), .clk_o(clk));

  // ---- The instruction.
  logic [@ops@-1:0] op_d, op_q;
@immediates@
@codes@
  always_ff @(posedge clk) begin
    if (issue_i) begin
      op_q <= op_d;
@latches@    end
  end

  // ---- Operand table: of what is issued, so that memories hang on registers.
  always_ff @(posedge clk) begin
    if (issue_i) begin
@table@    end
  end

  // ---- Lanes. A lane of an element with fewer lanes serves several.
@elements@
@lanes@
  logic unused_group;
  assign unused_group = ^group_i;

endmodule
)";

class DatapathPrinter {
 public:
  DatapathPrinter(const Spec& spec, const SvUnit& unit)
      : spec_(spec),
        alu_(unit.alu),
        format_(spec.formats[alu_.format]),
        unit_(unit),
        lanes_(std::min(spec.units[unit.unit].lanes, alu_.element_lanes)) {
    for (const SvLaneSize::Table& table : SvAluLaneSize(spec, unit).tables) lookups_.push_back(table.memory);
  }

  std::string Print();

 private:
  /// The ops for which `holds(op)`, as an expression of op_d.
  template <typename Holds>
  std::string AnyOp(Holds holds) const {
    std::string text;
    for (size_t slot = 0; slot < alu_.ops.size(); ++slot) {
      if (holds(spec_.alu_ops[alu_.ops[slot]], alu_.ops[slot])) {
        text += fmt::format("{}op_d[{}]", text.empty() ? "" : " | ", slot);
      }
    }
    return text.empty() ? "1'b0" : text;
  }
  const std::string& MemoryName(int memory) const { return spec_.memories[memory].name; }
  bool ReadTwice(int memory) const {
    return std::ranges::any_of(alu_.ops,
                               [&](int op) { return alu_.Operands(spec_, op, memory).size() == 2; });
  }
  std::string Table() const;
  std::string Elements() const;
  std::string LaneOf(int memory) const;
  std::string Tables() const;
  std::string LookupPins() const;
  std::string Lanes() const;

  const Spec& spec_;
  const SvAlu& alu_;
  const InstructionFormat& format_;
  const SvUnit& unit_;
  int lanes_;                 ///< side by side
  std::vector<int> lookups_;  ///< of a lane, in its order: memories
};

std::string DatapathPrinter::Table() const {
  std::string text;
  auto assign = [&](const std::string& to, const std::string& from) {
    fmt::format_to(std::back_inserter(text), "      {} <= {};\n", to, from);
  };
  assign("twice_o", AnyOp([&](const AluOp&, int op) {
           return std::ranges::any_of(alu_.reads,
                                      [&](int m) { return alu_.Operands(spec_, op, m).size() == 2; });
         }));
  if (alu_.reads.empty())  // one place that is never used
    for (const char* port : {"first_o", "second_o", "first_index_o", "second_index_o"}) assign(port, "'0");
  const std::pair<const char*, size_t> cycles[] = {{"first", 0}, {"second", 1}};
  for (auto [name, order] : cycles) {
    for (size_t m = 0; m < alu_.reads.size(); ++m) {
      assign(fmt::format("{}_o[{}]", name, m), AnyOp([&, order = order](const AluOp&, int op) {
               return alu_.Operands(spec_, op, alu_.reads[m]).size() > order;
             }));
      for (size_t k = 0; k < format_.indices.size(); ++k) {
        assign(fmt::format("{}_index_o[{}]", name, m * format_.indices.size() + k),
               AnyOp([&, order = order](const AluOp& op, int number) {
                 const std::vector<int> operands = alu_.Operands(spec_, number, alu_.reads[m]);
                 return operands.size() > order &&
                        op.operands[operands[order]].index == format_.indices[k].index;
               }));
      }
    }
  }
  for (size_t k = 0; k < format_.indices.size(); ++k) {
    assign(fmt::format("result_index_o[{}]", k),
           AnyOp([&](const AluOp& op, int) { return op.result.index == format_.indices[k].index; }));
  }
  for (size_t w = 0; w < alu_.writes.size(); ++w) {
    assign(fmt::format("result_memory_o[{}]", w),
           AnyOp([&](const AluOp& op, int) { return op.result.memory == alu_.writes[w]; }));
  }
  return text;
}

/// Elements as they were read, and one cycle before where some op reads two of a memory.
std::string DatapathPrinter::Elements() const {
  std::string text;
  for (int memory : alu_.reads) {
    if (!ReadTwice(memory)) continue;
    fmt::format_to(std::back_inserter(text),
                   "  logic [cosim_pkg::Mem{1}Bits-1:0] {0}_before_q;\n"
                   "  always_ff @(posedge clk) if (enable_i) {0}_before_q <= {0}_i;\n",
                   MemoryName(memory), SvConstantName(MemoryName(memory)));
  }
  return text;
}

/// Lane a of group g is lane g * lanes + a of the result: which that is of an element of `memory`. Where the
/// element has fewer it serves several rows; where it is a part of each row, the part was read that is asked
/// for.
std::string DatapathPrinter::LaneOf(int memory) const {
  const Memory& described = spec_.memories[memory];
  const int parts = alu_.Parts(spec_, memory);
  const std::string lane = alu_.groups == 1 ? "a" : fmt::format("(g*{}+a)", lanes_);
  if (parts == 1) return fmt::format("{}%{}", lane, described.LaneCount());
  const int columns = described.lanes.back();
  return fmt::format("({0}/{1}*{2})%{3} + {0}%{2}", lane, columns * parts, columns, described.LaneCount());
}

/// Tables, a copy for each lane and stage in which one is looked up.
std::string DatapathPrinter::Tables() const {
  std::string text;
  for (int memory : alu_.tables) {
    const auto uses = std::ranges::count(lookups_, memory);
    fmt::format_to(std::back_inserter(text),
                   "  logic [{2}*cosim_pkg::Mem{1}AddrBits-1:0] {0}_index;\n"
                   "  logic [{2}*cosim_pkg::Mem{1}Bits-1:0] {0}_data;\n"
                   "  lookup_tables #(\n"
                   "    .Width(cosim_pkg::Mem{1}Bits), .Depth(cosim_pkg::Mem{1}Depth), .Copies({2})\n"
                   "  ) i_table_{0} (\n"
                   "    .clk_i, .we_i({0}_we_i), .waddr_i({0}_waddr_i), .wdata_i({0}_wdata_i),\n"
                   "    .index_i({0}_index), .data_o({0}_data)\n  );\n",
                   MemoryName(memory), SvConstantName(MemoryName(memory)), uses * lanes_);
  }
  return text.empty() ? "" : "\n  // ---- Tables.\n" + text;
}

/// Of the lane's look-ups in order, which of the copies each has.
std::string DatapathPrinter::LookupPins() const {
  std::string pins;
  for (size_t l = 0; l < lookups_.size(); ++l) {
    const int memory = lookups_[l];
    const auto before =
        std::count(lookups_.begin(), lookups_.begin() + static_cast<std::ptrdiff_t>(l), memory);
    const auto copy = fmt::format("({}*{}+a)", before, lanes_);
    const std::string constant = SvConstantName(MemoryName(memory));
    fmt::format_to(
        std::back_inserter(pins),
        ",\n      .index{0}_o({1}_index[{2}*cosim_pkg::Mem{3}AddrBits +: cosim_pkg::Mem{3}AddrBits])"
        ",\n      .looked_up{0}_i({1}_data[{2}*cosim_pkg::Mem{3}Bits +: cosim_pkg::Mem{3}Bits])",
        l, MemoryName(memory), copy, constant);
  }
  return pins;
}

std::string DatapathPrinter::Lanes() const {
  std::string text, pins, registers;
  auto choose = [&](int memory, const std::string& element, const std::string& pin) {
    const Memory& described = spec_.memories[memory];
    const int bits = described.record_bits;
    fmt::format_to(std::back_inserter(text), "    logic [{}:0] {};\n", bits - 1, pin);
    if (alu_.groups == 1) {
      fmt::format_to(std::back_inserter(text), "    assign {} = {}[({})*{} +: {}];\n", pin, element,
                     LaneOf(memory), bits, bits);
    } else {
      fmt::format_to(std::back_inserter(text),
                     "    always_comb begin\n      {2} = '0;\n      for (int g = 0; g < {0}; g++) begin\n"
                     "        if (group_i == {1}'(g)) {2} = {3}[({4})*{5} +: {5}];\n      end\n    end\n",
                     alu_.groups, SvAddressBits(alu_.groups), pin, element, LaneOf(memory), bits);
    }
    fmt::format_to(std::back_inserter(pins), ",\n      .{}_i({})", pin, pin);
  };
  fmt::format_to(std::back_inserter(text), "  for (genvar a = 0; a < {}; a++) begin : gen_lane\n", lanes_);
  for (int memory : alu_.reads) {
    const std::string& name = MemoryName(memory);
    choose(memory, name + "_i", name);
    if (ReadTwice(memory)) choose(memory, name + "_before_q", name + "_before");
  }
  for (int memory : alu_.writes) {
    const int bits = spec_.memories[memory].record_bits;
    fmt::format_to(std::back_inserter(text), "    logic [{}:0] {}_d, {}_q;\n", bits - 1, MemoryName(memory),
                   MemoryName(memory));
    fmt::format_to(std::back_inserter(pins), ",\n      .{}_o({}_d)", MemoryName(memory), MemoryName(memory));
    fmt::format_to(std::back_inserter(registers), "      {0}_q <= {0}_d;\n", MemoryName(memory));
  }
  pins += LookupPins();
  std::string immediates;
  for (int field : alu_.immediates)
    immediates += fmt::format(",\n      .{0}_i({0}_q)", format_.fields[field].name);
  fmt::format_to(
      std::back_inserter(text),
      "    alu_lane_{} i_lane (\n      .clk_i(clk),\n      .enable_i,\n      .op_i(op_q){}{}\n    );\n"
      "    always_ff @(posedge clk) if (enable_i) begin\n{}    end\n",
      unit_.name, immediates, pins, registers);
  for (int memory : alu_.writes) {
    const int bits = spec_.memories[memory].record_bits;
    for (int group = 0; group < alu_.groups; ++group) {
      fmt::format_to(std::back_inserter(text),
                     "    if ({0}*{1}+a < {2}) begin : gen_{3}_{0}\n      assign {3}_o[({0}*{1}+a)*{4} +: "
                     "{4}] = {3}_q;\n    end\n",
                     group, lanes_, alu_.element_lanes, MemoryName(memory), bits);
    }
  }
  return text + "  end\n";
}

std::string DatapathPrinter::Print() {
  const int op_bits = std::max(1, unit_.FieldBits(spec_, Kind::kAlu, "op"));
  std::string ports = fmt::format("  input  logic [{}:0] op_i,\n", op_bits - 1), immediates, latches, codes,
              lane_ports, memories;
  for (int field : alu_.immediates) {
    const Field& described = format_.fields[field];
    ports += fmt::format("  input  logic [{}:0] {}_i,\n", described.type.width - 1, described.name);
    immediates += fmt::format("  logic [{}:0] {}_q;\n", described.type.width - 1, described.name);
    latches += fmt::format("      {0}_q <= {0}_i;\n", described.name);
  }
  for (size_t slot = 0; slot < alu_.ops.size(); ++slot) {
    const AluOp& op = spec_.alu_ops[alu_.ops[slot]];
    codes += fmt::format("  assign op_d[{}] = op_i == {}'d{};  // {}\n", slot, op_bits, op.code, op.name);
  }
  for (int memory : alu_.reads) {
    memories += " " + MemoryName(memory);
    lane_ports += fmt::format(",\n  input  logic [cosim_pkg::Mem{}Bits-1:0] {}_i",
                              SvConstantName(MemoryName(memory)), MemoryName(memory));
  }
  for (int memory : alu_.writes) {
    lane_ports += fmt::format(",\n  output logic [cosim_pkg::Mem{}Bits-1:0] {}_o",
                              SvConstantName(MemoryName(memory)), MemoryName(memory));
  }
  for (int memory : alu_.tables)
    lane_ports += fmt::format(
        ",\n  input  logic {0}_we_i,\n  input  logic [cosim_pkg::Mem{1}AddrBits-1:0] {0}_waddr_i"
        ",\n  input  logic [cosim_pkg::Mem{1}Bits-1:0] {0}_wdata_i",
        MemoryName(memory), SvConstantName(MemoryName(memory)));
  return SvBanner(spec_, fmt::format("Operand table and lanes of the {} unit's ALU.", unit_.name)) +
         FillSvTemplate(kModule,
                        {{"u", unit_.name},
                         {"ports", ports},
                         {"memories", memories},
                         {"reads", std::to_string(std::max<size_t>(1, alu_.reads.size()))},
                         {"writes", std::to_string(alu_.writes.size())},
                         {"indices", std::to_string(format_.indices.size())},
                         {"group_bits", std::to_string(alu_.groups > 1 ? SvAddressBits(alu_.groups) : 1)},
                         {"lane_ports", lane_ports},
                         {"tables", Tables()},
                         {"ops", std::to_string(alu_.ops.size())},
                         {"immediates", immediates},
                         {"codes", codes},
                         {"latches", latches},
                         {"table", Table()},
                         {"elements", Elements()},
                         {"lanes", Lanes()}});
}

}  // namespace

std::string SvAluDatapath(const Spec& spec, const SvUnit& unit) {
  return DatapathPrinter(spec, unit).Print();
}

}  // namespace cosim::isa
