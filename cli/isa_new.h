// SPDX-License-Identifier: Apache-2.0
// cosim isa new: the text of an ISA to start from.
#pragma once

#include <optional>
#include <string>

namespace cosim::cli {

/// A commented ISA of few parts under that name; with `from`, a copy of that ISA. Nothing after printing why.
std::optional<std::string> NewIsaText(const std::string& name, const std::string& from);

}  // namespace cosim::cli
