// SPDX-License-Identifier: Apache-2.0
// The exported module in the bench of the accelerator: random programs through the AXI ports of `cosim_ip`,
// as those of the accelerator itself held against the models, each instruction to the cycle.
#include <fmt/format.h>

#include <vector>

#include "sim/board/interfaces.h"
#include "sim/rtl/rtl_library.h"
#include "tests/export/exported.h"
#include "tests/hw/lockstep_pair.h"

namespace cosim::board::testing {
namespace {

constexpr uint64_t kPrograms = 6;

/// Module `wrapped_accelerator`: `cosim_ip` with the pins of `cosim_accelerator`. Inputs that the accelerator
/// does not have are given ones, which must not matter; that its constant outputs are 0 is asserted.
class Wrapper {
 public:
  Wrapper(const isa::Spec& spec, const isa::BoardFacts& board) : ports_(MemoryInterfaces(spec)) {
    for (const Interface& interface : Interfaces(spec, board))
      for (const Signal& signal : interface.signals) Add(interface, signal);
  }

  std::string Text() const {
    return fmt::format(
        "module wrapped_accelerator (\n{}  output logic start_o, done_o,\n"
        "  output logic [cosim_pkg::Units-1:0] issue_o, retire_o\n);\n{}"
        "  cosim_ip i_ip ({});\n"
        "  assign start_o = i_ip.i_top.start;\n  assign done_o = i_ip.i_top.done;\n"
        "  assign issue_o = i_ip.i_top.issue;\n  assign retire_o = i_ip.i_top.retire;\n"
        "  a_zero: assert property (@(posedge aclk) ({}1'b0) == 1'b0) else $error(\"an unused signal is not "
        "0\");\nendmodule\n",
        declarations_, wires_, pins_, zero_);
  }

 private:
  void Add(const Interface& interface, const Signal& signal) {
    pins_ += fmt::format("{}.{}({})", pins_.empty() ? "" : ", ", signal.port, signal.port);
    const bool is_memory = interface.kind == Kind::kMemory;
    const bool is_pin = !is_memory && signal.inside == Inside::kSame;
    if (!is_pin) wires_ += fmt::format("  wire [{}:0] {}_w;\n", signal.bits - 1, signal.port);
    if (!is_pin) pins_.insert(pins_.size() - 1, "_w");
    if (signal.inside == Inside::kUnused) wires_ += fmt::format("  assign {}_w = '1;\n", signal.port);
    if (signal.inside == Inside::kZero) zero_ += fmt::format("(|{}_w) | ", signal.port);
    if (signal.inside == Inside::kNarrower)
      zero_ += fmt::format("(|{}_w[{}:32]) | ", signal.port, signal.bits - 1);
    if (is_pin) Declare(signal.port, signal.is_input, signal.bits);
    if (!is_memory || signal.inside == Inside::kUnused || signal.inside == Inside::kZero) return;
    const int bits = signal.inside == Inside::kNarrower ? 32 : signal.bits;
    const auto port = std::ranges::find(ports_, interface.name) - ports_.begin();
    const std::string name = signal.port.substr(interface.name.size());
    if (port == 0) Declare("m_axi" + name, signal.is_input, bits * static_cast<int>(ports_.size()));
    const std::string mine = fmt::format("m_axi{}[{} +: {}]", name, port * bits, bits);
    wires_ += signal.is_input ? fmt::format("  assign {}_w = {};\n", signal.port, mine)
                              : fmt::format("  assign {} = {}_w[{}:0];\n", mine, signal.port, bits - 1);
  }

  void Declare(const std::string& name, bool is_input, int bits) {
    declarations_ += fmt::format("  {} logic [{}:0] {},\n", is_input ? "input" : "output", bits - 1, name);
  }

  std::vector<std::string> ports_;
  std::string declarations_, wires_, pins_, zero_;
};

class WrappedTop : public Exported {};

TEST_P(WrappedTop, RunsProgramsToTheCycle) {
  isa::Spec spec = Spec();
  const std::string wrapper = Wrapper(spec, *isa::FindBoard(GetParam().board)).Text();
  Diagnostics diags;
  const auto library =
      sim::BuildRtl(spec,
                    {.assertions = true,
                     .quick = true,
                     .around = {{"cosim_ip.v", TextOf("cosim_ip.v")}, {"wrapped_accelerator.sv", wrapper}},
                     .progress = {}},
                    diags);
  ASSERT_TRUE(library.has_value()) << diags.Render() << wrapper;
  const std::unique_ptr<sim::RtlModel> model = sim::MakeRtlModel(*library);
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const isa::Program program = cosim::testing::DrawProgram(spec, seed);
    for (const int stall_percent : {0, 40})
      ASSERT_EQ(cosim::testing::Compare(*model, spec, program, {.seed = seed, .stall_percent = stall_percent})
                    .difference,
                "")
          << "program " << seed << ", stalls " << stall_percent;
  }
}

INSTANTIATE_TEST_SUITE_P(Export, WrappedTop,
                         ::testing::Values(Case{"tiny", "pynq", "tiny.yaml", ""}, kCases[3]),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cosim::board::testing
