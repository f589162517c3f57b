// SPDX-License-Identifier: Apache-2.0
// Which designs a search looks at next. Knows of a design only which value it takes of each key: the first
// ones are a Latin hypercube, later ones children of the best so far. What it proposes follows from its seed
// and from what it was told, nothing else; no design is proposed twice.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "compiler/explore/search/nsga2.h"
#include "compiler/graph/zoo/random.h"

namespace cosim::explore {

/// A key with so many values.
struct Gene {
  int64_t count = 1;     ///< from 1 to 10^15
  bool ordered = false;  ///< neighbours are alike
};

/// Of each gene the number of its value, from 0.
using Genome = std::vector<int64_t>;

enum class SearchMethod {
  kNsga2,
  kRandom,  ///< each design by itself: what a search has to be better than
  kTrees,   ///< NSGA-II goes ahead on what trees guess, and what it comes to is run
};

struct Proposal {
  Genome genome;
  int64_t generation = 1;
  /// Places among all proposals, from 1; none of a design drawn by itself, or that guesses led to.
  std::vector<int64_t> parents;
};

/// By how much a design breaks conditions, as far as that is known before it has run; Fitness::kUnknown of
/// one that cannot run.
using KnownViolation = std::function<double(const Genome&)>;

class Evolution {
 public:
  /// `start` are designs of the first generation; where one says -1, the value is drawn. Where `violation` is
  /// there, it is asked for designs that break nothing; those to start from are taken as they are.
  Evolution(std::vector<Gene> genes, SearchMethod method, std::vector<Genome> start, int64_t population,
            uint64_t seed, KnownViolation violation = {});

  /// A generation: `population` designs, a quarter of that where guesses lead, fewer when there are no more
  /// that are new, and none in the end.
  std::vector<Proposal> Next();
  /// What came of the first ones of the last generation, in its order. It ends with less than the whole one.
  void Tell(const std::vector<Fitness>& fitness);

 private:
  struct Member {
    Genome genome;
    int64_t place = 0;  ///< 0: it has not run, and its fitness is a guess
    Fitness fitness;
  };

  int64_t Below(int64_t count);
  Genome Drawn();
  std::vector<Genome> Hypercube();
  std::optional<Genome> Unseen();
  /// A neighbour more often than a far one, where there are such.
  int64_t Moved(const Gene& gene, int64_t value);
  const Ranked& Parent();
  Genome Child(const Genome& a, const Genome& b);
  void MutateOne(Genome& genome);
  std::optional<Proposal> NewDesign();
  std::optional<Proposal> NewChild();
  /// The best `population` stay.
  void Select();
  /// What some generations lead to by what trees guess, the best first; none of them was seen.
  std::vector<Proposal> Promising();
  std::vector<Genome> FirstDesigns();
  /// `first`, or of some new ones the first that breaks nothing, else the one that breaks least. Nothing when
  /// all designs have been seen.
  std::optional<Proposal> Screened(std::optional<Proposal> first);

  std::vector<Gene> genes_;
  std::vector<size_t> free_;  ///< genes of several values
  SearchMethod method_;
  std::vector<Genome> start_;
  size_t population_;
  graph::zoo::Random random_;
  KnownViolation violation_;
  int64_t generation_ = 0, proposed_ = 0;
  std::set<Genome> seen_;
  std::vector<Proposal> last_;
  std::vector<Genome> told_;      ///< all of them, and
  std::vector<Fitness> fitness_;  ///< what came of each
  std::vector<Member> members_;
  std::vector<Ranked> ranked_;  ///< of members_, all of them
};

}  // namespace cosim::explore
