// SPDX-License-Identifier: Apache-2.0
// The cosim-board command.
#include "driver/command/command.h"

int main(int argc, char** argv) { return cosim::driver::Main({argv + 1, argv + argc}); }
