// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace cosim::sim {
namespace {

using runtime::Cycle;

/// The earliest difference seen so far.
struct Difference {
  Cycle at = std::numeric_limits<Cycle>::max();
  size_t instruction = 0;
  const char* what = nullptr;
  Cycle rtl = 0, model = 0;

  void Consider(size_t index, const char* event, Cycle in_rtl, Cycle in_model) {
    if (in_rtl == in_model) return;
    constexpr Cycle kNever = std::numeric_limits<Cycle>::max() - 1;
    const Cycle first = std::min(in_rtl < 0 ? kNever : in_rtl, in_model < 0 ? kNever : in_model);
    if (first < at) *this = {first, index, event, in_rtl, in_model};
  }
};

std::string CompareInstructions(const isa::Spec& spec, const isa::Program& program,
                                const runtime::Counters& rtl, const runtime::Counters& model,
                                const std::function<std::string(size_t)>& layer_of) {
  Difference first;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    first.Consider(i, "issues", rtl.instructions[i].issue, model.instructions[i].issue);
    first.Consider(i, "retires", rtl.instructions[i].retire, model.instructions[i].retire);
  }
  if (first.what == nullptr) return "";
  const isa::InstructionFormat& format = spec.formats[program.instructions[first.instruction].format];
  const std::string layer = layer_of ? layer_of(first.instruction) : "";
  return fmt::format("instruction #{} {}{} on unit {} {} at rtl {}, model {}\n", first.instruction,
                     format.name, layer.empty() ? "" : fmt::format(" (layer {})", layer),
                     spec.units[format.unit].name, first.what, first.rtl, first.model);
}

class CounterList {
 public:
  template <typename T>
  void Compare(std::string_view name, T rtl, T model) {
    if (rtl != model) text_ += fmt::format("{}: rtl {}, model {}\n", name, rtl, model);
  }

  void CompareWork(const runtime::Counters& rtl, const runtime::Counters& model) {
    Compare("bytes read", rtl.dram_read_bytes, model.dram_read_bytes);
    Compare("bytes written", rtl.dram_write_bytes, model.dram_write_bytes);
    Compare("gemm steps", rtl.gemm_steps, model.gemm_steps);
    Compare("alu steps", rtl.alu_steps, model.alu_steps);
  }

  void Compare(const isa::Spec& spec, const runtime::LedgerRow& rtl, const runtime::LedgerRow& model) {
    const auto compare = [&](const std::string& column, Cycle in_rtl, Cycle in_model) {
      Compare(fmt::format("{} of unit {}", column, model.unit), in_rtl, in_model);
    };
    compare("busy", rtl.busy, model.busy);
    compare("wait_push", rtl.wait_push, model.wait_push);
    for (size_t q = 0; q < spec.queues.size(); ++q)
      compare("wait_token " + spec.queues[q].name, rtl.wait_token[q], model.wait_token[q]);
    compare("wait_port", rtl.wait_port, model.wait_port);
    compare("wait_memory", rtl.wait_memory, model.wait_memory);
    compare("idle", rtl.idle, model.idle);
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string CompareTiming(const isa::Spec& spec, const isa::Program& program, const runtime::Counters& rtl,
                          const runtime::Counters& model,
                          const std::function<std::string(size_t)>& layer_of) {
  CounterList counters;
  counters.Compare("cycles", rtl.cycles, model.cycles);
  counters.CompareWork(rtl, model);
  for (size_t u = 0; u < std::min(rtl.ledger.size(), model.ledger.size()); ++u)
    counters.Compare(spec, rtl.ledger[u], model.ledger[u]);
  return CompareInstructions(spec, program, rtl, model, layer_of) + counters.text();
}

std::string CompareWork(const runtime::Counters& rtl, const runtime::Counters& model) {
  CounterList counters;
  counters.CompareWork(rtl, model);
  return counters.text();
}

void HoldAgainst(const isa::Spec& spec, const isa::Program& program, const runtime::Counters& model,
                 const std::function<std::string(size_t)>& layer_of, runtime::Counters& rtl) {
  rtl.model_cycles = model.cycles;
  if (rtl.error.empty()) {
    const std::string differences = CompareTiming(spec, program, rtl, model, layer_of);
    if (!differences.empty()) rtl.error = "the RTL differs from the cycle simulator:\n" + differences;
  }
  rtl.completed = rtl.error.empty();
}

}  // namespace cosim::sim
