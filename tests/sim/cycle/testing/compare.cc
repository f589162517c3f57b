// SPDX-License-Identifier: Apache-2.0
// Runs both models on a case and shrinks cases on which they differ.
#include "tests/sim/cycle/testing/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "sim/cycle/timing_engine.h"
#include "tests/sim/cycle/testing/reference_model.h"

namespace cosim::sim::testing {
namespace {

std::string RowText(const runtime::LedgerRow& row) {
  return fmt::format("busy {} wait_push {} wait_token {} wait_port {} wait_memory {} idle {}", row.busy,
                     row.wait_push, row.wait_token, row.wait_port, row.wait_memory, row.idle);
}

/// Keeps `candidate` if it still differs.
bool Keep(Case& c, Case candidate) {
  if (FirstDifference(candidate).empty()) return false;
  c = std::move(candidate);
  return true;
}

bool DropInstructions(Case& c) {
  bool any = false;
  for (size_t chunk = std::max<size_t>(1, c.program.size() / 2); chunk > 0; chunk /= 2) {
    for (size_t at = 0; at + chunk <= c.program.size();) {
      Case candidate = c;
      const auto begin = candidate.program.begin() + static_cast<std::ptrdiff_t>(at);
      candidate.program.erase(begin, begin + static_cast<std::ptrdiff_t>(chunk));
      if (Keep(c, std::move(candidate))) {
        any = true;
      } else {
        at += chunk;
      }
    }
  }
  return any;
}

template <typename Change>
bool TryEach(Case& c, Change change) {
  bool any = false;
  for (size_t i = 0; i < c.program.size(); ++i) {
    Case candidate = c;
    if (change(candidate.program[i])) any |= Keep(c, std::move(candidate));
  }
  return any;
}

bool SimplifyInstructions(Case& c) {
  bool any = false;
  for (int q = 0; q < static_cast<int>(c.spec.queues.size()); ++q) {
    const uint64_t bit = uint64_t{1} << q;
    any |= TryEach(c, [&](isa::Decoded& d) { return d.pops & bit ? (d.pops ^= bit, true) : false; });
    any |= TryEach(c, [&](isa::Decoded& d) { return d.pushes & bit ? (d.pushes ^= bit, true) : false; });
  }
  any |= TryEach(c, [](isa::Decoded& d) { return d.locks.empty() ? false : (d.locks.clear(), true); });
  for (int64_t isa::Transfer::* field :
       {&isa::Transfer::pad_top, &isa::Transfer::pad_bottom, &isa::Transfer::pad_left,
        &isa::Transfer::pad_right, &isa::Transfer::rows, &isa::Transfer::cols}) {
    any |= TryEach(c, [&](isa::Decoded& d) {
      auto* transfer = std::get_if<isa::Transfer>(&d.body);
      const int64_t least = field == &isa::Transfer::rows || field == &isa::Transfer::cols ? 1 : 0;
      return transfer && transfer->*field > least ? (transfer->*field = least, true) : false;
    });
  }
  return any;
}

bool SimplifyConfiguration(Case& c) {
  bool any = false;
  auto attempt = [&](auto change) {
    Case candidate = c;
    if (change(candidate.spec)) any |= Keep(c, std::move(candidate));
  };
  attempt([](isa::Spec& s) { return s.dram.jitter > 0 ? (s.dram.jitter = 0, true) : false; });
  attempt([](isa::Spec& s) { return s.dram.latency > 2 ? (s.dram.latency = 2, true) : false; });
  attempt([](isa::Spec& s) { return s.dram.write_latency > 1 ? (s.dram.write_latency = 1, true) : false; });
  return any;
}

}  // namespace

std::string FirstDifference(const Case& c) {
  TimingEngine engine(c.spec);
  const runtime::Counters is = engine.Run(c.program, c.code_address, {.record_instructions = true});
  const runtime::Counters should = ReferenceModel(c.spec, c.program, c.code_address).Run();
  for (size_t i = 0; i < c.program.size(); ++i) {
    const runtime::InstructionTimes& a = is.instructions[i];
    const runtime::InstructionTimes& b = should.instructions[i];
    if (a.issue != b.issue || a.retire != b.retire) {
      return fmt::format("#{} issues {} and retires {}, reference {} and {}", i, a.issue, a.retire, b.issue,
                         b.retire);
    }
  }
  if (is.completed != should.completed)
    return fmt::format("completed {}, reference {}", is.completed, should.completed);
  if (!is.completed) return is.error.empty() ? "no error text" : "";
  if (is.cycles != should.cycles) return fmt::format("{} cycles, reference {}", is.cycles, should.cycles);
  for (size_t u = 0; u < c.spec.units.size(); ++u) {
    const std::string a = RowText(is.ledger[u]), b = RowText(should.ledger[u]);
    if (a != b) return fmt::format("ledger of {}:\n  {}, reference\n  {}", c.spec.units[u].name, a, b);
    if (is.ledger[u].Total() != is.cycles) return "ledger does not add up";
  }
  if (is.dram_read_bytes != should.dram_read_bytes || is.dram_write_bytes != should.dram_write_bytes) {
    return fmt::format("{} bytes read and {} written, reference {} and {}", is.dram_read_bytes,
                       is.dram_write_bytes, should.dram_read_bytes, should.dram_write_bytes);
  }
  if (is.gemm_steps != should.gemm_steps || is.alu_steps != should.alu_steps) return "step counts differ";
  return "";
}

Case Shrink(Case c) {
  for (bool again = true; again;) {
    again = DropInstructions(c);
    again |= SimplifyInstructions(c);
    again |= SimplifyConfiguration(c);
  }
  return c;
}

std::string Compare(const Case& c) {
  if (FirstDifference(c).empty()) return "";
  const Case small = Shrink(c);
  return FirstDifference(small) + "\n" + Describe(small);
}

}  // namespace cosim::sim::testing
