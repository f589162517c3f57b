// SPDX-License-Identifier: Apache-2.0
// cosim-board flash: as `cosim flash`, on the board itself.
#include <fmt/format.h>

#include <cstdio>

#include "driver/command/command.h"
#include "driver/command/places.h"
#include "driver/flash.h"
#include "isa/spec/loader.h"

namespace cosim::driver {

int FlashVerb(const Arguments& arguments) {
  const auto options =
      Options::Parse(arguments, {{"config", ""}, {"isa", ""}, {"root", "/"}, {"manager", ""}}, 1);
  if (!options) return 1;
  if (options->words().empty() || !options->Has("config"))
    return Fail("what to load, and the --config it was made of, are missing");
  const auto manager = ManagerNamed((*options)["manager"]);
  if (!manager) return Fail(fmt::format("--manager={}: there are sysfs and dfx-mgr", (*options)["manager"]));
  Diagnostics diags;
  const auto spec = isa::LoadSpec((*options)["config"], (*options)["isa"], {}, diags);
  const isa::BoardFacts* board = spec ? isa::FindBoard(spec->board) : nullptr;
  if (spec && board == nullptr)
    return Fail(fmt::format("{} is for board '{}'", spec->config, spec->board), "there are pynq and ultra96");
  const auto files = spec ? FindFlashFiles(options->words()[0], diags) : std::nullopt;
  FlashOptions flash;
  flash.manager = *manager;
  flash.root = (*options)["root"];
  flash.said = [](const std::string& step, const std::string& done) {
    fmt::print("{:<13} {}\n", step, done);
  };
  if (files && Flash(*files, *board, *spec, flash, diags)) return 0;
  std::fputs(diags.Render().c_str(), stderr);
  return 1;
}

}  // namespace cosim::driver
