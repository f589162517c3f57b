// SPDX-License-Identifier: Apache-2.0
// cosim run: one network, one configuration, one device; checked outputs and where the cycles went.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/rtl_options.h"
#include "cli/verbs.h"
#include "compiler/import/import.h"
#include "compiler/session/session.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

std::optional<session::Check> ParseCheck(const std::string& text) {
  if (text == "outputs") return session::Check::kOutputs;
  if (text == "layers") return session::Check::kLayers;
  if (text == "none") return session::Check::kNone;
  return std::nullopt;
}

bool IsDevice(const std::string& name) {
  for (const char* known : {"functional", "cycle", "rtl", "tlm", "tlm-rtl"})
    if (name == known) return true;
  return false;
}

// On a terminal, one line that says what is being done; elsewhere nothing.
void Progress(const std::string& what) { fmt::print(stderr, "\r\033[K{}{}", what, what.empty() ? "" : " …"); }

int Report(const session::Result& result, const isa::Spec& spec, const session::Options& options,
           const std::string& json) {
  if (json != "-") fmt::print("{}", RunTable(result, spec, options));
  if (!json.empty() && !WriteFile(json, RunJson(result, spec, options))) return 1;
  return result.Mismatches() == 0 ? 0 : 1;
}

}  // namespace

int RunVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("device", po::value<std::string>()->value_name("NAME")->default_value("cycle"),
                        "functional | cycle | rtl | tlm | tlm-rtl")(
      "timing-only", "count cycles without computing data (cycle device)")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2),
      "virtual threads a kernel: 1 hides no latency")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights and inputs")(
      "check", po::value<std::string>()->value_name("WHAT")->default_value("outputs"),
      "outputs | layers | none: what is compared with the golden model")(
      "simd", po::value<std::string>()->value_name("LEVEL"),
      "portable | avx2 | avx512vnni: kernels of the simulator (default: the best)")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write the report as JSON; - is standard output");
  AddModelOptions(options);
  AddRtlOptions(options);
  auto parsed = Parse(arguments, options, "run MODEL [--config=FILE] [options]",
                      "cosim run resnet18 --config=pynq.yaml", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;

  session::Options run;
  run.network = values["MODEL"].as<std::string>();
  run.device = values["device"].as<std::string>();
  run.seed = values["seed"].as<uint64_t>();
  run.timing_only = values.count("timing-only") > 0;
  run.virtual_threads = values["virtual-threads"].as<int>();
  run.report_quantization = values["check"].as<std::string>() == "layers";
  const std::string json = values["json"].as<std::string>();
  const auto check = ParseCheck(values["check"].as<std::string>());
  if (!check)
    return Fail(
        fmt::format("--check={}: not one of outputs, layers, none", values["check"].as<std::string>()));
  run.check = *check;
  if (!IsDevice(run.device))
    return Fail(fmt::format("unknown device '{}'", run.device),
                "known devices: functional, cycle, rtl, tlm, tlm-rtl");
  if (run.timing_only && run.device == "functional")
    return Fail("--timing-only: the functional device has no timing", "use --device=cycle");
  if (run.timing_only && run.device != "cycle")
    return Fail(fmt::format("--timing-only: the {} device always moves data", run.device),
                "use --device=cycle");
  if (run.timing_only && run.check == session::Check::kLayers)
    return Fail("--timing-only computes nothing that --check=layers could compare");
  if (run.virtual_threads < 1 || run.virtual_threads > 8) return Fail("--virtual-threads: from 1 to 8");
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
  const bool from_file = import::IsModelFile(run.network);
  for (const char* option : {"input", "shape", "mean", "scale", "layout"})
    if (values.count(option) && !from_file)
      return Fail(fmt::format("--{} is for models from files; {} gets its inputs from the seed", option,
                              run.network));
  if (from_file ? !LoadModel(values, run) : !CheckNetwork(run.network)) return 1;
  if (values.count("output") && !CheckWritable(values["output"].as<std::string>())) return 1;
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto spec = LoadSpecFrom(values);
  if (!spec || !BuildRtlOf(*spec, run)) return 1;

  const bool terminal = isatty(STDERR_FILENO);
  if (terminal) run.progress = Progress;
  std::string error;
  const auto result = session::RunExperiment(*spec, run, error);
  if (terminal) Progress("");
  if (!result) return Fail(error);
  const int status = Report(*result, *spec, run, json);
  return WriteOutputs(values, *result, run) ? status : 1;
}

}  // namespace cosim::cli
