// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/search/evolution.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/explore/search/surrogate.h"
#include "isa/check.h"

namespace cosim::explore {
namespace {

constexpr int64_t kCrossedOf10 = 6;       // children of two parents, in ten; the others are of one
constexpr int kScreened = 20;             // designs looked at for one that breaks no condition
constexpr int kMoreMutations = 30;        // of a child that was there before
constexpr int kAhead = 8;                 // generations by guesses
constexpr size_t kChildren = 4;           // in each, for one of the population
constexpr size_t kBatches = 4;            // that a population is run in where guesses lead
constexpr int kDraws = 1000;              // for a design that is new
constexpr int64_t kMostToScan = 1 << 22;  // designs; of more than that, not half can have been seen

/// How many designs there are, or kMostToScan + 1 for more than can be gone through.
int64_t SizeOf(const std::vector<Gene>& genes) {
  int64_t size = 1;
  for (const Gene& gene : genes) {
    if (gene.count > kMostToScan / size) return kMostToScan + 1;
    size *= gene.count;
  }
  return size;
}

/// The `place`-th of all designs, the last gene fastest.
Genome GenomeAt(const std::vector<Gene>& genes, int64_t place) {
  Genome genome(genes.size());
  for (size_t i = genes.size(); i-- > 0; place /= genes[i].count) genome[i] = place % genes[i].count;
  return genome;
}

}  // namespace

Evolution::Evolution(std::vector<Gene> genes, SearchMethod method, std::vector<Genome> start,
                     int64_t population, uint64_t seed, KnownViolation violation)
    : genes_(std::move(genes)),
      method_(method),
      start_(std::move(start)),
      population_(static_cast<size_t>(population)),
      random_(seed),
      violation_(std::move(violation)) {
  COSIM_CHECK(population >= 1);
  for (size_t i = 0; i < genes_.size(); ++i) {
    COSIM_CHECK(genes_[i].count >= 1, "gene {} has no value", i);
    if (genes_[i].count > 1) free_.push_back(i);
  }
}

int64_t Evolution::Below(int64_t count) {
  const double at = static_cast<double>(random_.Bits() >> 11) * 0x1p-53;
  return std::min(count - 1, static_cast<int64_t>(at * static_cast<double>(count)));
}

Genome Evolution::Drawn() {
  Genome genome;
  for (const Gene& gene : genes_) genome.push_back(Below(gene.count));
  return genome;
}

std::vector<Genome> Evolution::Hypercube() {
  std::vector<Genome> designs(population_, Genome(genes_.size()));
  const auto parts = static_cast<double>(population_);
  for (size_t g = 0; g < genes_.size(); ++g) {
    std::vector<int64_t> order(population_);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = population_; i-- > 1;)
      std::swap(order[i], order[static_cast<size_t>(Below(static_cast<int64_t>(i) + 1))]);
    for (size_t i = 0; i < population_; ++i) {
      const double within = static_cast<double>(random_.Bits() >> 11) * 0x1p-53;
      const double at = (static_cast<double>(order[i]) + within) / parts;
      designs[i][g] =
          std::min(genes_[g].count - 1, static_cast<int64_t>(at * static_cast<double>(genes_[g].count)));
    }
  }
  return designs;
}

std::optional<Genome> Evolution::Unseen() {
  const int64_t size = SizeOf(genes_);
  if (size <= kMostToScan && static_cast<int64_t>(seen_.size()) >= size) return std::nullopt;
  for (int draw = 0; draw < kDraws || size > kMostToScan; ++draw)
    if (Genome genome = Drawn(); seen_.count(genome) == 0) return genome;
  for (int64_t place = Below(size);; place = (place + 1) % size)
    if (Genome genome = GenomeAt(genes_, place); seen_.count(genome) == 0) return genome;
}

int64_t Evolution::Moved(const Gene& gene, int64_t value) {
  if (!gene.ordered) {
    const int64_t other = Below(gene.count - 1);
    return other < value ? other : other + 1;
  }
  // A power of two, the smaller the likelier, then a step from it to the next one.
  const auto powers = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(gene.count - 1)));
  const int64_t first = Below(powers), second = Below(powers);
  const int64_t power = int64_t{1} << std::min(first, second);
  int64_t step = power + Below(power);
  if (Below(2) == 0) step = -step;
  if (value + step < 0 || value + step >= gene.count) step = -step;
  if (value + step < 0 || value + step >= gene.count) step = value > 0 ? -1 : 1;
  return value + step;
}

const Ranked& Evolution::Parent() {
  const auto drawn = [&]() -> const Ranked& {
    return ranked_[static_cast<size_t>(Below(static_cast<int64_t>(ranked_.size())))];
  };
  const Ranked &a = drawn(), &b = drawn();
  return Beats(b, a) ? b : a;
}

void Evolution::MutateOne(Genome& genome) {
  const size_t gene = free_[static_cast<size_t>(Below(static_cast<int64_t>(free_.size())))];
  genome[gene] = Moved(genes_[gene], genome[gene]);
}

Genome Evolution::Child(const Genome& a, const Genome& b) {
  Genome child = a;
  if (Below(10) < kCrossedOf10)
    for (const size_t gene : free_)
      if (Below(2) == 0) child[gene] = b[gene];
  for (const size_t gene : free_)
    if (Below(static_cast<int64_t>(free_.size())) == 0) child[gene] = Moved(genes_[gene], child[gene]);
  return child;
}

