// SPDX-License-Identifier: Apache-2.0
// Features of instructions by their decoded form, features of runs by the ledger.
#include "tests/hw/lockstep_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string_view>
#include <variant>

#include "isa/program/decode.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::testing {
namespace {

constexpr std::string_view kFeatures[] = {
    "load",
    "store",
    "gemm",
    "alu",
    "sync",
    "alu op with one operand",
    "alu op with two operands",
    "alu op with three operands",
    "alu op of several cycles a step",
    "alu op into the results",
    "alu op into the activations",
    "alu op that looks up a table",
    "gemm overwrites",
    "gemm resets",
    "gemm accumulates",
    "gemm loops inside and outside",
    "gemm along rows",
    "gemm along rows of several iterations",
    "gemm along rows, iterations side by side",
    "gemm along rows, iterations apart",
    "gemm along rows, several rows",
    "gemm along rows of one tap",
    "gemm along several rows at once",
    "padding above",
    "padding below",
    "padding left",
    "padding right",
    "padding with a value",
    "load of one column",
    "load of several rows",
    "rows that overlap",
    "rows off a beat",
    "bursts up to a 4 KiB border",
    "several bursts a row",
    "element wider than a beat",
    "pieces gathered",
    "pieces that overlap",
    "pieces with beats between them",
    "pieces over three beats",
    "pieces in one column",
    "pieces up to a 4 KiB border",
    "pieces in rows of odd strides",
    "piece beside bytes that stay",
    "several elements a beat",
    "one token taken",
    "two tokens taken at once",
    "three tokens taken at once",
    "several tokens given at once",
    "a bank named",
    "several banks named",
    "unit waits for room in a queue",
    "unit waits for a token",
    "unit waits for a bank or the port",
    "unit waits for memory",
    "unit waits for fetch",
    "two instructions of a unit in flight",
    "unit that loads and computes",
    "units that contend for a port",
    "several ports",
    "port that only writes",
    "ports that share what the DRAM moves",
    "ports that share a DRAM of parts of a byte a cycle",
};

using Reached = std::set<std::string_view>;

void AddTransfer(const isa::Spec& spec, const isa::Transfer& transfer, Reached& reached) {
  const auto add = [&](bool is, std::string_view feature) {
    if (is) reached.insert(feature);
  };
  const auto beat = static_cast<uint64_t>(spec.dram.beat_bytes());
  const int64_t size = spec.memories[transfer.memory].stored_bytes;
  const auto row = static_cast<uint64_t>(transfer.RowBytes(size));
  add(!transfer.is_store, "load");
  add(transfer.is_store, "store");
  add(transfer.pad_top > 0, "padding above");
  add(transfer.pad_bottom > 0, "padding below");
  add(transfer.pad_left > 0, "padding left");
  add(transfer.pad_right > 0, "padding right");
  add(transfer.pad_value != 0 && transfer.SramElements() > transfer.rows * transfer.cols,
      "padding with a value");
  add(transfer.cols == 1, "load of one column");
  add(transfer.rows > 1, "load of several rows");
  add(transfer.rows > 1 && transfer.StrideBytes(size) < transfer.RowBytes(size), "rows that overlap");
  add(transfer.dram % beat != 0 || (transfer.dram + row) % beat != 0, "rows off a beat");
  const bool crosses = transfer.dram / 4096 != (transfer.dram + row - 1) / 4096;
  add(crosses, "bursts up to a 4 KiB border");
  add(row > beat * static_cast<uint64_t>(spec.dram.burst_beats), "several bursts a row");
  add(size > spec.dram.beat_bytes(), "element wider than a beat");
  add(size < spec.dram.beat_bytes(), "several elements a beat");
  if (!transfer.gathers) return;
  const auto offset = static_cast<int64_t>(transfer.dram % beat);
  add(true, "pieces gathered");
  add(transfer.cols > 1 && transfer.piece_step < transfer.piece_bytes, "pieces that overlap");
  add(transfer.cols > 1 && transfer.piece_step >= transfer.piece_bytes + 2 * spec.dram.beat_bytes(),
      "pieces with beats between them");
  add((offset + transfer.piece_bytes - 1) / spec.dram.beat_bytes() == 2, "pieces over three beats");
  add(transfer.cols == 1, "pieces in one column");
  add(crosses, "pieces up to a 4 KiB border");
  add(transfer.rows > 1 && transfer.stride % spec.dram.beat_bytes() != 0, "pieces in rows of odd strides");
  add(transfer.piece_bytes < size, "piece beside bytes that stay");
}

void AddInstruction(const isa::Spec& spec, const isa::Decoded& decoded, Reached& reached) {
  const auto add = [&](bool is, std::string_view feature) {
    if (is) reached.insert(feature);
  };
  if (const auto* transfer = std::get_if<isa::Transfer>(&decoded.body)) AddTransfer(spec, *transfer, reached);
  if (const auto* gemm = std::get_if<isa::Gemm>(&decoded.body)) {
    add(true, "gemm");
    add(gemm->overwrite, "gemm overwrites");
    add(gemm->reset, "gemm resets");
    add(!gemm->overwrite && !gemm->reset, "gemm accumulates");
    add(gemm->nest.iter_out > 1 && gemm->nest.iter_in > 1, "gemm loops inside and outside");
    if (gemm->row_source >= 0) {
      const bool several = gemm->nest.iter_in > 1;
      const int64_t apart = gemm->sources[gemm->row_source].inner;
      add(true, "gemm along rows");
      add(several, "gemm along rows of several iterations");
      add(several && apart == 1, "gemm along rows, iterations side by side");
      add(several && apart > 1, "gemm along rows, iterations apart");
      add(gemm->nest.iter_out > 1 && gemm->nest.uop_end - gemm->nest.uop_begin > 1,
          "gemm along rows, several rows");
      add(gemm->taps == 1, "gemm along rows of one tap");
      add(gemm->lines > 1 && gemm->pitch > 0, "gemm along several rows at once");
    }
  }
  if (const auto* alu = std::get_if<isa::Alu>(&decoded.body)) {
    const isa::AluOp& op = spec.alu_ops[alu->op];
    add(true, "alu");
    add(op.operands.size() == 1, "alu op with one operand");
    add(op.operands.size() == 2, "alu op with two operands");
    add(op.operands.size() == 3, "alu op with three operands");
    add(op.initiation_interval > 1, "alu op of several cycles a step");
    add(spec.memories[op.result.memory].name == "out", "alu op into the results");
    add(spec.memories[op.result.memory].name == "inp", "alu op into the activations");
    add(!op.program.tables.empty(), "alu op that looks up a table");
  }
  add(std::holds_alternative<isa::Sync>(decoded.body), "sync");
  const int pops = std::popcount(decoded.pops);
  add(pops == 1, "one token taken");
  add(pops == 2, "two tokens taken at once");
  add(pops > 2, "three tokens taken at once");
  add(std::popcount(decoded.pushes) > 1, "several tokens given at once");
  int banks = 0;
  for (const auto& [memory, mask] : decoded.locks) banks += std::popcount(mask);
  add(banks == 1, "a bank named");
  add(banks > 1, "several banks named");
}

void AddRun(const isa::Spec& spec, const std::vector<isa::Decoded>& decoded,
            const runtime::Counters& counters, Reached& reached) {
  const auto add = [&](bool is, std::string_view feature) {
    if (is) reached.insert(feature);
  };
  std::vector<int> loading(spec.ports, 0);
  for (size_t u = 0; u < spec.units.size(); ++u) {
    const runtime::LedgerRow& row = counters.ledger[u];
    add(row.wait_push > 0, "unit waits for room in a queue");
    add(std::ranges::any_of(row.wait_token, [](runtime::Cycle cycles) { return cycles > 0; }),
        "unit waits for a token");
    add(row.wait_port > 0, "unit waits for a bank or the port");
    add(row.wait_memory > 0, "unit waits for memory");
    add(row.idle > 0, "unit waits for fetch");
    add(spec.units[u].reads_dram && spec.units[u].lanes > 0, "unit that loads and computes");
    loading[spec.units[u].port] += spec.units[u].reads_dram ? 1 : 0;
  }
  add(std::ranges::max(loading) > 1, "units that contend for a port");
  add(spec.ports > 1, "several ports");
  add(std::find(loading.begin() + 1, loading.end(), 0) != loading.end(), "port that only writes");
  add(spec.ports > 1 && spec.dram.dram_bytes > 0, "ports that share what the DRAM moves");
  add(spec.ports > 1 && spec.dram.dram_bytes != std::floor(spec.dram.dram_bytes),
      "ports that share a DRAM of parts of a byte a cycle");
  std::vector<runtime::Cycle> retired(spec.units.size(), -1);
  for (size_t i = 0; i < decoded.size(); ++i) {
    add(counters.instructions[i].issue < retired[decoded[i].unit], "two instructions of a unit in flight");
    retired[decoded[i].unit] = counters.instructions[i].retire;
  }
}

}  // namespace

Coverage::Coverage() {
  for (std::string_view feature : kFeatures) programs_[std::string(feature)] = 0;
}

void Coverage::Add(const isa::Spec& spec, const isa::Program& program) {
  const std::vector<isa::Decoded> decoded = sim::DecodeAll(spec, program);
  Reached reached;
  for (const isa::Decoded& instruction : decoded) AddInstruction(spec, instruction, reached);
  sim::TimingEngine engine(spec);
  AddRun(spec, decoded,
         engine.Run(decoded, program.code_address, {.record_instructions = true, .layer_of = {}}), reached);
  for (std::string_view feature : reached) ++programs_.at(std::string(feature));
}

std::string Coverage::Render() const {
  std::string text;
  for (const bool missed : {true, false}) {
    for (const auto& [feature, programs] : programs_)
      if ((programs == 0) == missed) text += fmt::format("  {:<40} {:>7}\n", feature, programs);
  }
  return text;
}

int Coverage::Missed() const {
  return static_cast<int>(
      std::ranges::count_if(programs_, [](const auto& entry) { return entry.second == 0; }));
}

}  // namespace cosim::testing
