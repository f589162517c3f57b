// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/search/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/explore/pareto.h"
#include "compiler/explore/workers.h"
#include "isa/check.h"
#include "isa/digest.h"

namespace cosim::explore {
namespace {

using Clock = std::chrono::steady_clock;

/// Points that between them want all the files that a design of the plan may want.
std::vector<Point> Representatives(const SearchPlan& search) {
  const auto& genes = search.space.genes();
  std::vector<Genome> genomes = {Genome(genes.size(), 0)};
  const auto vary = [&](size_t gene) {
    std::vector<Genome> more;
    for (const Genome& genome : genomes)
      for (int64_t number = 0; number < genes[gene].count; ++number) {
        more.push_back(genome);
        more.back()[gene] = number;
      }
    genomes = std::move(more);
  };
  vary(0);
  vary(1);
  for (size_t key = 0; key < search.plan.axes.size(); ++key) {
    const Axis& axis = search.plan.axes[key];
    if (!axis.range && (axis.key == "isa" || axis.key == "energy")) vary(SearchSpace::kFirstKey + key);
  }
  std::vector<Point> points;
  for (const Genome& genome : genomes)
    points.push_back(search.space.PointOf(genome, search.plan.networks.front()));
  return points;
}

std::string TextOf(const std::vector<isa::Override>& settings) {
  std::string text;
  for (const isa::Override& setting : settings) text += setting.path + '=' + setting.value + '\n';
  return text;
}

std::string TextOf(const Axis& axis) {
  std::string text = axis.key + '\n';
  if (axis.range) text += fmt::format("{}..{} {}\n", axis.range->from, axis.range->to, axis.range->whole);
  for (const std::string& value : axis.values) text += value + '\n';
  return text;
}

/// Of everything that the rows follow from; not of how many there may be, so that a search can go on.
std::string SearchDigest(const SearchPlan& search, const Networks& networks,
                         const std::vector<SourceFile>& sources, const SearchOptions& options) {
  const Plan& plan = search.plan;
  std::string text = fmt::format("search {}\ncheck {}\n", options.producer, options.run.check);
  text += fmt::format("{} {} {} {}\n", static_cast<int>(search.method), search.population, search.search_seed,
                      plan.seed);
  for (const SourceFile& file : sources) text += file.sha256 + '\n';
  for (const std::string& name : plan.networks) text += name + '\n' + networks.at(name).identity + '\n';
  for (const std::string& config : plan.configs) text += config + '\n';
  text += plan.isa + '\n' + TextOf(plan.set);
  for (const Variant& variant : plan.variants) text += variant.name + '\n' + TextOf(variant.settings);
  for (const int threads : plan.virtual_threads) text += fmt::format("{}\n", threads);
  for (const Axis& axis : plan.axes) text += TextOf(axis);
  for (const Constraint& constraint : plan.constraints) text += constraint.text() + '\n';
  for (const Objective& objective : search.objectives) text += objective.Text() + '\n';
  for (const Genome& genome : search.start)
    for (const int64_t number : genome) text += fmt::format("{}\n", number);
  return isa::Sha256Hex(text);
}

/// What of a row says which point it is of.
std::string IdentityOf(const Row& row) {
  return row.network + '\n' + row.config + '\n' + row.name + '\n' + TextOf(row.settings);
}

/// What a worker is given: a point's id, then the numbers of its genome.
std::string PackGenome(int64_t id, const Genome& genome) {
  std::string text = std::to_string(id);
  for (const int64_t number : genome) text += ' ' + std::to_string(number);
  return text;
}

std::vector<int64_t> NumbersIn(const std::string& text) {
  std::vector<int64_t> numbers;
  for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
    int64_t number = 0;
    at = std::from_chars(at, end, number).ptr;
    numbers.push_back(number);
  }
  return numbers;
}

class Searching {
 public:
  Searching(const SearchPlan& search, const Networks& networks, const SearchOptions& options,
            Database& database)
      : search_(search),
        options_(options),
        database_(database),
        networks_(static_cast<int64_t>(search.plan.networks.size())),
        runner_(networks, search.plan.constraints, options.run),
        workers_(options.jobs, [this](const std::string& item) { return Work(item); }),
        screener_(1, [this](const std::string& item) { return Screen(item); }),
        evolution_(search.space.genes(), search.method, search.start, search.population, search.search_seed,
                   [this](const Genome& genome) { return ViolationBefore(genome); }) {}

