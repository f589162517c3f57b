// SPDX-License-Identifier: Apache-2.0
// cosim check: the verifier, on a program text or on the programs a network compiles to.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "cli/json_option.h"
#include "cli/model_files.h"
#include "cli/module.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/session/session.h"
#include "isa/program/assembler.h"
#include "isa/spec/loader.h"
#include "isa/verify/verify.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

// As opposed to a program text.
bool IsNetwork(const std::string& name) {
  const auto& names = graph::zoo::Names();
  return import::IsModelFile(name) || NamesModule(name) ||
         std::find(names.begin(), names.end(), name.substr(0, name.find(':'))) != names.end();
}

/// What the verifier said of programs; `findings` is empty where it has nothing against them.
int Report(const po::variables_map& values, const std::string& what, size_t programs, size_t instructions,
           const std::string& counted, const std::string& findings) {
  nlohmann::ordered_json json = {{"checked", what},
                                 {"ok", findings.empty()},
                                 {"programs", programs},
                                 {"instructions", instructions},
                                 {"findings", nlohmann::ordered_json::array()}};
  for (const auto line : std::views::split(findings, '\n'))
    if (!line.empty()) json["findings"].push_back(std::string(line.begin(), line.end()));
  const std::string text =
      findings.empty()
          ? fmt::format(
                "{}: {}: no deadlock, no race, all accesses in bounds, all that is read was written\n", what,
                counted)
          : findings;
  return PrintWithJson(values, text, json) && findings.empty() ? 0 : 1;
}

int CheckNetworkPrograms(const po::variables_map& values, const isa::Spec& spec, const graph::Graph& graph,
                         const std::string& model, int threads) {
  const auto [network, findings] = [&] {
    ProgressLine line;
    line.Doing("compiling and checking " + model);
    auto compiled = session::CompileFor(
        spec, graph,
        {.virtual_threads = threads, .channels_last = !import::IsModelFile(model), .after_pass = {}});
    std::string found = session::VerifyPrograms(spec, compiled);
    return std::pair(std::move(compiled), std::move(found));
  }();
  size_t programs = 0, instructions = 0;
  for (const auto& step : network.steps)
    if (const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step)) {
      ++programs;
      instructions += accelerator->program.instructions.size();
    }
  return Report(values, model, programs, instructions,
                fmt::format("{}, {}", Counted(programs, "program"), Counted(instructions, "instruction")),
                findings);
}

int CheckText(const po::variables_map& values, const isa::Spec& spec, const std::string& path) {
  Diagnostics diags;
  const auto source = isa::ReadSource(path, diags);
  const auto assembly = source ? isa::Assemble(spec, *source, diags) : std::nullopt;
  if (!assembly) {
    PrintError("{}", diags.Render());
    return 1;
  }
  isa::VerifyOptions options;
  options.layer = [&](int64_t i) {
    return fmt::format("{}:{}", assembly->locations[i].file, assembly->locations[i].line);
  };
  const auto result = isa::Verify(spec, assembly->program, options);
  const size_t instructions = assembly->program.instructions.size();
  return Report(values, path, 1, instructions, fmt::format("{} instructions", instructions),
                result.ok() ? "" : result.Render());
}

}  // namespace

int CheckVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  AddActivationBits(options);
  options.add_options()("virtual-threads", po::value<int>()->value_name("N")->default_value(2),
                        "virtual threads a kernel, for a network");
  AddShapeOption(options);
  AddJsonOption(options);
  const auto parsed = Parse(arguments, options, "check PROGRAM|NETWORK|FILE.tflite|FILE.onnx [--config=FILE]",
                            "cosim check small_cnn --config=tiny.yaml", "PROGRAM");
  if (parsed.exit) return *parsed.exit;
  const int threads = parsed.values["virtual-threads"].as<int>();
  if (threads < 1 || threads > 8) return Fail("--virtual-threads: from 1 to 8");
  if (!CheckJsonOption(parsed.values)) return 1;
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;
  const std::string program = parsed.values["PROGRAM"].as<std::string>();
  if (!IsNetwork(program)) return CheckText(parsed.values, *spec, program);
  const auto graph = LoadGraph(parsed.values, *spec, program, 1);
  return graph ? CheckNetworkPrograms(parsed.values, *spec, *graph, program, threads) : 1;
}

}  // namespace cosim::cli
