// SPDX-License-Identifier: Apache-2.0
// cosim-board serve: for a workstation that started it over SSH. Standard input and output are the session's.
#include <unistd.h>

#include "driver/command/command.h"
#include "driver/command/places.h"
#include "driver/remote/server.h"

namespace cosim::driver {

int ServeVerb(const Arguments& arguments) {
  const auto options = Options::Parse(arguments, WithPlaces({{"stdio", ""}}), 0);
  if (!options) return 1;
  if (!options->Has("stdio") || isatty(STDIN_FILENO) != 0)
    return Fail("serve is for programs: messages come by standard input and leave by standard output",
                "`cosim run M --device=ssh://BOARD` on the workstation starts `serve --stdio` here");
  // What anything prints goes beside the messages.
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return Fail("there is no standard output");
  remote::Channel channel(STDIN_FILENO, out);
  return remote::Serve(channel, PlacesIn(*options), OpenBoardAt) ? 0 : Fail("what came is no request");
}

}  // namespace cosim::driver
