// SPDX-License-Identifier: Apache-2.0
// cosim export: the accelerator of a configuration as files for a board's tools.
#include "cli/options.h"
#include "cli/output_folder.h"
#include "cli/print.h"
#include "cli/verbs.h"
#include "sim/board/package.h"

namespace cosim::cli {
namespace po = boost::program_options;

namespace {

/// The board that is asked for, which has to be the configuration's; mistakes are printed.
const isa::BoardFacts* BoardFor(const po::variables_map& values, const isa::Spec& spec) {
  const std::string name = values.count("board") ? values["board"].as<std::string>() : spec.board;
  std::string known;
  for (const isa::BoardFacts& facts : isa::kBoards)
    known += fmt::format("{}{}", known.empty() ? "" : " and ", facts.name);
  const isa::BoardFacts* found = isa::FindBoard(name);
  if (found == nullptr) {
    Fail(fmt::format("there is no board '{}' to export for", name), fmt::format("there are {}", known));
    return nullptr;
  }
  if (name == spec.board) return found;
  Fail(fmt::format("--board={}: the configuration {} is for {}", name, spec.config, spec.board),
       fmt::format("--set board={} makes it one for {}; memory and clock stay as they are", name, name));
  return nullptr;
}

}  // namespace

int ExportVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("board", po::value<std::string>()->value_name("NAME"),
                        "pynq or ultra96 (default: the configuration's)")(
      "output,o", po::value<std::string>()->value_name("DIR")->default_value(""), "the folder to write to");
  const auto parsed = Parse(arguments, options, "export [--config=FILE] [--board=NAME] -o DIR [options]",
                            "cosim export --config=pynq.yaml --board=pynq -o build/pynq");
  if (parsed.exit) return *parsed.exit;
  const std::string folder = parsed.values["output"].as<std::string>();
  if (folder.empty()) return Fail("export writes a folder", "-o DIR says where");
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;
  const isa::BoardFacts* board = BoardFor(parsed.values, *spec);
  if (board == nullptr) return 1;
  Diagnostics diags;
  const auto files = board::Package(*spec, *board, parsed.values["config"].as<std::string>(), diags);
  if (!files) {
    PrintError("{}", diags.Render());
    return 1;
  }
  if (!WriteFiles(*files, folder)) return 1;
  Print("{}: {} files for {} ({}), {:g} MHz asked for; no Vivado has run on them\n", folder, files->size(),
        board->title, board->Part(), spec->clock_mhz);
  Print("next: {}/README.md, or there: vivado -mode batch -source vivado/build.tcl\n", folder);
  return 0;
}

}  // namespace cosim::cli
