// SPDX-License-Identifier: Apache-2.0
// cosim flash: an accelerator's bitstream onto the board that this command runs on.
#include "driver/flash.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/print.h"
#include "cli/verbs.h"

namespace cosim::cli {
namespace po = boost::program_options;

int FlashVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("board", po::value<std::string>()->value_name("NAME"),
                        "pynq or ultra96 (default: the configuration's)")(
      "manager", po::value<std::string>()->value_name("NAME")->default_value(""),
      "who loads: sysfs, the kernel's own, or dfx-mgr (default: the one that is there, sysfs first)")(
      "root", po::value<std::string>()->value_name("DIR")->default_value("/"),
      "where sys, dev and lib/firmware are");
  const auto parsed = Parse(arguments, options, "flash DIR|FILE.bit|FILE.bin [--board=NAME] [options]",
                            "cosim flash build/pynq --board=pynq --config=pynq.yaml", "PATH");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  const auto spec = LoadSpecFrom(values);
  if (!spec) return 1;
  const std::string name = values.count("board") ? values["board"].as<std::string>() : spec->board;
  const isa::BoardFacts* board = isa::FindBoard(name);
  if (board == nullptr) return Fail(fmt::format("--board={}: there are pynq and ultra96", name));
  if (name != spec->board)
    return Fail(fmt::format("--board={}: the configuration {} is for {}", name, spec->config, spec->board),
                "--config names the configuration that the bitstream was made of");
  const auto manager = driver::ManagerNamed(values["manager"].as<std::string>());
  if (!manager)
    return Fail(
        fmt::format("--manager={}: there are sysfs and dfx-mgr", values["manager"].as<std::string>()));
  driver::FlashOptions flash;
  flash.manager = *manager;
  flash.root = values["root"].as<std::string>();
  flash.said = [](const std::string& step, const std::string& done) { Print("{:<13} {}\n", step, done); };
  Diagnostics diags;
  const auto files = driver::FindFlashFiles(values["PATH"].as<std::string>(), diags);
  if (files && driver::Flash(*files, *board, *spec, flash, diags)) return 0;
  PrintError("{}", diags.Render());
  return 1;
}

}  // namespace cosim::cli
