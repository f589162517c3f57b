// SPDX-License-Identifier: Apache-2.0
// cosim synth: how large the accelerator of a configuration is, by Yosys, against what its board has; and how
// fast, placed and routed by nextpnr.
#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <vector>

#include "cli/area_report.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/output_folder.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/synth_report.h"
#include "cli/verbs.h"
#include "isa/sv/generate.h"
#include "sim/rtl/rtl_sources.h"
#include "sim/synth/place.h"
#include "sim/synth/synthesis.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

std::vector<int> SeedsUpTo(int count) {
  std::vector<int> seeds(count);
  std::iota(seeds.begin(), seeds.end(), 1);
  return seeds;
}

/// What --place, --block and --seeds ask for. Nothing after a message: they do not go together.
std::optional<synth::PlaceOptions> PlaceOptionsIn(const po::variables_map& values) {
  const std::string block = values["block"].as<std::string>();
  const int seeds = values["seeds"].as<int>();
  std::string mistake;
  for (const char* option : {"block", "seeds"})
    if (values.count("place") == 0 && !values[option].defaulted())
      mistake = fmt::format("--{} is for --place", option);
  if (values.count("place") != 0 && values.count("estimate") != 0)
    mistake = "--estimate maps nothing that --place could route";
  if (seeds < 1 || seeds > synth::kMaxSeed)
    mistake = fmt::format("--seeds={}: 1 to {}", seeds, synth::kMaxSeed);
  if (!block.empty() && !values["output"].as<std::string>().empty())
    mistake = "--output copies the netlist of the whole design, which is not made for --block";
  if (mistake.empty()) return synth::PlaceOptions{.block = block, .seeds = SeedsUpTo(seeds)};
  Fail(mistake);
  return std::nullopt;
}

/// The area model's figures; with `output`, the SystemVerilog that Yosys would have mapped.
int Estimate(const SpecWithSource& loaded, const std::string& json, const std::string& output) {
  Diagnostics diags;
  isa::CheckSv(loaded.spec, diags);
  if (diags.HasErrors()) {
    PrintError("{}", diags.Render());
    return 1;
  }
  if (json != "-") Print("{}", AreaTable(loaded.spec));
  if (!json.empty() && !WriteFile(json, AreaJson(loaded.spec, OriginFor(loaded)))) return 1;
  if (output.empty() || sim::WriteRtlSources(sim::RtlSources(loaded.spec), output)) return 0;
  return Fail(fmt::format("cannot write below {}", output));
}

}  // namespace

int SynthVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("json",
                        po::value<std::string>()->value_name("FILE")->implicit_value("-")->default_value(""),
                        "write the report as JSON; - is standard output")(
      "output,o", po::value<std::string>()->value_name("DIR")->default_value(""),
      "copy SystemVerilog, script, netlist and log there")(
      "place", "also place and route its blocks for XC7Z020-1, by nextpnr: MHz and longest paths")(
      "block", po::value<std::string>()->value_name("NAME")->default_value(""),
      "for --place: this block alone, without the table of parts; design: all in one, which takes long")(
      "estimate", "by the area model, without Yosys: LUTs and flip-flops in a millisecond, not exactly")(
      "seeds", po::value<int>()->value_name("N")->default_value(2), "for --place: placements to try, 1 to 8");
  const auto parsed =
      Parse(arguments, options, "synth [--config=FILE] [options]", "cosim synth --config=tiny.yaml");
  if (parsed.exit) return *parsed.exit;
  const std::string json = parsed.values["json"].as<std::string>();
  const std::string output = parsed.values["output"].as<std::string>();
  auto place = PlaceOptionsIn(parsed.values);
  if (!place || (!json.empty() && !CheckWritable(json))) return 1;
  const auto loaded = LoadSpecWithSource(parsed.values);
  if (!loaded || (!output.empty() && !MakeFolder(output))) return 1;

  const isa::Spec& spec = loaded->spec;
  if (parsed.values.count("estimate") != 0) return Estimate(*loaded, json, output);
  Diagnostics diags;
  SynthReport report{.origin = OriginFor(*loaded)};
  {
    ProgressLine line;
    if (place->block.empty()) report.synthesis = synth::Synthesize(spec, {line.Teller()}, diags);
    line.Doing("");
    place->progress = [&](const std::string& what) { line.Say(what); };
    place->step = line.Steps();
    if (parsed.values.count("place") && !diags.HasErrors())
      report.placement = synth::Place(spec, *place, diags);
  }
  if (diags.HasErrors()) {
    PrintError("{}", diags.Render());
    return 1;
  }
  report.clock = synth::EvidenceOf(synth::CachedPlacement(spec), spec);
  if (json != "-") Print("{}", SynthTable(report, spec));
  if (!json.empty() && !WriteFile(json, SynthJson(report, spec))) return 1;
  if (!output.empty() && !WriteFiles(FilesOf(report.synthesis->folder), output)) return 1;
  return !report.synthesis || report.synthesis->Fits() ? 0 : 1;
}

}  // namespace cosim::cli
