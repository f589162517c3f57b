// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <fmt/format.h>

#include <cstdio>
#include <system_error>

#include "cli/options.h"
#include "cli/output_file.h"
#include "isa/yaml_reader.h"

namespace cosim::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"run", "compile a network, run it on a device, check the outputs, report cycles", RunVerb},
    {"explain", "say why each layer of a network takes its cycles, and what would lift it", ExplainVerb},
    {"compile", "compile a network into a module, one file that run takes", CompileVerb},
    {"disasm", "print the accelerator programs of a network", DisasmVerb},
    {"asm", "assemble a program text", AsmVerb},
    {"check", "verify a program text or a network's programs: deadlocks, races, bounds", CheckVerb},
    {"isa", "print the reference of an ISA under a configuration", IsaVerb},
    {"synth", "size of the accelerator by Yosys, against the board's budget", SynthVerb},
    {"quantize", "quantize a float model file to int8, with calibration inputs", QuantizeVerb},
    {"accuracy", "measure how often a model file is right on labelled inputs", AccuracyVerb},
    {"conformance", "run the ONNX backend suite through the importer", ConformanceVerb},
    {"configs", "list the configurations", ConfigsVerb},
    {"models", "list the networks", ModelsVerb},
};

std::string Usage() {
  std::string text = "usage: cosim VERB [options]\n\n";
  for (const Verb& verb : kVerbs) text += fmt::format("  {:<12} {}\n", verb.name, verb.summary);
  text += "\n`cosim VERB --help` explains a verb. Start with:\n  cosim run resnet18 --config=pynq.yaml\n";
  return text;
}

// A full disk is noticed when what was printed goes out: by the printing function, which throws, or at the
// end.
int Dispatch(const Verb& verb, const Arguments& arguments) {
  int status = 1;
  try {
    status = verb.run(arguments);
  } catch (const std::system_error&) {
    if (!std::ferror(stdout)) throw;
  }
  return FlushOutput() ? status : 1;
}

}  // namespace

std::span<const Verb> Verbs() { return kVerbs; }

int Main(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    fmt::print(arguments.empty() ? stderr : stdout, "{}", Usage());
    return arguments.empty() ? 1 : 0;
  }
  if (arguments[0] == "--version") return fmt::print("cosim {}\n", COSIM_VERSION), 0;
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    if (arguments[0] == verb.name) return Dispatch(verb, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb.name);
  }
  const std::string closest = isa::ClosestName(arguments[0], names), list = "`cosim --help` lists them";
  return Fail(fmt::format("unknown verb '{}'", arguments[0]),
              closest.empty() ? list : fmt::format("did you mean '{}'? {}", closest, list));
}

}  // namespace cosim::cli
