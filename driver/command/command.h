// SPDX-License-Identifier: Apache-2.0
// The verbs of cosim-board. Exit status 0 is success, 1 a mistake, a run that failed or outputs that differ.
#pragma once

#include "driver/command/arguments.h"

namespace cosim::driver {

int RunVerb(const Arguments& arguments);       // run.cc: a module on the accelerator
int InfoVerb(const Arguments& arguments);      // info.cc: what is there
int SelfTestVerb(const Arguments& arguments);  // self_test.cc: whether it answers
int ServeVerb(const Arguments& arguments);     // serve.cc: a session with a workstation
int FlashVerb(const Arguments& arguments);     // flash_verb.cc: a bitstream onto the board

/// The whole command: `arguments` without the program's name.
int Main(const Arguments& arguments);

}  // namespace cosim::driver
