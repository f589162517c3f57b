// SPDX-License-Identifier: Apache-2.0
// What differs between two runs, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compiler/explore/compare.h"

namespace cosim::cli {

/// Names with both values; null where one has none.
nlohmann::ordered_json ValuesJson(const std::vector<explore::ValueChange>& changes);

/// `layers`: so many of them at most, those that differ.
std::string CompareText(const std::string& before, const std::string& after,
                        const explore::Comparison& comparison, size_t layers);
nlohmann::ordered_json CompareJson(const std::string& after, const explore::Comparison& comparison);

}  // namespace cosim::cli
