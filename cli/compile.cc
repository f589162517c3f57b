// SPDX-License-Identifier: Apache-2.0
// cosim compile: a network as a module, one file that `cosim run` takes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/host_target.h"
#include "cli/json_option.h"
#include "cli/model_files.h"
#include "cli/module.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/text.h"
#include "cli/tuned_schedules.h"
#include "cli/verbs.h"
#include "compiler/session/module.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

/// What is to be compiled: a network of the zoo, or a model file, which may travel with the module. Prints
/// mistakes.
bool FindModel(const po::variables_map& values, session::ModuleOptions& compile) {
  const std::string path = compile.network;
  if (!import::IsModelFile(path)) {
    if (values.count("shape"))
      return Fail(fmt::format("--shape is for models from files; {} has arguments, as in {}:size=64", path,
                              path)),
             false;
    return CheckNetwork(path);
  }
  compile.model = ImportModel(values, path);
  if (!compile.model) return false;
  compile.network = compile.model->graph.name();
  Diagnostics diagnostics;
  auto bytes = import::ReadWhole(path, diagnostics);
  if (!bytes) return PrintError("{}", diagnostics.Render()), false;
  compile.file = {std::filesystem::path(path).filename().string(), std::move(*bytes),
                  ImportOptionsIn(values)->shapes};
  return true;
}

/// Prints it, or writes it as JSON. `origin` is as `run` prints it.
bool Summarize(const po::variables_map& values, const runtime::Module& module, const isa::Spec& spec,
               size_t bytes, const std::string& path, const std::string& origin) {
  size_t programs = 0, instructions = 0, calls = 0, routines = 0, constants = 0;
  for (const auto& step : module.network.steps) {
    const auto* program = std::get_if<runtime::AcceleratorStep>(&step);
    if (!program) {
      const auto& call = std::get<runtime::CpuStep>(step);
      ++calls;
      routines += dynamic_cast<const runtime::RoutineSymbol*>(call.kernel.get()) ? 1 : 0;
      continue;
    }
    ++programs;
    instructions += program->program.instructions.size();
    for (const auto& segment : program->program.segments)
      if (segment.kind == isa::Segment::Kind::kConstants) constants += segment.bytes.size();
  }
  std::string text = fmt::format("{}: {} on {} ({}), spec {}\n", path, module.provenance.model, spec.config,
                                 spec.isa, spec.FingerprintText());
  text +=
      fmt::format("  {} of {}, {} ({} {}), {} of weights, {} in all\n", Counted(programs, "program"),
                  Counted(instructions, "instruction"), Counted(calls, "CPU call"), module.code.architecture,
                  module.code.level, Counted(constants, "byte"), Counted(bytes, "byte"));
  if (module.model)
    text += fmt::format("  {} to routines of cosim's own, made from {} ({}), which is in the module\n",
                        Counted(routines, "CPU call"), module.model->name,
                        Counted(module.model->bytes.size(), "byte"));
  return PrintWithJson(values, path == "-" ? "" : text + origin,
                       {{"module", path},
                        {"network", module.provenance.model},
                        {"config", spec.config},
                        {"isa", spec.isa},
                        {"fingerprint", spec.FingerprintText()},
                        {"programs", programs},
                        {"instructions", instructions},
                        {"host_calls", calls},
                        {"routines", routines},
                        {"host_target", module.code.architecture + " " + module.code.level},
                        {"constant_bytes", constants},
                        {"bytes", bytes}});
}

}  // namespace

int CompileVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  AddActivationBits(options);
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                        "the module to write (default: MODEL.cosim); - is standard output")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2), "virtual threads a kernel")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights and inputs")(
      "samples", po::value<int>()->value_name("N")->default_value(1),
      "inputs to store with their golden outputs, for `cosim run` to check");
  AddHostTarget(options, cpu::DefaultObjectTarget());
  AddShapeOption(options);
  AddTunedOption(options);
  AddJsonOption(options);
  const auto parsed = Parse(arguments, options, "compile NETWORK|FILE.tflite|FILE.onnx [-o FILE] [options]",
                            "cosim compile mlp --config=tiny.yaml -o mlp.cosim", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  session::ModuleOptions compile;
  compile.network = values["MODEL"].as<std::string>();
  compile.seed = values["seed"].as<uint64_t>();
  compile.virtual_threads = values["virtual-threads"].as<int>();
  compile.samples = values["samples"].as<int>();
  if (compile.virtual_threads < 1 || compile.virtual_threads > 8)
    return Fail("--virtual-threads: from 1 to 8");
  if (compile.samples < 1 || compile.samples > 64) return Fail("--samples: from 1 to 64");
  const auto target = HostTargetIn(values);
  if (!target) return 1;
  compile.host_target = *target;
  if (!FindModel(values, compile)) return 1;
  const std::string path =
      values.count("output") ? values["output"].as<std::string>() : compile.network + ".cosim";
  if (import::IsModelFile(path))
    return Fail(fmt::format("--output={}: that names a model file", path), "modules end in .cosim");
  if (!CheckWritable(path) || !CheckJsonOption(values)) return 1;
  if (path == "-" && values["json"].as<std::string>() == "-")
    return Fail("--json=-: standard output is the module's", "name a file for one of them");
  auto source = LoadSpecWithSource(values);
  if (!source) return 1;
  const auto activation_bits = ActivationBitsIn(values, source->spec);
  if (!activation_bits) return 1;
  compile.activation_bits = *activation_bits;
  auto tuned = TunedSchedules(values, source->spec, compile.activation_bits, compile.virtual_threads);
  if (!tuned) return 1;
  compile.tuned = std::move(*tuned);
  compile.host_schedules = LoggedHostSchedules(values, cpu::ObjectTarget(compile.host_target));

  const session::ExperimentKey key{NetworkIdentity(values), compile.seed, compile.activation_bits,
                                   compile.virtual_threads, Identity(compile.tuned)};
  std::string error;
  const auto module = [&] {
    ProgressLine line;
    line.Doing("compiling " + values["MODEL"].as<std::string>());
    return session::MakeModule(source->spec, std::move(source->source), compile, error);
  }();
  if (!module) return Fail(error);
  const auto bytes = TaggedModule(*module);
  if (!WriteFile(path, {bytes.begin(), bytes.end()})) return 1;
  if (path == "-" && values["json"].as<std::string>().empty()) return 0;
  const std::string origin =
      OriginLines(session::OriginOf(source->spec, module->spec, source->isa_path, source->config_path, key));
  return Summarize(values, *module, source->spec, bytes.size(), path, origin) ? 0 : 1;
}

}  // namespace cosim::cli
