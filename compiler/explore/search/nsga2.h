// SPDX-License-Identifier: Apache-2.0
// The order of NSGA-II (Deb and others, 2002): which designs live on when there are several objectives, and
// limits that some of them break. Knows nothing of designs but their figures; how new ones come about is
// evolution.h's business.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace cosim::explore {

struct Fitness {
  /// Of one that has no figures and of which it is not known how far it is from having some.
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  double violation = 0;       ///< of the limits, 0: meets them all; never negative
  std::vector<double> costs;  ///< the smaller the better, finite, one an objective; empty of a violation
};

/// Deb's constrained domination: one that meets the limits dominates one that does not; of two that do not,
/// the one that breaks them less; of two that do, the one that is nowhere worse and somewhere better.
bool Dominates(const Fitness& a, const Fitness& b);

/// Non-dominated sorting: the first front is what nothing dominates, each next one what nothing of the rest
/// does. Indices, ascending within a front.
std::vector<std::vector<size_t>> SortedFronts(const std::vector<Fitness>& all);

/// For each of `front`, the sum over the objectives of the distance between its two neighbours there, as a
/// share of the front's width; infinite at the ends. 0 where there are no costs.
std::vector<double> CrowdingOf(const std::vector<Fitness>& all, const std::vector<size_t>& front);

struct Ranked {
  size_t index = 0;  ///< into what was ranked
  size_t front = 0;
  double crowding = 0;
};

/// Whether `a` wins a tournament against `b`: an earlier front, or more room around it.
bool Beats(const Ranked& a, const Ranked& b);

/// The best `count` of them, or all: whole fronts, then of the one that is cut those with most room; of
/// equals the earlier ones. Of those that meet the limits and cost the same, the first stands for all, so
/// that a front is not filled by one design under many names; the others come behind the last front. In the
/// order of fronts.
std::vector<Ranked> Survivors(const std::vector<Fitness>& all, size_t count);

}  // namespace cosim::explore
