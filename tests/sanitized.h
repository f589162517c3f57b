// SPDX-License-Identifier: Apache-2.0
// How many random cases a test takes: under the sanitizers each costs ten times as much.
#pragma once

namespace cosim {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

constexpr int Cases(int all) { return kSanitized ? all / 3 : all; }

}  // namespace cosim
