// SPDX-License-Identifier: Apache-2.0
// cosim synth: how large the accelerator of a configuration is, by Yosys, against what its board has.
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/output_folder.h"
#include "cli/print.h"
#include "cli/provenance.h"
#include "cli/synth_report.h"
#include "cli/verbs.h"
#include "sim/synth/synthesis.h"

namespace cosim::cli {
namespace po = boost::program_options;

int SynthVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("json",
                        po::value<std::string>()->value_name("FILE")->implicit_value("-")->default_value(""),
                        "write the report as JSON; - is standard output")(
      "output,o", po::value<std::string>()->value_name("DIR")->default_value(""),
      "copy SystemVerilog, script, netlist and log there");
  const auto parsed =
      Parse(arguments, options, "synth [--config=FILE] [options]", "cosim synth --config=tiny.yaml");
  if (parsed.exit) return *parsed.exit;
  const std::string json = parsed.values["json"].as<std::string>();
  const std::string output = parsed.values["output"].as<std::string>();
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto loaded = LoadSpecWithSource(parsed.values);
  if (!loaded || (!output.empty() && !MakeFolder(output))) return 1;

  const isa::Spec& spec = loaded->spec;
  Diagnostics diags;
  const auto progress = [](const std::string& what) { PrintError("{} …\n", what); };
  const auto synthesis = synth::Synthesize(spec, {progress}, diags);
  if (!synthesis) {
    PrintError("{}", diags.Render());
    return 1;
  }
  if (json != "-") Print("{}", SynthTable(*synthesis, spec));
  if (!json.empty() && !WriteFile(json, SynthJson(*synthesis, spec, OriginFor(*loaded)))) return 1;
  if (!output.empty() && !WriteFiles(FilesOf(synthesis->folder), output)) return 1;
  return synthesis->Fits() ? 0 : 1;
}

}  // namespace cosim::cli