std::optional<Proposal> Evolution::NewDesign() {
  auto genome = Unseen();
  if (!genome) return std::nullopt;
  return Proposal{std::move(*genome), generation_, {}};
}

std::optional<Proposal> Evolution::NewChild() {
  const Ranked &a = Parent(), &b = Parent();
  const Member &first = members_[a.index], &second = members_[b.index];
  Genome child = Child(first.genome, second.genome);
  for (int i = 0; i < kMoreMutations && seen_.count(child) > 0; ++i) MutateOne(child);
  if (seen_.count(child) > 0) return NewDesign();
  Proposal proposal{std::move(child), generation_, {first.place}};
  if (second.place != first.place) proposal.parents.push_back(second.place);
  return proposal;
}

std::vector<Genome> Evolution::FirstDesigns() {
  std::vector<Genome> designs = Hypercube();
  for (size_t i = 0; i < std::min(start_.size(), designs.size()); ++i)
    for (size_t gene = 0; gene < genes_.size(); ++gene)
      if (start_[i][gene] >= 0) designs[i][gene] = start_[i][gene];
  return designs;
}

std::optional<Proposal> Evolution::Screened(std::optional<Proposal> first) {
  const bool has_parents = method_ != SearchMethod::kRandom && !free_.empty() && !ranked_.empty();
  std::optional<Proposal> best;
  double least = 0;
  for (int i = 0; i < kScreened; ++i) {
    auto drawn = std::exchange(first, std::nullopt);
    if (!drawn) drawn = has_parents ? NewChild() : NewDesign();
    if (!drawn) break;
    const double violation = violation_ ? violation_(drawn->genome) : 0;
    if (best && violation >= least) continue;
    best = std::move(drawn);
    least = violation;
    if (least == 0) break;
  }
  return best;
}

std::vector<Proposal> Evolution::Promising() {
  const Surrogate surrogate(told_, fitness_);
  if (!surrogate || free_.empty()) return {};
  const auto members = members_;
  const auto ranked = ranked_;
  std::set<Genome> guessed = seen_;
  for (int generation = 0; generation < kAhead; ++generation) {
    std::vector<Genome> children;
    for (size_t i = 0; i < kChildren * population_; ++i) {
      const Ranked &a = Parent(), &b = Parent();
      Genome child = Child(members_[a.index].genome, members_[b.index].genome);
      for (int more = 0; more < kMoreMutations && guessed.count(child) > 0; ++more) MutateOne(child);
      if (guessed.insert(child).second) children.push_back(child);
    }
    const std::vector<Fitness> guesses = surrogate.Guess(children);
    for (size_t i = 0; i < children.size(); ++i) members_.push_back({std::move(children[i]), 0, guesses[i]});
    Select();
  }
  std::ranges::stable_sort(ranked_, Beats);
  std::vector<Proposal> promising;
  for (const Ranked& each : ranked_)
    if (const Member& member = members_[each.index]; member.place == 0)
      promising.push_back({member.genome, generation_, {}});
  members_ = members;
  ranked_ = ranked;
  return promising;
}

std::vector<Proposal> Evolution::Next() {
  last_.clear();
  ++generation_;
  std::vector<Genome> first;
  if (method_ != SearchMethod::kRandom && generation_ == 1) first = FirstDesigns();
  auto promising = method_ == SearchMethod::kTrees ? Promising() : std::vector<Proposal>();
  const size_t count = promising.empty() ? population_ : (population_ + kBatches - 1) / kBatches;
  for (Proposal& proposal : promising) {
    if (4 * (last_.size() + 1) > 3 * count) break;  // a quarter is children of what has run
    if (violation_ && violation_(proposal.genome) > 0) continue;
    seen_.insert(proposal.genome);
    last_.push_back(std::move(proposal));
  }
  for (size_t i = 0; last_.size() < count; ++i) {
    std::optional<Proposal> proposal;
    if (i < first.size() && seen_.count(first[i]) == 0) proposal = Proposal{first[i], generation_, {}};
    if (!proposal || i >= start_.size()) proposal = Screened(std::move(proposal));
    if (!proposal) break;
    seen_.insert(proposal->genome);
    last_.push_back(std::move(*proposal));
  }
  return last_;
}

void Evolution::Tell(const std::vector<Fitness>& fitness) {
  COSIM_CHECK(fitness.size() <= last_.size());
  for (size_t i = 0; i < fitness.size(); ++i) {
    told_.push_back(last_[i].genome);
    fitness_.push_back(fitness[i]);
    members_.push_back({last_[i].genome, proposed_ + static_cast<int64_t>(i) + 1, fitness[i]});
  }
  proposed_ += static_cast<int64_t>(last_.size());
  Select();
}

void Evolution::Select() {
  std::vector<Fitness> all;
  for (const Member& member : members_) all.push_back(member.fitness);
  ranked_ = Survivors(all, population_);
  std::vector<Member> kept;
  for (Ranked& survivor : ranked_) {
    kept.push_back(std::move(members_[survivor.index]));
    survivor.index = kept.size() - 1;
  }
  members_ = std::move(kept);
}

}  // namespace cosim::explore
