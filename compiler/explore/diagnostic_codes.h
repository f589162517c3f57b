// SPDX-License-Identifier: Apache-2.0
// The codes of everything that a plan of a sweep can have wrong. Stable, as those in isa/diagnostic_codes.h;
// docs/reference/diagnostics.md lists both.
#pragma once

namespace cosim::explore {

/// One line a code: constant, code, meaning.
#define COSIM_EXPLORE_DIAGNOSTICS(X)                                                           \
  X(kBadAxis, "E1001", "a key of a plan without values, or with a range that is none")         \
  X(kOpenRange, "E1002", "a grid over a range that says no step")                              \
  X(kTooMany, "E1003", "a plan of no points, or of more than a sweep takes")                   \
  X(kConstraintSyntax, "E1004", "a condition of a plan is malformed")                          \
  X(kConstraintName, "E1005", "a condition of a plan uses a name that its points do not have") \
  X(kUnknownNetwork, "E1006", "a network of a plan that does not exist")                       \
  X(kBadObjective, "E1007", "an objective of a search that is none, or stands twice")          \
  X(kBadStart, "E1008", "a design to start from that a search's keys do not have")             \
  X(kNoReference, "E1009", "accuracy of a model file, whose float network nobody has")

#define COSIM_DECLARE_CODE(name, code, meaning) inline constexpr char name[] = code;
namespace codes {
COSIM_EXPLORE_DIAGNOSTICS(COSIM_DECLARE_CODE)
}  // namespace codes
#undef COSIM_DECLARE_CODE

}  // namespace cosim::explore
