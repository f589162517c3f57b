// SPDX-License-Identifier: Apache-2.0
#include "driver/command/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <new>

namespace cosim::driver {
namespace {

struct Verb {
  const char *name, *usage, *summary;
  int (*run)(const Arguments&);
};

constexpr Verb kVerbs[] = {
    {"run",
     "M.cosim [--repeat=N | --frames=N [--uio=NAME,NAME…]] [--input=FILE] [--output=FILE] [--timeout=MS] "
     "[--trust]",
     "run a module, check its outputs, report cycles and time; with --frames, the host works on a frame "
     "while "
     "an\n      accelerator has another",
     RunVerb},
    {"info", "", "say which accelerator and which memory are there", InfoVerb},
    {"selftest", "[M.cosim [--trust] | --config=FILE [--isa=FILE]] [--timeout=MS]",
     "try registers, interrupt, memory, the accelerator's loads and stores, and a module", SelfTestVerb},
    {"serve", "--stdio", "run modules for a workstation: `cosim run … --device=ssh://BOARD` starts it",
     ServeVerb},
    {"flash", "DIR|FILE.bit|FILE.bin --config=FILE [--isa=FILE] [--manager=sysfs|dfx-mgr]",
     "load a bitstream and read the registers back", FlashVerb},
};

constexpr char kCommon[] =
    "  --uio=NAME     the accelerator's UIO device (cosim)\n"
    "  --memory=NAME  its memory: a u-dma-buf as udmabuf0; without it, the second map of the UIO device\n"
    "  --root=DIR     where sys and dev are (/)\n";

void PrintUsage() {
  std::fputs("usage: cosim-board VERB [options]\n\n", stdout);
  for (const Verb& verb : kVerbs)
    std::fputs(fmt::format("  {} {}\n      {}\n", verb.name, verb.usage, verb.summary).c_str(), stdout);
  std::fputs("\nAll verbs take\n", stdout);
  std::fputs(kCommon, stdout);
}

}  // namespace

int Main(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "help" || arguments[0] == "--help") {
    PrintUsage();
    return arguments.empty() ? 1 : 0;
  }
  const auto verb = std::ranges::find(kVerbs, arguments[0], &Verb::name);
  if (verb == std::end(kVerbs))
    return Fail(fmt::format("unknown verb '{}'", arguments[0]), "`cosim-board help` lists them");
  try {
    return verb->run({arguments.begin() + 1, arguments.end()});
  } catch (const std::filesystem::filesystem_error& error) {
    return Fail(error.what());
  } catch (const std::bad_alloc&) {
    return Fail("there is not enough memory for that");
  }
}

}  // namespace cosim::driver
