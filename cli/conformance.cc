// SPDX-License-Identifier: Apache-2.0
// cosim conformance onnx: the ONNX backend suite through the importer and the host operators.
#include "compiler/import/onnx/conformance.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/rtl_options.h"
#include "cli/verbs.h"
#include "compiler/session/session.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

/// Models compiled for `spec` and run on a device, the parts of the accelerator checked against the golden
/// model too.
std::optional<std::vector<graph::Tensor>> RunOnDevice(const isa::Spec& spec, session::Options run,
                                                      const import::Model& model,
                                                      const std::vector<graph::Tensor>& inputs,
                                                      std::string& error) {
  run.network = model.graph.name();
  run.model = std::make_shared<const import::Model>(model);
  run.inputs = inputs;
  const auto result = session::RunExperiment(spec, run, error);
  if (!result) return std::nullopt;
  if (result->Mismatches() != 0) return error = "device and golden model differ", std::nullopt;
  std::vector<graph::Tensor> outputs;
  for (size_t i = 0; i < result->run.outputs.size(); ++i) {
    outputs.emplace_back(model.graph.node(model.graph.outputs()[i]).type);
    std::ranges::copy(result->run.outputs[i], outputs.back().mutable_bytes().begin());
  }
  return outputs;
}

}  // namespace

int ConformanceVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()(
      "device", po::value<std::string>()->value_name("NAME")->default_value("host"),
      "host | functional | cycle | rtl: where models run; host: by the host's operators alone")(
      "data", po::value<std::string>()->value_name("DIR")->default_value("/usr/share/libonnx-testdata/data"),
      "the suite, as Debian's libonnx-testdata installs it")(
      "filter", po::value<std::string>()->value_name("TEXT")->default_value(""),
      "only cases whose name contains it")("verbose", "name every case that does not pass, and why")(
      "output,o", po::value<std::string>()->value_name("FILE")->default_value("-"),
      "where the table goes; - is standard output");
  const auto parsed = Parse(arguments, options, "conformance onnx [options]",
                            "cosim conformance onnx --filter=relu", "SUITE");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  if (values["SUITE"].as<std::string>() != "onnx")
    return Fail(fmt::format("unknown suite '{}'", values["SUITE"].as<std::string>()), "known suites: onnx");
  const std::string root = values["data"].as<std::string>(), filter = values["filter"].as<std::string>();
  session::Options run;
  run.device = values["device"].as<std::string>();
  import::ModelRunner runner;
  std::optional<isa::Spec> spec;
  if (run.device != "host") {
    if (run.device != "functional" && run.device != "cycle" && run.device != "rtl")
      return Fail(fmt::format("unknown device '{}'", run.device),
                  "known devices: host, functional, cycle, rtl");
    spec = LoadSpecFrom(values);
    if (!spec || !BuildRtlOf(*spec, run)) return 1;
    runner = [&](const auto& model, const auto& inputs, std::string& error) {
      return RunOnDevice(*spec, run, model, inputs, error);
    };
  }
  const std::string output = values["output"].as<std::string>();
  if (!CheckWritable(output)) return 1;
  std::vector<import::CaseResult> results;
  bool failed = false;
  const auto names = import::ConformanceCases(root);
  if (names.empty())
    return Fail(fmt::format("no cases in {}", root), "Debian's package libonnx-testdata installs them");
  ProgressLine line;
  line.Doing(fmt::format("{} cases", names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    line.Step(i, names.size());
    if (name.find(filter) == std::string::npos) continue;
    results.push_back(import::RunConformanceCase(root, name, runner));
    const auto& result = results.back();
    failed |= result.status == import::CaseStatus::kFail;
    if (values.count("verbose") == 0 || result.status == import::CaseStatus::kPass) continue;
    line.Hide();
    PrintError("{} {}: {}\n", result.status == import::CaseStatus::kFail ? "FAIL" : "unsupported", name,
               result.detail);
  }
  line.Hide();
  if (results.empty()) return Fail(fmt::format("--filter={}: no case has that in its name", filter));
  if (!WriteFile(output, import::ConformanceTable(results))) return 1;
  return failed ? 1 : 0;
}

}  // namespace cosim::cli
