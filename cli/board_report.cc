// SPDX-License-Identifier: Apache-2.0
#include "cli/board_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/report_figures.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;
using session::BoardMeasurement;

struct Part {
  const char *name, *key;
  double median_ms, least_ms;
};

// The frame, and what it is made of.
std::vector<Part> PartsOf(const session::BoardResult& board) {
  const auto part = [&](const char* name, const char* key, double BoardMeasurement::* seconds) {
    return Part{name, key, 1e3 * board.Median(seconds), 1e3 * board.Least(seconds)};
  };
  std::vector<Part> parts = {part("frame", "frame", &BoardMeasurement::total_s),
                             part("accelerator", "accelerator", &BoardMeasurement::accelerator_s),
                             part("host layers", "host_layers", &BoardMeasurement::host_s)};
  Part rest = {"copies and the rest", "copies_and_rest", 0, 0};
  rest.median_ms = parts[0].median_ms - parts[1].median_ms - parts[2].median_ms;
  rest.least_ms = parts[0].least_ms - parts[1].least_ms - parts[2].least_ms;
  parts.push_back(rest);
  return parts;
}

std::string More(double is, double than) {
  return than > 0 ? fmt::format("{:+.2f} %", 100 * (is / than - 1)) : "nothing to compare with";
}

// A board's counters can differ from run to run, where its memory does: the first run's are shown.
std::string CycleLine(const session::BoardResult& board, const isa::Spec& spec) {
  const runtime::Cycle is = board.runs.front().cycles, simulated = board.result.run.cycles;
  return fmt::format(
      "  {} cycles by its counters, {:.2f} ms at {:g} MHz; simulated {}: {}\n", Grouped(is),
      Milliseconds(is, spec), spec.clock_mhz, Grouped(simulated),
      is == simulated ? "equal" : More(static_cast<double>(is), static_cast<double>(simulated)));
}

std::string LedgerLine(const session::BoardResult& board) {
  std::string units;
  const auto& simulated = board.result.run.ledger;
  const auto& rows = board.runs.front().ledger;
  for (size_t u = 0; u < rows.size() && u < simulated.size(); ++u)
    if (rows[u].busy != simulated[u].busy)
      units += fmt::format("{}{} busy {} instead of {}", units.empty() ? "" : ", ", rows[u].unit,
                           Grouped(rows[u].busy), Grouped(simulated[u].busy));
  return fmt::format("  units: {}\n", units.empty() ? "as busy as simulated" : units);
}

}  // namespace

std::string BoardLines(const session::BoardResult& board, const isa::Spec& spec,
                       const session::Options& options) {
  std::string text =
      fmt::format("board {}, {}:\n", options.device,
                  board.runs.size() == 1 ? "1 run" : fmt::format("{} runs", board.runs.size()));
  text += CycleLine(board, spec) + LedgerLine(board);
  text += fmt::format("  measured there{}:", board.runs.size() > 1 ? " (median)" : "");
  const std::vector<Part> parts = PartsOf(board);
  for (size_t i = 0; i < parts.size(); ++i)
    text += fmt::format("{} {} {:.3f} ms",
                        i == 0   ? ""
                        : i == 1 ? " ="
                                 : " +",
                        parts[i].name, parts[i].median_ms);
  const auto frame = board.result.end_to_end.FrameMs();
  return text + (frame ? fmt::format("; simulated and estimated {:.3f} ms: {}\n", *frame,
                                     More(parts[0].median_ms, *frame))
                       : "\n");
}

std::string WithBoard(const std::string& run_json, const session::BoardResult& board, const isa::Spec& spec,
                      const session::Options& options) {
  OrderedJson json = OrderedJson::parse(run_json);
  const runtime::Cycle cycles = board.runs.front().cycles;
  OrderedJson measured = OrderedJson::object();
  for (const Part& part : PartsOf(board))
    measured[part.key] = {{"median", part.median_ms}, {"min", part.least_ms}};
  OrderedJson ledger = OrderedJson::object();
  for (const auto& row : board.runs.front().ledger) {
    runtime::Cycle tokens = 0;
    for (const runtime::Cycle wait : row.wait_token) tokens += wait;
    ledger[row.unit] = {
        {"busy", row.busy},           {"wait_push", row.wait_push},     {"wait_token", tokens},
        {"wait_port", row.wait_port}, {"wait_memory", row.wait_memory}, {"idle", row.idle}};
  }
  json["board"] = {{"address", options.device},
                   {"runs", board.runs.size()},
                   {"cycles", cycles},
                   {"difference", cycles - board.result.run.cycles},
                   {"ms", Milliseconds(cycles, spec)},
                   {"measured_ms", measured},
                   {"ledger", ledger}};
  return JsonText(json);
}

}  // namespace cosim::cli
