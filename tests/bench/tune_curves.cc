// SPDX-License-Identifier: Apache-2.0
// tune_curves [TRIALS] [FILE.svg]: how soon a search comes near the best schedule that any of them finds, by
// what proposes schedules. None begins with the compiler's choice. Prints the tables of
// docs/reference/schedule-space.md and draws the curve there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <memory>

#include "compiler/session/session.h"
#include "compiler/tune/chain.h"
#include "compiler/tune/schedule_space.h"
#include "compiler/tune/search.h"
#include "isa/check.h"
#include "isa/spec/loader.h"
#include "runtime/threads/thread_pool.h"

namespace cosim::tune {
namespace {

using runtime::Cycle;

constexpr int kSeeds = 5;
constexpr double kNear[] = {0.02, 0.002};
constexpr std::pair<const char*, Method> kMethods[] = {{"ranker", Method::kRanker},
                                                       {"genetic", Method::kGenetic},
                                                       {"analytic", Method::kAnalytic},
                                                       {"random", Method::kRandom}};

/// A layer, or it and the one behind it by turns.
struct Case {
  const char *network, *config, *layer;
  bool by_turns;
};

constexpr Case kCases[] = {
    {"resnet18", "pynq.yaml", "layer3.0.conv2", false},
    {"resnet18", "ultra96.yaml", "layer2.0.conv2", false},
    {"resnet18", "pynq-max.yaml", "layer4.0.conv1", false},
    {"mobilenet_v1", "pynq.yaml", "model.3.3", false},
    {"squeezenet1_1", "ultra96.yaml", "features.10.expand3x3", false},
    {"vit_tiny", "ultra96.yaml", "blocks.0.mlp.fc1", false},
    {"mobilenet_v1", "pynq.yaml", "model.2.0", true},
    {"mobilenet_v1", "ultra96.yaml", "model.4.0", true},
    {"mobilenet_v2", "ultra96.yaml", "features.3.conv.0.0", true},
    {"resnet18", "ultra96.yaml", "layer1.0.conv1", true},
};

/// The least cycles after each trial.
using Curve = std::vector<Cycle>;

struct Measured {
  std::string name;
  int64_t space = 0;
  Cycle best = 0;
  std::vector<std::vector<Curve>> curves;  ///< of each method, of each seed
};

class Study {
 public:
  Study(const Case& c, const isa::Spec& spec, const graph::Graph& graph, int trials)
      : case_(c), trials_(trials), chain_(spec, graph, 2), pool_(runtime::UsableProcessors()) {
    const auto& layers = chain_.layers();
    const auto at =
        std::ranges::find(layers, c.layer, [](const Chain::Layer& each) { return each.group.name; });
    if (at == layers.end()) {
      std::vector<std::string> names;
      for (const auto& each : layers) names.push_back(each.group.name);
      COSIM_CHECK(false, "{} has no layer {}, but {}", c.network, c.layer, fmt::join(names, " "));
    }
    layer_ = static_cast<size_t>(at - layers.begin());
  }

  Measured Run() {
    Measured result{.name = fmt::format("{} on {}, {}{}", case_.network, case_.config, case_.layer,
                                        case_.by_turns ? " by turns with the next" : "")};
    if (case_.by_turns) {
      const TurnSpace space(chain_.TurnSpaceOf(layer_, TurnSpace::kMost));
      result.space = static_cast<int64_t>(space.size());
      RunIn(space, [&](size_t point) { return chain_.MeasureTurns(layer_, space.tiles(point)); }, result);
    } else {
      const ScheduleSpace space(chain_.SpaceOf(layer_, 4, ScheduleSpace::kMost));
      result.space = space.legal();
      RunIn(space, [&](size_t point) { return chain_.Measure(layer_, space.tile(point)); }, result);
    }
    return result;
  }

 private:
  template <typename Cycles>
  void RunIn(const Space& space, const Cycles& cycles, Measured& result) {
    COSIM_CHECK(space.size() > 0, "{} has no schedules", result.name);
    std::map<size_t, std::optional<Cycle>> known;
    const MeasureBatch measure = [&](std::span<const size_t> points) {
      std::vector<size_t> unknown;
      for (const size_t point : points)
        if (!known.contains(point)) unknown.push_back(point);
      std::vector<std::optional<Cycle>> found(unknown.size());
      ForEach(unknown.size(), [&](size_t i) { found[i] = cycles(unknown[i]); });
      for (size_t i = 0; i < unknown.size(); ++i) known[unknown[i]] = found[i];
      std::vector<std::optional<Cycle>> all;
      for (const size_t point : points) all.push_back(known[point]);
      return all;
    };
    for (const auto& [name, method] : kMethods) {
      std::vector<Curve> curves;
      for (int seed = 1; seed <= (method == Method::kAnalytic ? 1 : kSeeds); ++seed)
        if (const auto found = Search(space, {}, method, trials_, static_cast<uint64_t>(seed), measure))
          curves.push_back(CurveOf(*found));
      result.curves.push_back(std::move(curves));
    }
    for (const auto& [point, found] : known)
      if (found && (result.best == 0 || *found < result.best)) result.best = *found;
  }

  Curve CurveOf(const Found& found) const {
    Curve curve(static_cast<size_t>(trials_), std::numeric_limits<Cycle>::max());
    for (const auto& [trial, cycles] : found.curve) std::fill(curve.begin() + trial - 1, curve.end(), cycles);
    return curve;
  }

