// SPDX-License-Identifier: Apache-2.0
// cosim help CODE: what a diagnostic means, why it is an error, and an example.
#pragma once

#include <string>

namespace cosim::cli {

/// Whether `word` looks like the code of a diagnostic, known or not: E and digits.
bool LooksLikeCode(const std::string& word);

/// Prints what there is to say of a code; exit status.
int ExplainCode(const std::string& word);

}  // namespace cosim::cli
