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
  session::BoardResult::Seconds seconds;
};

// The frame, and what it is made of: the last one is what the others leave.
const std::vector<Part>& Parts() {
  static const std::vector<Part> parts = {{"frame", "frame", &BoardMeasurement::total_s},
                                          {"accelerator", "accelerator", &BoardMeasurement::accelerator_s},
                                          {"host layers", "host_layers", &BoardMeasurement::host_s},
                                          {"copies", "copies", &BoardMeasurement::copies_s},
                                          {"the rest", "rest", &BoardMeasurement::RestSeconds}};
  return parts;
}

// Of one run, in whole microseconds, so that the sum holds as it is printed.
std::string SumText(const BoardMeasurement& run) {
  const auto microseconds = [](double seconds) { return std::llround(1e6 * seconds); };
  std::string text;
  int64_t rest = 0;
  for (size_t i = 0; i < Parts().size(); ++i) {
    const int64_t part = i + 1 < Parts().size() ? microseconds(Parts()[i].seconds(run)) : rest;
    rest = i == 0 ? part : rest - part;
    text += fmt::format("{}{} {:.3f} ms",
                        i == 0   ? " "
                        : i == 1 ? " = "
                                 : " + ",
                        Parts()[i].name, 1e-3 * static_cast<double>(part));
  }
  return text;
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

// Frames in flight share the host: a frame's parts do not add up to what it adds to the whole.
std::string FramesLine(const session::BoardResult& board) {
  const session::BoardFrames& frames = *board.frames;
  const auto count = static_cast<double>(board.runs.size());
  return fmt::format(
      "  measured there: {:.3f} ms from first to last, {:.2f} frames/s; host layers and copies {:.3f} ms, {} "
      "of "
      "it while the accelerator had another frame",
      1e3 * frames.wall_s, count / frames.wall_s, 1e3 * frames.host_s,
      Percent(frames.host_s > 0 ? frames.overlapped_s / frames.host_s : 0));
}

// The same overlap, by the accelerator's counters instead of the clock.
std::string MeanwhileLine(const session::BoardResult& board) {
  const runtime::Meanwhile& meanwhile = board.frames->meanwhile;
  if (meanwhile.stretches == 0) return "";
  runtime::Cycle cycles = 0;
  for (const BoardMeasurement& run : board.runs) cycles += run.cycles;
  return fmt::format(
      "  by its counters: {} of {} cycles while the host worked on another frame; "
      "{} of {} of that work within one run\n",
      Grouped(meanwhile.cycles), Grouped(cycles), Grouped(meanwhile.inside_one),
      Counted(static_cast<size_t>(meanwhile.stretches), "piece"));
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
  std::string text = fmt::format("board {}, {}:\n", options.device,
                                 Counted(board.runs.size(), board.frames ? "frame" : "run"));
  text += CycleLine(board, spec) + LedgerLine(board);
  if (board.frames) {
    text += FramesLine(board);
    const auto rate = board.result.end_to_end.PipelinedFramesPerSecond();
    text += rate ? fmt::format("; simulated and estimated {:.2f} frames/s: {}\n", *rate,
                               More(static_cast<double>(board.runs.size()) / board.frames->wall_s, *rate))
                 : "\n";
    return text + MeanwhileLine(board);
  }
  const BoardMeasurement& run = board.MedianRun();
  text +=
      fmt::format("  measured there{}:{}", board.runs.size() > 1 ? " (the median run)" : "", SumText(run));
  const auto frame = board.result.end_to_end.FrameMs();
  return text + (frame ? fmt::format("; simulated and estimated {:.3f} ms: {}\n", *frame,
                                     More(1e3 * run.total_s, *frame))
                       : "\n");
}

std::string WithBoard(const std::string& run_json, const session::BoardResult& board, const isa::Spec& spec,
                      const session::Options& options) {
  OrderedJson json = OrderedJson::parse(run_json);
  const runtime::Cycle cycles = board.runs.front().cycles;
  OrderedJson measured = OrderedJson::object();
  for (const Part& part : Parts())
    measured[part.key] = {{"median", 1e3 * board.Median(part.seconds)},
                          {"min", 1e3 * board.Least(part.seconds)}};
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
  if (const auto& frames = board.frames)
    json["board"]["frames"] = {{"count", board.runs.size()},
                               {"wall_s", frames->wall_s},
                               {"host_s", frames->host_s},
                               {"overlapped_s", frames->overlapped_s}};
  if (board.frames && board.frames->meanwhile.stretches > 0)
    json["board"]["frames"]["meanwhile"] = {{"cycles", board.frames->meanwhile.cycles},
                                            {"pieces", board.frames->meanwhile.stretches},
                                            {"inside_one_run", board.frames->meanwhile.inside_one}};
  return JsonText(json);
}

}  // namespace cosim::cli
