// SPDX-License-Identifier: Apache-2.0
// Fills templates of SystemVerilog text, whose own braces stay as they are.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cosim::isa {

using SvValues = std::vector<std::pair<std::string, std::string>>;

/// `text` with every `@name@` replaced by its value; an @ before anything but a letter stays. A name without
/// a value is a bug (CHECKed).
std::string FillSvTemplate(std::string_view text, const SvValues& values);

}  // namespace cosim::isa