  /// False after setting `error`.
  bool Run(std::string& error) {
    progress_.most = search_.trials * networks_;
    const auto keep = [&](const Row& row) { Keep(row); };
    if (!database_.ForEach(keep, error)) return false;
    progress_.points = static_cast<int64_t>(known_.size());
    while (told_ < search_.trials) {
      std::vector<Proposal> proposals = evolution_.Next();
      if (proposals.empty()) return true;
      const auto left = static_cast<size_t>(search_.trials - told_);
      proposals.resize(std::min(proposals.size(), left));
      if (!RunGeneration(proposals, error)) return false;
      std::vector<Fitness> fitness;
      for (size_t i = 0; i < proposals.size(); ++i)
        fitness.push_back(FitnessAt(told_ + 1 + static_cast<int64_t>(i)));
      evolution_.Tell(fitness);
      told_ += static_cast<int64_t>(proposals.size());
    }
    return true;
  }

 private:
  struct Known {
    std::string identity;
    Fitness fitness;
  };

  int64_t IdOf(int64_t place, int64_t network) const { return (place - 1) * networks_ + network + 1; }

  Point PointAt(int64_t id, const Genome& genome) const {
    const auto network = static_cast<size_t>((id - 1) % networks_);
    Point point = search_.space.PointOf(genome, search_.plan.networks[network]);
    point.id = id;
    return point;
  }

  /// In a worker.
  std::string Work(const std::string& item) {
    Genome genome = NumbersIn(item);
    const int64_t id = genome.front();
    genome.erase(genome.begin());
    return PackRow(RunPoint(PointAt(id, genome), runner_, options_.describe));
  }

  /// In a process of its own: under any network, since conditions are not on them.
  std::string Screen(const std::string& item) {
    const Genome genome = NumbersIn(item);
    const Point point = search_.space.PointOf(genome, search_.plan.networks.front());
    return fmt::format("{}", runner_.ViolationBefore(point));
  }

  double ViolationBefore(const Genome& genome) {
    double violation = Fitness::kUnknown;
    screener_.Run({fmt::format("{}", fmt::join(genome, " "))}, [&](const Answer& answer) {
      const std::string& text = answer.text;
      std::from_chars(text.data(), text.data() + text.size(), violation);
      return true;
    });
    return violation;
  }

  void Keep(const Row& row) {
    done_ += row.status == "done";
    std::vector<std::string> missing;
    Fitness fitness = FitnessOf(row, search_.objectives, missing);
    with_figures_ += row.status == "done" && missing.empty();
    if (!missing.empty()) missing_ = missing.front();
    known_[row.id] = {IdentityOf(row), std::move(fitness)};
  }

  Fitness FitnessAt(int64_t place) const {
    std::vector<Fitness> each;
    for (int64_t network = 0; network < networks_; ++network)
      each.push_back(known_.at(IdOf(place, network)).fitness);
    return Combined(each);
  }

  /// Runs what of it is not known yet.
  bool RunGeneration(const std::vector<Proposal>& proposals, std::string& error) {
    progress_.generation = proposals.front().generation;
    std::vector<std::string> items;
    std::vector<Row> rows;
    for (size_t i = 0; i < proposals.size(); ++i)
      for (int64_t network = 0; network < networks_; ++network) {
        const int64_t id = IdOf(told_ + 1 + static_cast<int64_t>(i), network);
        Row row = RowOf(PointAt(id, proposals[i].genome));
        row.birth = Birth{proposals[i].generation, proposals[i].parents};
        const auto known = known_.find(id);
        if (known != known_.end() && known->second.identity != IdentityOf(row))
          return error = fmt::format("point {} is not the one that this search comes upon there", id), false;
        if (known != known_.end()) continue;
        items.push_back(PackGenome(id, proposals[i].genome));
        rows.push_back(std::move(row));
      }
    const auto take = [&](const Answer& answer) {
      return Take(answer, rows[static_cast<size_t>(answer.item)], error);
    };
    workers_.Run(items, take);
    if (!error.empty()) return false;
    if (done_ == 0 || with_figures_ > 0) return true;
    error = fmt::format("no point has a number '{}', which is an objective", missing_);
    return false;
  }