  template <typename Work>
  void ForEach(size_t count, const Work& work) {
    pool_.parallel().run(
        &pool_.parallel(),
        [](void* each, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) (*static_cast<const Work*>(each))(static_cast<size_t>(i));
        },
        const_cast<Work*>(&work), static_cast<int64_t>(count));
  }

  Case case_;
  int trials_;
  Chain chain_;
  runtime::ThreadPool pool_;
  size_t layer_ = 0;
};

template <typename T>
T Median(std::vector<T> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Trials until a curve is so near the best; one more than were made where it never is.
int TrialsUntil(const Curve& curve, Cycle best, double near) {
  const auto enough = static_cast<double>(best) * (1 + near);
  const auto at =
      std::ranges::find_if(curve, [&](Cycle cycles) { return static_cast<double>(cycles) <= enough; });
  return static_cast<int>(at - curve.begin()) + 1;
}

void PrintTable(const std::vector<Measured>& all, double near, int trials) {
  fmt::print("\nTrials until {} % from the best known, median of {} seeds\n\n| case | schedules |",
             100 * near, kSeeds);
  for (const auto& [name, method] : kMethods) fmt::print(" {} |", name);
  fmt::print("\n|---|---|---|---|---|---|\n");
  std::vector<std::vector<int>> of_method(std::size(kMethods));
  for (const Measured& each : all) {
    fmt::print("| {} | {} |", each.name, each.space);
    for (size_t m = 0; m < std::size(kMethods); ++m) {
      std::vector<int> counts;
      for (const Curve& curve : each.curves[m]) counts.push_back(TrialsUntil(curve, each.best, near));
      of_method[m].push_back(counts.empty() ? trials + 1 : Median(counts));
      const int count = of_method[m].back();
      fmt::print(" {} |", count > trials ? fmt::format("more than {}", trials) : std::to_string(count));
    }
    fmt::print("\n");
  }
  fmt::print("| median | |");
  for (const auto& counts : of_method) fmt::print(" {} |", Median(counts));
  fmt::print("\n");
}

/// The median over cases and seeds of how far the best so far is from the best known, in percent.
std::vector<double> MedianCurve(const std::vector<Measured>& all, size_t method, int trials) {
  std::vector<double> curve;
  for (size_t t = 0; t < static_cast<size_t>(trials); ++t) {
    std::vector<double> far;
    for (const Measured& each : all)
      for (const Curve& of_seed : each.curves[method])
        far.push_back(100 *
                      std::min(1.0, static_cast<double>(of_seed[t]) / static_cast<double>(each.best) - 1));
    curve.push_back(Median(far));
  }
  return curve;
}

std::string Svg(const std::vector<Measured>& all, int trials) {
  constexpr double kWidth = 640, kHeight = 320, kLeft = 60, kTop = 20, kBottom = 44, kMost = 8;
  constexpr const char* kColors[] = {"#d1495b", "#edae49", "#00798c", "#7d8597"};
  const double wide = kWidth - kLeft - 110, high = kHeight - kTop - kBottom;
  const auto x = [&](double t) { return kLeft + wide * std::log2(t) / std::log2(trials); };
  const auto y = [&](double far) { return kTop + high * (1 - std::min(far, kMost) / kMost); };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& what,
                        const char* color = "#333") {
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", at_x,
                       at_y, anchor, color, what);
  };
  for (double far = 0; far <= kMost; far += 2) {
    svg += fmt::format("<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#ddd\"/>\n", kLeft, y(far), kLeft + wide);
    text(kLeft - 6, y(far) + 4, "end", fmt::format("{:.0f} %", far));
  }
  for (int t = 1; t <= trials; t *= 4) text(x(t), kHeight - 24, "middle", std::to_string(t));
  text(kLeft + wide / 2, kHeight - 6, "middle", "trials");
  for (size_t m = 0; m < std::size(kMethods); ++m) {
    const auto curve = MedianCurve(all, m, trials);
    std::string path;
    for (size_t t = 0; t < curve.size(); ++t)
      path += fmt::format("{}{:.1f} {:.1f}", t == 0 ? "M" : "L", x(static_cast<double>(t + 1)), y(curve[t]));
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, kColors[m]);
    const double row = kTop + 16 * static_cast<double>(m);
    text(kLeft + wide + 14, row + 4, "start", kMethods[m].first, kColors[m]);
  }
  return svg + "</svg>\n";
}

int Main(int argc, char** argv) {
  const int trials = argc > 1 ? std::stoi(argv[1]) : 256;
  std::vector<Measured> all;
  for (const Case& c : kCases) {
    Diagnostics diags;
    const auto spec = isa::LoadSpec(c.config, "cosim", {}, diags);
    COSIM_CHECK(spec, "{}", diags.Render());
    const auto graph = session::QuantizeFor(*spec, c.network, 1).graph;
    all.push_back(Study(c, *spec, graph, trials).Run());
    fmt::print(stderr, "{}: {} schedules, best {}\n", all.back().name, all.back().space, all.back().best);
  }
  for (const double near : kNear) PrintTable(all, near, trials);
  if (argc > 2) std::ofstream(argv[2]) << Svg(all, trials);
  return 0;
}

}  // namespace
}  // namespace cosim::tune

int main(int argc, char** argv) { return cosim::tune::Main(argc, argv); }
