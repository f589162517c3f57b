// SPDX-License-Identifier: Apache-2.0
// cosim disasm: the accelerator programs a network compiles to, as text that `cosim asm` reads back.
#include <fmt/format.h>

#include <algorithm>

#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "compiler/accel/pipeline.h"
#include "compiler/session/session.h"
#include "isa/program/disassembler.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

bool IsPass(const std::string& name) {
  return std::ranges::any_of(accel::Pipeline(), [&](const accel::Pass& pass) { return pass.name == name; });
}

}  // namespace

int DisasmVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  AddActivationBits(options);
  options.add_options()("virtual-threads", po::value<int>()->value_name("N")->default_value(2),
                        "virtual threads a kernel")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights")(
      "program", po::value<int>()->value_name("K")->default_value(0),
      "which program, if the CPU splits the network")(
      "print-after", po::value<std::string>()->value_name("PASS"),
      ("print the IR after a pass instead: " + accel::PassNames()).c_str())(
      "layer", po::value<std::string>()->value_name("NAME")->default_value(""),
      "with --print-after: only this layer")(
      "contents", "write the segments' bytes too, so that the text can be assembled")(
      "output,o", po::value<std::string>()->value_name("FILE")->default_value("-"),
      "where to write; - is standard output");
  AddShapeOption(options);
  const auto parsed =
      Parse(arguments, options, "disasm NETWORK|FILE.tflite|FILE.onnx [--config=FILE] [options]",
            "cosim disasm mlp --config=tiny.yaml", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  const std::string model = values["MODEL"].as<std::string>(), path = values["output"].as<std::string>();
  const int threads = values["virtual-threads"].as<int>(), wanted = values["program"].as<int>();
  if (threads < 1 || threads > 8) return Fail("--virtual-threads: from 1 to 8");
  const bool prints_ir = values.count("print-after") > 0;
  for (const char* option : {"program", "contents"})
    if (prints_ir && values.count(option) && !values[option].defaulted())
      return Fail(fmt::format("--{}: --print-after prints no program", option));
  if (!prints_ir && !values["layer"].defaulted())
    return Fail("--layer: a program is all layers' together", "use --print-after=PASS too");
  if (!CheckWritable(path)) return 1;
  const auto spec = LoadSpecFrom(values);
  const auto graph = spec ? LoadGraph(values, *spec, model, values["seed"].as<uint64_t>()) : std::nullopt;
  if (!graph) return 1;
  network::CompileOptions compile{.virtual_threads = threads,
                                  .keep_every_value = false,
                                  .channels_last = !import::IsModelFile(model),
                                  .after_pass = {}};
  if (prints_ir) {
    const std::string pass = values["print-after"].as<std::string>(),
                      layer = values["layer"].as<std::string>();
    if (!IsPass(pass)) return Fail(fmt::format("--print-after={}: not one of {}", pass, accel::PassNames()));
    std::string text;
    compile.after_pass = [&](const std::string& at, const std::string& group, const std::string& ir) {
      if (at == pass && (layer.empty() || layer == group))
        text += fmt::format("# {} after {}\n{}", group, at, ir);
    };
    session::CompileFor(*spec, *graph, compile);
    if (text.empty() && layer.empty()) return Fail(fmt::format("{} has no layers on the accelerator", model));
    if (text.empty()) return Fail(fmt::format("no accelerator layer named '{}'", layer));
    return WriteFile(path, text) ? 0 : 1;
  }
  const auto network = [&] {
    ProgressLine line;
    line.Doing("compiling " + model);
    return session::CompileFor(*spec, *graph, compile);
  }();
  int programs = 0;
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (!accelerator || programs++ != wanted) continue;
    isa::DisassembleOptions disassemble;
    disassemble.layer = [&](int64_t i) { return network.layers[accelerator->layer_of[i]].name; };
    disassemble.contents = values.count("contents") > 0;
    return WriteFile(path, isa::Disassemble(*spec, accelerator->program, disassemble)) ? 0 : 1;
  }
  return Fail(fmt::format("there is no program {}: {} has {}", wanted, model, programs),
              programs == 0 ? "`cosim explain --partition` says why no layer runs on the accelerator" : "");
}

}  // namespace cosim::cli