  bool Take(const Answer& answer, Row& row, std::string& error) {
    row.status = "failed";
    row.diagnostic = answer.death;
    if (answer.death.empty()) UnpackRow(answer.text, row);
    if (!database_.Add(row, error)) return false;
    Keep(row);
    ++progress_.points;
    ++progress_.run;
    progress_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (options_.progress) options_.progress(progress_);
    return true;
  }

  const SearchPlan& search_;
  const SearchOptions& options_;
  Database& database_;
  int64_t networks_;
  PointRunner runner_;
  Workers workers_, screener_;
  Evolution evolution_;
  std::map<int64_t, Known> known_;  ///< by id
  int64_t told_ = 0;                ///< designs
  int64_t done_ = 0, with_figures_ = 0;
  std::string missing_;
  SearchProgress progress_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Fitness FitnessOf(const Row& row, const std::vector<Objective>& objectives,
                  std::vector<std::string>& missing) {
  Fitness unknown{.violation = Fitness::kUnknown, .costs = {}};
  if (row.status == "excluded") return {.violation = row.violation, .costs = {}};
  if (row.status != "done") return unknown;
  const auto result = nlohmann::ordered_json::parse(row.result, nullptr, /*allow_exceptions=*/false);
  std::vector<double> costs = CostsOf(result, objectives, missing);
  if (!missing.empty()) return unknown;
  return {.violation = 0, .costs = std::move(costs)};
}

Fitness Combined(const std::vector<Fitness>& networks) {
  COSIM_CHECK(!networks.empty());
  Fitness sum = networks.front();
  for (size_t i = 1; i < networks.size(); ++i) {
    sum.violation = std::max(sum.violation, networks[i].violation);
    for (size_t cost = 0; cost < std::min(sum.costs.size(), networks[i].costs.size()); ++cost)
      sum.costs[cost] += networks[i].costs[cost];
  }
  if (sum.violation > 0) return {.violation = sum.violation, .costs = {}};
  for (double& cost : sum.costs) cost /= static_cast<double>(networks.size());
  return sum;
}

std::vector<Design> DesignsOf(const std::vector<Row>& rows, size_t networks,
                              const std::vector<Objective>& objectives) {
  std::vector<Design> designs;
  std::vector<Candidate> candidates;
  for (size_t i = 0; i + networks <= rows.size(); i += networks) {
    std::vector<Fitness> each;
    std::vector<std::string> missing;
    for (size_t n = 0; n < networks; ++n) each.push_back(FitnessOf(rows[i + n], objectives, missing));
    designs.push_back({static_cast<int64_t>(designs.size()) + 1, Combined(each), false});
    if (designs.back().fitness.violation == 0)
      candidates.push_back({designs.back().place, designs.back().fitness.costs});
  }
  for (const Standing& standing : StandingsOf(candidates))
    designs[static_cast<size_t>(standing.id - 1)].on_front = standing.dominated_by == 0;
  return designs;
}

std::optional<Database> RunSearch(const SearchPlan& plan, const Networks& networks,
                                  const SearchOptions& options, std::string& error) {
  const std::vector<SourceFile> sources = SourcesOf(Representatives(plan));
  const SweepHead head{SearchDigest(plan, networks, sources, options), options.plan, options.producer,
                       plan.trials * static_cast<int64_t>(plan.plan.networks.size()), /*is_search=*/true};
  const std::string path = options.database.empty() ? ":memory:" : options.database;
  auto database = Database::Make(path, head, sources, error);
  if (!database) return std::nullopt;
  if (database->Extend(head, error) && Searching(plan, networks, options, *database).Run(error))
    return database;
  error = options.database.empty() ? error : fmt::format("{}: {}", options.database, error);
  return std::nullopt;
}

}  // namespace cosim::explore
