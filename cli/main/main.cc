// SPDX-License-Identifier: Apache-2.0
// The cosim command.
#include "cli/verbs.h"

int main(int argc, char** argv) { return cosim::cli::Main({argv + 1, argv + argc}); }
