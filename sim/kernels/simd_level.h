// SPDX-License-Identifier: Apache-2.0
// Which vector instructions the kernels may use: found at run time, or forced, so that tests reach every
// level.
#pragma once

#include <optional>
#include <string_view>

namespace cosim::sim {

/// In rising order; a machine that supports a level supports those below it.
enum class SimdLevel { kPortable, kAvx2, kAvx512Vnni };

inline constexpr SimdLevel kSimdLevels[] = {SimdLevel::kPortable, SimdLevel::kAvx2, SimdLevel::kAvx512Vnni};

/// "portable", "avx2", "avx512vnni".
std::string_view SimdLevelName(SimdLevel level);

/// The level of that name; nothing if there is none.
std::optional<SimdLevel> ParseSimdLevel(std::string_view name);

/// Whether this machine can run the level's kernels.
bool IsSupported(SimdLevel level);

/// The highest supported level.
SimdLevel BestSimdLevel();

}  // namespace cosim::sim
