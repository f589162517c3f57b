// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "isa/yaml/reader.h"

namespace cosim::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"run", "compile a network, run it on a device, check the outputs, report cycles", RunVerb},
    {"inspect", "say what a model file holds, and what of it would run where", InspectVerb},
    {"explain", "say why each layer of a network takes its cycles, and what would lift it", ExplainVerb},
    {"sweep", "run many configurations, each a row of a database", SweepVerb},
    {"search", "search a plan's designs for the front of several objectives, each a row of a database",
     SearchVerb},
    {"compare", "say what differs between runs, layer by layer, and in their configurations", CompareVerb},
    {"pareto", "print the points of a sweep that no other beats", ParetoVerb},
    {"tune", "search for schedules of fewer cycles, for run --tuned", TuneVerb},
    {"report", "make a page for a browser of a run or a sweep, one file without network access", ReportVerb},
    {"compile", "compile a network into a module, one file that run takes", CompileVerb},
    {"disasm", "print the accelerator programs of a network", DisasmVerb},
    {"asm", "assemble a program text", AsmVerb},
    {"check", "verify a program text or a network's programs: deadlocks, races, bounds", CheckVerb},
    {"isa", "document ISAs, compare two, begin one, make the header for C", IsaVerb},
    {"synth", "size of the accelerator by Yosys, against the board's budget", SynthVerb},
    {"export", "write the accelerator as files for a board: IP-XACT, Vivado script, device tree", ExportVerb},
    {"flash", "load a bitstream on a Pynq or Ultra96, and read the accelerator's registers back", FlashVerb},
    {"quantize", "quantize a float model file to int8, with calibration inputs", QuantizeVerb},
    {"accuracy", "measure how often a model file is right on labelled inputs", AccuracyVerb},
    {"conformance", "run the ONNX backend suite through the importer", ConformanceVerb},
    {"configs", "list the configurations", ConfigsVerb},
    {"models", "list the networks", ModelsVerb},
    {"version", "print the version and the commit it was built from", VersionVerb},
};

std::string Usage() {
  std::string text = "usage: cosim VERB [options]\n\n";
  for (const Verb& verb : kVerbs) text += fmt::format("  {:<12} {}\n", verb.name, verb.summary);
  return text +
         "\n`cosim VERB --help` explains a verb, `cosim help CODE` a diagnostic, as in `cosim help E0103`.\n"
         "Start with:\n  cosim run resnet18 --config=pynq.yaml\n";
}

}  // namespace

std::span<const Verb> Verbs() { return kVerbs; }

namespace {

int Unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  const std::string closest = isa::ClosestName(name, names), list = "`cosim --help` lists them";
  return Fail(fmt::format("unknown verb '{}'", name),
              closest.empty() ? list : fmt::format("did you mean '{}'? {}", closest, list));
}

int Dispatch(const std::string& name, const Arguments& arguments) {
  const auto verb = std::ranges::find(kVerbs, name, &Verb::name);
  return verb == std::end(kVerbs) ? Unknown(name) : verb->run(arguments);
}

int Run(const Arguments& arguments) {
  if (arguments.empty()) {
    PrintError("{}", Usage());
    return 1;
  }
  const std::string& first = arguments[0];
  if (first == "--version") return VersionVerb({arguments.begin() + 1, arguments.end()});
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    Print("{}", Usage());
    return 0;
  }
  if (first != "help") return Dispatch(first, {arguments.begin() + 1, arguments.end()});
  if (arguments.size() > 2) return Fail("there are too many arguments", "usage: cosim help [VERB|CODE]");
  if (LooksLikeCode(arguments[1])) return ExplainCode(arguments[1]);
  return arguments[1] == "help" ? Run({"help"}) : Dispatch(arguments[1], {"--help"});
}

}  // namespace

// That standard output does not take all is noticed when what was printed goes out: by the printing function,
// which throws, or at the end.
int Main(const Arguments& arguments) {
  OpenStandardFiles();
  int status = 1;
  try {
    status = Run(arguments);
  } catch (const std::filesystem::filesystem_error& error) {
    status = Fail(error.what());
  } catch (const std::system_error& error) {
    if (!std::ferror(stdout)) throw;
    errno = error.code().value();
  } catch (const std::bad_alloc&) {
    status = Fail("there is not enough memory for that");
  }
  return FlushOutput() ? status : 1;
}

}  // namespace cosim::cli
