// SPDX-License-Identifier: Apache-2.0
// cosim run: one network, one configuration, one device; checked outputs and where the cycles went.
#include <fmt/format.h>

#include "cli/energy_option.h"
#include "cli/model_files.h"
#include "cli/module.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/report.h"
#include "cli/report_checks.h"
#include "cli/rtl_options.h"
#include "cli/run_board.h"
#include "cli/run_host.h"
#include "cli/trace/network_trace.h"
#include "cli/tuned_schedules.h"
#include "cli/verbs.h"
#include "compiler/session/module.h"
#include "compiler/session/session.h"
#include "isa/spec/config_host.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

std::optional<session::Require> ParseRequire(const std::string& text) {
  if (text.empty()) return session::Require::kNothing;
  if (text == "macs") return session::Require::kMacs;
  if (text == "all") return session::Require::kAll;
  return std::nullopt;
}

/// Writes what --timeline asks for; prints mistakes.
bool WriteTimeline(const std::string& path, const isa::Spec& spec, const runtime::Network& network) {
  std::string error;
  const auto bytes = NetworkTrace(spec, network, error);
  if (!bytes) return Fail(error), false;
  return WriteFile(path, *bytes);
}

int Report(const po::variables_map& values, const session::Result& result, const isa::Spec& spec,
           const session::Options& options, session::Require require, const std::string& json) {
  // Standard output is the table's, unless something else was sent there.
  const auto is_output = [&](const char* option) {
    return values.count(option) && values[option].as<std::string>() == "-";
  };
  const bool is_taken = json == "-" || is_output("output") || is_output("timeline");
  if (!is_taken) Print("{}", RunTable(result, spec, options));
  if (!json.empty() && !WriteFile(json, RunJson(result, spec, options))) return 1;
  if (values.count("timeline") && !WriteTimeline(values["timeline"].as<std::string>(), spec, result.network))
    return 1;
  const std::string violation = session::Violation(require, result.network);
  if (!violation.empty())
    return Fail(
        fmt::format("--require={}: {}", require == session::Require::kMacs ? "macs" : "all", violation));
  return result.Mismatches() == 0 ? 0 : 1;
}

// Runs `work` with progress shown, and reports.
template <typename Work>
int RunAndReport(const SpecWithSource& loaded, const po::variables_map& values, session::Options& run,
                 const session::ExperimentKey& key, const std::string& json, Work work) {
  const isa::Spec& spec = loaded.spec;
  const auto energy = EnergyIn(values, loaded);
  if (!energy) return 1;
  std::string error;
  std::optional<session::Result> result;
  {
    ProgressLine line;
    run.progress = line.Teller();
    run.step = line.Steps();
    result = work(error);
    run.progress = {};
    run.step = {};
  }
  if (result && !Describe(loaded, key, *result, error)) result.reset();
  if (!result) return Fail(error);
  if (energy->costs)
    result->energy = session::EnergyOf(spec, result->work, result->end_to_end, run.host, *energy->costs);
  const int status =
      Report(values, *result, spec, run, *ParseRequire(values["require"].as<std::string>()), json);
  return WriteOutputs(values, *result) ? status : 1;
}

int RunNetwork(const po::variables_map& values, session::Options& run, const std::string& json) {
  const auto loaded = LoadSpecWithSource(values);
  if (!loaded) return 1;
  const isa::Spec& spec = loaded->spec;
  run.host = isa::HostOf(loaded->source.config, loaded->source.overrides);
  const auto activation_bits = ActivationBitsIn(values, spec);
  if (!activation_bits || !BuildRtlOf(spec, run)) return 1;
  run.activation_bits = *activation_bits;
  auto tuned = TunedSchedules(values, spec, run.activation_bits, run.virtual_threads);
  if (!tuned) return 1;
  run.tuned = std::move(*tuned);
  const session::ExperimentKey key{NetworkIdentity(values), run.seed, run.activation_bits,
                                   run.virtual_threads, Identity(run.tuned)};
  return RunAndReport(*loaded, values, run, key, json,
                      [&](std::string& error) { return session::RunExperiment(spec, run, error); });
}

int RunModuleFile(const po::variables_map& values, session::Options& run, const std::string& json) {
  for (const char* option : {"seed", "virtual-threads"})
    if (!values[option].defaulted())
      return Fail(fmt::format("--{}: a module was compiled with its own", option));
  if (values.count("shape")) return Fail("--shape: a module was compiled for the shapes it has");
  if (values.count("tuned")) return Fail("--tuned: a module was compiled with its own schedules");
  if (values.count("activation-bits")) return Fail("--activation-bits: a module was compiled with its own");
  if (run.check == session::Check::kLayers)
    return Fail("--check=layers: a module has the golden outputs, not the golden layers",
                "run the network it was compiled from");
  auto linked = LoadModule(run.network, values);
  if (!linked || !BuildRtlOf(linked->loaded.spec, run)) return 1;
  auto inputs = InputsFor(values, linked->module.network.inputs);
  if (!inputs) return 1;
  run.inputs = std::move(*inputs);
  const runtime::Provenance provenance = linked->module.provenance;
  run.host = isa::HostOf(linked->loaded.source.config, linked->loaded.source.overrides);
  run.seed = provenance.seed;
  run.virtual_threads = provenance.virtual_threads;
  const session::ExperimentKey key{
      fmt::format("module {:08x} of {} by {}", provenance.checksum, provenance.model, provenance.producer),
      run.seed, 0, run.virtual_threads};
  return RunAndReport(linked->loaded, values, run, key, json, [&](std::string& error) {
    return session::RunModule(linked->loaded.spec, std::move(linked->module), run, error);
  });
}

}  // namespace

int RunVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()(
      "device", po::value<std::string>()->value_name("NAME")->default_value("cycle"),
      "functional | cycle | rtl | tlm | tlm-rtl; host: no accelerator, all of it on this machine; "
      "ssh://[USER@]BOARD[:PORT], or board for that of the configuration, of $COSIM_BOARD, or this machine")(
      "timing-only", "count cycles without computing data (cycle device)")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2),
      "virtual threads a kernel: 1 hides no latency")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights and inputs")(
      "check", po::value<std::string>()->value_name("WHAT")->default_value("outputs"),
      "outputs | layers | none: what is compared with the golden model")(
      "require", po::value<std::string>()->value_name("WHAT")->default_value(""),
      "macs | all: fail when the host computes MACs, or has any step")(
      "simd", po::value<std::string>()->value_name("LEVEL"),
      "portable | avx2 | avx512vnni: kernels of the simulator (default: the best)")(
      "frames", po::value<int>()->value_name("N")->default_value(1),
      "inputs to run: the CPU steps of one while the accelerator has another")(
      "jobs", po::value<int>()->value_name("N")->default_value(1),
      "accelerators to simulate at a time, for --frames")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write the report as JSON; - is standard output")(
      "timeline", po::value<std::string>()->value_name("FILE"),
      "write what every unit did when, as a trace for ui.perfetto.dev (FILE.pftrace); - is standard output")(
      "trust", "of a module that was not compiled here: run its machine code, as a program of yours");
  AddEnergyOption(options);
  AddActivationBits(options);
  AddTunedOption(options);
  AddModelOptions(options);
  AddRtlOptions(options);
  AddHostOptions(options);
  AddBoardOptions(options);
  auto parsed =
      Parse(arguments, options, "run NETWORK|FILE.tflite|FILE.onnx|FILE.cosim [--config=FILE] [options]",
            "cosim run resnet18 --config=pynq.yaml", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  if (values["device"].as<std::string>() == "host") return RunOnHost(values);
  if (NamesBoard(values["device"].as<std::string>())) return RunOnBoard(values);
  if (!HasNoHostOptions(values) || !HasNoBoardOptions(values)) return 1;

  session::Options run;
  run.network = values["MODEL"].as<std::string>();
  run.device = values["device"].as<std::string>();
  run.seed = values["seed"].as<uint64_t>();
  run.timing_only = values.count("timing-only") > 0;
  run.virtual_threads = values["virtual-threads"].as<int>();
  run.report_quantization = values["check"].as<std::string>() == "layers";
  const std::string json = values["json"].as<std::string>();
  const auto check = CheckIn(values);
  if (!check) return 1;
  run.check = *check;
  if (!ParseRequire(values["require"].as<std::string>()))
    return Fail(fmt::format("--require={}: not one of macs, all", values["require"].as<std::string>()));
  if (!CheckDevice(run.device, /*or_host=*/true)) return 1;
  if (run.timing_only && run.device == "functional")
    return Fail("--timing-only: the functional device has no timing", "use --device=cycle");
  for (const char* option : {"timeline", "energy"})
    if (values.count(option) && run.device == "functional")
      return Fail(fmt::format("--{}: the functional device has no timing", option), "use --device=cycle");
  if (run.timing_only && run.device != "cycle")
    return Fail(fmt::format("--timing-only: the {} device always moves data", run.device),
                "use --device=cycle");
  if (run.timing_only && run.check == session::Check::kLayers)
    return Fail("--timing-only computes nothing that --check=layers could compare");
  if (run.virtual_threads < 1 || run.virtual_threads > 8) return Fail("--virtual-threads: from 1 to 8");
  run.frames = values["frames"].as<int>();
  run.jobs = values["jobs"].as<int>();
  if (run.frames < 1 || run.frames > 100000) return Fail("--frames: from 1 to 100000");
  if (run.jobs < 1 || run.jobs > 256) return Fail("--jobs: from 1 to 256");
  if (run.jobs > 1 && run.frames == 1) return Fail("--jobs: one frame is one job", "use --frames=N too");
  if (run.frames > 1 && run.timing_only)
    return Fail("--timing-only: every frame takes the cycles of the first", "leave out --frames");
  if (run.frames > 1 && run.check == session::Check::kLayers)
    return Fail("--check=layers looks at one frame", "leave out --frames");
  if (run.frames > 1 && run.device.starts_with("tlm"))
    return Fail("--frames: there is one tlm platform in a process, and frames in flight take two",
                "use --device=cycle");
  if (values.count("simd")) {
    const auto level = sim::ParseSimdLevel(values["simd"].as<std::string>());
    if (!level)
      return Fail(
          fmt::format("--simd={}: not one of portable, avx2, avx512vnni", values["simd"].as<std::string>()));
    if (!sim::IsSupported(*level))
      return Fail(fmt::format("this machine has no {}", sim::SimdLevelName(*level)));
    run.simd = *level;
  }
  if (!ReadRtlOptions(values, run)) return 1;
  if (!json.empty() && !CheckWritable(json)) return 1;
  if (values.count("timeline") && !CheckWritable(values["timeline"].as<std::string>())) return 1;
  if (!CheckOutputOptions(values)) return 1;
  if (NamesModule(run.network)) return RunModuleFile(values, run, json);
  if (values.count("trust")) return Fail("--trust is for modules", "what is compiled now is trusted anyhow");
  if (!LoadNetwork(values, run)) return 1;
  return RunNetwork(values, run, json);
}

}  // namespace cosim::cli
