// SPDX-License-Identifier: Apache-2.0
// COSIM_CHECK: a broken invariant is a bug in cosim, never a user's mistake (those are diagnostics).
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace cosim {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition,
                                     const std::string& message) {
  std::fprintf(stderr,
               "%s:%d: internal error: CHECK(%s) failed%s%s\nThis is a bug in cosim; please report it.\n",
               file, line, condition, message.empty() ? "" : ": ", message.c_str());
  std::abort();
}

}  // namespace cosim

/// Aborts with position and message when `condition` is false. Extra arguments are a fmt string and its
/// values.
#define COSIM_CHECK(condition, ...)                                            \
  do {                                                                         \
    if (!(condition)) [[unlikely]]                                             \
      ::cosim::CheckFailed(__FILE__, __LINE__, #condition,                     \
                           std::string{__VA_OPT__(fmt::format(__VA_ARGS__))}); \
  } while (false)
