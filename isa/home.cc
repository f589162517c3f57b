// SPDX-License-Identifier: Apache-2.0
#include "isa/home.h"

#include <cstdlib>

namespace cosim::isa {

std::filesystem::path Home() {
  const char* home = std::getenv("COSIM_HOME");
  return home && *home ? home : COSIM_SOURCE_DIR;
}

}  // namespace cosim::isa
