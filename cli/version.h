// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace cosim::cli {

/// The commit this program was built from.
std::string_view Commit();

}  // namespace cosim::cli
