// SPDX-License-Identifier: Apache-2.0
// The last lines of the table: totals, and what the RTL was held against.
#include <fmt/format.h>

#include "cli/place_report.h"
#include "cli/provenance.h"
#include "cli/report_checks.h"
#include "cli/report_figures.h"
#include "cli/text.h"
#include "isa/text_escape.h"

namespace cosim::cli {
namespace {

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The accelerator's time is simulated and the host's is measured here: never in one sum.
std::string FramesLines(const session::FramesSummary& frames, const session::Result& result,
                        const isa::Spec& spec) {
  std::string text = fmt::format("frames: {}", frames.count);
  if (result.run.timed)
    text += fmt::format(", accelerator {} cycles, {:.2f} ms simulated", Grouped(frames.cycles),
                        Milliseconds(frames.cycles, spec));
  return text + fmt::format(
                    "\n  on this host, {} simulated at a time: {:.2f} s from first to last, CPU steps {:.4f} "
                    "s, {} of "
                    "them while the accelerator had another frame\n",
                    frames.jobs, frames.wall_s, frames.cpu_step_s,
                    Percent(Share(frames.overlapped_s, frames.cpu_step_s)));
}

std::string Macs(const session::Result& result) {
  std::string text = Grouped(result.macs) + " MACs";
  if (result.macs_host > 0) text += fmt::format(", {} of them on the host", Grouped(result.macs_host));
  return text;
}

// Simulated for the accelerator, estimated for the board's processor: every figure says which it is.
std::string FrameLine(const session::Result& result, const isa::Spec& spec) {
  const session::EndToEnd& times = result.end_to_end;
  const std::string accelerator = times.accelerator_ms
                                      ? fmt::format("{:.2f} ms on the accelerator", *times.accelerator_ms)
                                      : "no timing of the accelerator on this device";
  const std::string host = !times.host_ms ? "an unknown time on the host (the configuration has no 'host:')"
                           : times.host_model.empty() ? "nothing on the host"
                                                      : fmt::format("{:.2f} ms on the host (estimated, {})",
                                                                    *times.host_ms, times.host_model);
  const std::string copies = times.copies_ms ? fmt::format("{:.2f} ms of copies (estimated, {})",
                                                           *times.copies_ms, times.copies_model)
                                             : "an unknown time for copies";
  std::string text = fmt::format("frame: {} + {} + {}", accelerator, host, copies);
  if (const auto frame = times.FrameMs())
    text += fmt::format(" = {:.2f} ms{}", *frame, FrameBandText(result, spec));
  if (const auto rate = times.PipelinedFramesPerSecond())
    text += fmt::format("; {:.1f} frames/s when both work at a time", *rate);
  return text + "\n";
}

std::string EnergyLine(const session::FrameEnergy& energy) {
  const sim::Energy& parts = energy.parts;
  std::string text = "energy (estimated, " + energy.table + "): ";
  text += energy.total_mj ? fmt::format("{:.3f} mJ a frame", *energy.total_mj)
                          : fmt::format("unknown, since {}", energy.unknown);
  text +=
      fmt::format(" = {:.3f} MACs + {:.3f} ALU + {:.3f} on-chip memories + {:.3f} DRAM + {:.3f} instructions",
                  parts.macs, parts.alu, parts.sram, parts.dram, parts.instructions);
  text += energy.total_mj ? fmt::format(" + {:.3f} host", parts.host) : " + host";
  if (parts.leakage > 0) text += fmt::format(" + {:.3f} static", parts.leakage);
  return text + "\n";
}

std::string Totals(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  std::string text;
  if (result.run.timed)
    text += fmt::format("total: {} cycles, {:.2f} ms{} at {:g} MHz, {}, ideal {} cycles, utilisation {}\n",
                        Grouped(result.run.cycles), Milliseconds(result.run.cycles, spec),
                        BandText(result, spec), spec.clock_mhz, Macs(result), Grouped(result.ideal_cycles),
                        Percent(Utilization(result.ideal_cycles, result.run.cycles)));
  else
    text += fmt::format("total: no cycles, {}\n", Macs(result));
  for (const runtime::Place& input : result.network.inputs)
    if (input.image)
      text += fmt::format("input {}: {}, its rows are copied to where the accelerator gathers windows\n",
                          isa::OneLine(input.name), input.type);
  if (result.clock) text += ClockLine(*result.clock);
  text += FrameLine(result, spec);
  if (result.energy) text += EnergyLine(*result.energy);
  for (const session::Warning& warning : result.warnings) text += fmt::format("warning: {}\n", warning.text);
  text += fmt::format("{} on {} ({}), {} device, {} virtual threads, seed {}, spec {}, {} instructions\n",
                      result.network.name, spec.config, spec.isa, options.device, options.virtual_threads,
                      options.seed, spec.FingerprintText(), Grouped(result.instructions));
  if (result.origin) text += OriginLines(*result.origin);
  if (!result.producer.empty())
    text += fmt::format("module {}, compiled by {}\n", options.network, result.producer);
  if (result.frames) text += FramesLines(*result.frames, result, spec);
  text += fmt::format(
      "host CPU seconds: quantize {:.2f}, compile {:.2f}, verify {:.2f}, simulate {:.2f}, check {:.2f}, cpu "
      "layers {:.3f}; peak {:.0f} MiB\n",
      result.host.quantize_s, result.host.compile_s, result.host.verify_s, result.host.simulate_s,
      result.host.check_s, result.host.cpu_fallback_s, result.host.peak_rss_mb);
  return text;
}

// What the RTL was held against, and how fast it ran.
std::string Agreement(const session::Result& result) {
  if (!result.run.model_cycles) return "";
  return fmt::format(
      "cycle simulator: {} cycles, difference {}; equal in every instruction's issue and retirement and in "
      "the "
      "ledger; the RTL ran at {} cycles/s\n",
      Grouped(*result.run.model_cycles), Grouped(result.run.cycles - *result.run.model_cycles),
      Grouped(static_cast<int64_t>(CyclesPerSecond(result))));
}

}  // namespace

std::string RunTotals(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  return Totals(result, spec, options) + Agreement(result) + Verdict(result, options);
}

}  // namespace cosim::cli
