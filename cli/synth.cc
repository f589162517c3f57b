// SPDX-License-Identifier: Apache-2.0
// cosim synth: how large the accelerator of a configuration is, by Yosys, against what its board has.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/synth_report.h"
#include "cli/verbs.h"
#include "sim/synth/synthesis.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

namespace fs = std::filesystem;

/// Copies SystemVerilog, script, netlist and log.
bool CopyResults(const fs::path& from, const std::string& to) {
  std::error_code error;
  fs::create_directories(to, error);
  if (!error) fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
  if (error) Fail(fmt::format("cannot write below {}: {}", to, error.message()));
  return !error;
}

}  // namespace

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
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;

  Diagnostics diags;
  const auto progress = [](const std::string& what) { fmt::print(stderr, "{} …\n", what); };
  const auto synthesis = synth::Synthesize(*spec, {progress}, diags);
  if (!synthesis) {
    fmt::print(stderr, "{}", diags.Render());
    return 1;
  }
  if (json != "-") fmt::print("{}", SynthTable(*synthesis, *spec));
  if (!json.empty() && !WriteFile(json, SynthJson(*synthesis, *spec))) return 1;
  if (!output.empty() && !CopyResults(synthesis->folder, output)) return 1;
  return synthesis->Fits() ? 0 : 1;
}

}  // namespace cosim::cli
