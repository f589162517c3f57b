// SPDX-License-Identifier: Apache-2.0
// cosim check: the verifier, on a program text or on the programs a network compiles to.
#include <fmt/format.h>

#include <algorithm>

#include "cli/model_files.h"
#include "cli/module.h"
#include "cli/options.h"
#include "cli/print.h"
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

int CheckNetworkPrograms(const isa::Spec& spec, const graph::Graph& graph, const std::string& model,
                         int threads) {
  const auto network = session::CompileFor(
      spec, graph,
      {.virtual_threads = threads, .channels_last = !import::IsModelFile(model), .after_pass = {}});
  size_t programs = 0, instructions = 0;
  for (const auto& step : network.steps)
    if (const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step)) {
      ++programs;
      instructions += accelerator->program.instructions.size();
    }
  const std::string findings = session::VerifyPrograms(spec, network);
  Print("{}", findings);
  if (findings.empty())
    Print("{}: {}, {}: no deadlock, no race, all accesses in bounds, all that is read was written\n", model,
          Counted(programs, "program"), Counted(instructions, "instruction"));
  return findings.empty() ? 0 : 1;
}

int CheckText(const isa::Spec& spec, const std::string& path) {
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
  Print("{}", result.Render());
  if (result.ok())
    Print("{}: {} instructions: no deadlock, no race, all accesses in bounds, all that is read was written\n",
          path, assembly->program.instructions.size());
  return result.ok() ? 0 : 1;
}

}  // namespace

int CheckVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  AddActivationBits(options);
  options.add_options()("virtual-threads", po::value<int>()->value_name("N")->default_value(2),
                        "virtual threads a kernel, for a network");
  AddShapeOption(options);
  const auto parsed = Parse(arguments, options, "check PROGRAM|NETWORK|FILE.tflite|FILE.onnx [--config=FILE]",
                            "cosim check small_cnn --config=tiny.yaml", "PROGRAM");
  if (parsed.exit) return *parsed.exit;
  const int threads = parsed.values["virtual-threads"].as<int>();
  if (threads < 1 || threads > 8) return Fail("--virtual-threads: from 1 to 8");
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;
  const std::string program = parsed.values["PROGRAM"].as<std::string>();
  if (!IsNetwork(program)) return CheckText(*spec, program);
  const auto graph = LoadGraph(parsed.values, *spec, program, 1);
  return graph ? CheckNetworkPrograms(*spec, *graph, program, threads) : 1;
}

}  // namespace cosim::cli
