// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/boards.h"

namespace cosim::isa {

const std::vector<std::string>& BoardNames() {
  static const std::vector<std::string> names = {"pynq", "ultra96", "none"};
  return names;
}

}  // namespace cosim::isa
