// SPDX-License-Identifier: Apache-2.0
// What a search looks for, and where: a plan as users write it. docs/reference/search.md describes the YAML.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/explore/objective.h"
#include "compiler/explore/plan.h"
#include "compiler/explore/search/evolution.h"
#include "compiler/explore/search/search_space.h"
#include "isa/diagnostics.h"

namespace cosim::explore {

struct SearchPlan {
  Plan plan;  ///< without a sample
  std::vector<Objective> objectives;
  SearchMethod method = SearchMethod::kTrees;
  int64_t trials = 0;       ///< designs to run at most, each under every network
  int64_t population = 32;  ///< designs of the first generation
  uint64_t search_seed = 1;
  std::vector<Genome> start;  ///< of the first generation; -1 where a design leaves a key open
  SearchSpace space;
};

/// Reads the text of a plan. Nothing after reporting.
std::optional<SearchPlan> ReadSearchPlan(const isa::SourceText& text, Diagnostics& diags);

}  // namespace cosim::explore
