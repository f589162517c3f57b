// SPDX-License-Identifier: Apache-2.0
// See isa_case.h. What makes a reason true is in true_reason.cc.
#include "tests/network_fuzz/isa_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "compiler/graph/verify.h"
#include "compiler/graph/zoo/random.h"
#include "compiler/schedules/accel/array.h"
#include "compiler/session/session.h"
#include "tests/network_fuzz/isolated.h"
#include "tests/network_fuzz/network_case.h"
#include "tests/network_fuzz/random_network.h"

namespace cosim::testing {
namespace {

using graph::zoo::Random;
using Kind = IsaOutcome::Kind;

std::string ReadText(const std::string& path) {
  Diagnostics diags;
  const auto source = isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/" + path, diags);
  return source ? source->text : "";
}

/// What one layer of a network is and says.
struct LayerPlace {
  bool on_accelerator = false;
  std::string reason;
};

std::map<std::string, LayerPlace> PlacesOf(const runtime::Network& network) {
  std::map<std::string, LayerPlace> places;
  for (const auto& layer : network.layers)
    if (!layer.op.starts_with("pack") && layer.op != "unpack")
      places[layer.name] = {layer.on_accelerator, layer.reason};
  return places;
}

constexpr int kMostTries = 8;  // to draw a network of which something runs on the accelerator

bool IsOnAccelerator(const std::pair<const std::string, LayerPlace>& entry) {
  return entry.second.on_accelerator;
}

/// The ISA before its edits.
std::optional<isa::Spec> BaseOf(const IsaCase& c, Diagnostics& diags) {
  return isa::Elaborate({"isa.yaml", ReadText("isa/" + c.isa + ".yaml")},
                        {"tiny.yaml", ReadText("configs/tiny.yaml")}, c.overrides, diags);
}

graph::Graph NetworkOf(const IsaCase& c, const isa::Spec& base) {
  std::string why;
  const kernels::Array array = kernels::FindArray(base, why);
  return MakeNetwork(c.seed, c.steps,
                     {array.weight_bits, array.activation_bits >= 16 ? 16 : 8, !array.HasParameters()});
}

std::map<std::string, LayerPlace> PlacesOnly(const isa::Spec& spec, const graph::Graph& graph) {
  network::CompileOptions options;
  options.timing_only = true;
  return PlacesOf(session::CompileFor(spec, graph, options));
}

/// Every diagnostic has a place in one of the two texts, or in a setting.
std::string Misplaced(const Diagnostics& diags, const isa::SourceText& isa, const isa::SourceText& config) {
  for (const Diagnostic& d : diags.list()) {
    const std::string& file = d.loc.file;
    const bool is_placed = d.loc.line >= 1 && d.loc.column >= 1 && (file == isa.path || file == config.path);
    if (d.code.empty() || (!is_placed && !file.starts_with("--set ")))
      return fmt::format("a diagnostic without a place: {}", d.message);
  }
  return {};
}

/// Splits at `separator`.
std::vector<std::string> Items(const std::string& text, char separator) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, separator);) items.push_back(item);
  return items;
}

/// Compares what layers say before and after the edits. Fills `reasons`; the first that is not true.
std::string Judge(const std::map<std::string, LayerPlace>& before,
                  const std::map<std::string, LayerPlace>& now, const isa::YamlNode& isa,
                  const std::vector<IsaEdit>& edits, std::set<std::string>& reasons) {
  for (const auto& [name, place] : now) {
    const auto old = before.find(name);
    if (place.on_accelerator || (old != before.end() && !old->second.on_accelerator)) continue;
    reasons.insert(place.reason);
    if (const std::string why = Untrue(place.reason, isa, edits); !why.empty())
      return fmt::format("{}: '{}': {}", name, place.reason, why);
  }
  return {};
}

}  // namespace

const char* Name(Kind kind) {
  constexpr const char* kNames[] = {"exact",
                                    "exact, partly on the host",
                                    "exact, on the host",
                                    "refused",
                                    "UNTRUE REASON",
                                    "WRONG",
                                    "CRASHED",
                                    "TOO LONG"};
  return kNames[static_cast<int>(kind)];
}

IsaCase DrawIsaCase(uint64_t seed) {
  Random random(seed);
  IsaCase c;
  c.isa = random.Below(5) < 3 ? "cosim" : "vta";
  const auto maybe = [&](const char* name, int64_t value, int64_t in) {
    if (random.Below(in) == 0)
      c.overrides.push_back({std::string("parameters.") + name, std::to_string(value)});
  };
  maybe("batch", 2, 6);
  maybe("block_in", 8, 6);
  maybe("block_out", 8, 6);
  maybe("inp_bits", 16, 8);
  maybe("tokens", 1, 6);
  maybe("alu_lanes", 3, 6);
  Diagnostics diags;
  auto tree = isa::ParseYaml({"isa.yaml", ReadText("isa/" + c.isa + ".yaml")}, diags);
  const int64_t edits = random.Below(3) != 0 ? 1 : 2 + random.Below(2);
  for (int64_t i = 0; i < edits; ++i) {
    c.edits.push_back(DrawEdit(*tree, random));
    Apply(c.edits.back(), *tree);
  }
  const auto base = BaseOf(c, diags);
  for (int tries = 0; tries < kMostTries; ++tries) {
    c.seed = random.Bits();
    c.steps.clear();
    const int64_t steps = 1 + random.Below(3);
    for (int64_t i = 0; i < steps; ++i) c.steps.push_back(random.Bits());
    if (base && std::ranges::any_of(PlacesOnly(*base, NetworkOf(c, *base)), IsOnAccelerator)) break;
  }
  return c;
}

std::string ToString(const IsaCase& c) {
  std::vector<std::string> sets, steps, edits;
  for (const auto& [path, value] : c.overrides) sets.push_back(path + ":" + value);
  for (uint64_t step : c.steps) steps.push_back(fmt::format("{:x}", step));
  for (const IsaEdit& edit : c.edits) edits.push_back(ToString(edit));
  return fmt::format("isa={} rtl={} seed={:x} set={} steps={} edits={}", c.isa, c.rtl ? 1 : 0, c.seed,
                     fmt::join(sets, ","), fmt::join(steps, ","), fmt::join(edits, "|"));
}

std::optional<IsaCase> ParseIsaCase(const std::string& text) {
  IsaCase c;
  const size_t edits = text.find(" edits=");
  if (edits == std::string::npos) return std::nullopt;
  for (const std::string& item : Items(text.substr(edits + 7), '|')) {
    const auto edit = ParseEdit(item);
    if (!edit) return std::nullopt;
    c.edits.push_back(*edit);
  }
  for (const std::string& word : Items(text.substr(0, edits), ' ')) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) return std::nullopt;
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "isa") {
      c.isa = value;
    } else if (key == "rtl") {
      c.rtl = value == "1";
    } else if (key == "seed") {
      c.seed = std::strtoull(value.c_str(), nullptr, 16);
    } else if (key == "set") {
      for (const std::string& item : Items(value, ',')) {
        const size_t colon = item.find(':');
        if (colon == std::string::npos) return std::nullopt;
        c.overrides.push_back({item.substr(0, colon), item.substr(colon + 1)});
      }
    } else if (key == "steps") {
      for (const std::string& item : Items(value, ','))
        c.steps.push_back(std::strtoull(item.c_str(), nullptr, 16));
    } else {
      return std::nullopt;
    }
  }
  return c;
}

IsaOutcome RunIsaCase(const IsaCase& c) {
  Diagnostics diags;
  const isa::SourceText plain{"isa.yaml", ReadText("isa/" + c.isa + ".yaml")};
  const isa::SourceText config{"tiny.yaml", ReadText("configs/tiny.yaml")};
  const auto before = isa::ParseYaml(plain, diags);
  const auto base = BaseOf(c, diags);
  if (!before || !base) return {Kind::kWrong, "without edits: " + diags.Render()};
  isa::YamlNode tree = *before;
  for (const IsaEdit& edit : c.edits) Apply(edit, tree);
  const isa::SourceText edited{"edited.yaml", Emit(tree)};
  const auto spec = isa::Elaborate(edited, config, c.overrides, diags);
  if (!spec) {
    const std::string misplaced = Misplaced(diags, edited, config);
    return misplaced.empty() ? IsaOutcome{Kind::kRefused, diags.Render()}
                             : IsaOutcome{Kind::kUntrue, misplaced};
  }

  const graph::Graph graph = NetworkOf(c, *base);
  if (const auto faults = graph::Verify(graph); !faults.empty())
    return {Kind::kWrong, "the graph: " + faults[0]};
  const auto network = session::CompileFor(*spec, graph, {});
  if (auto text = session::VerifyPrograms(*spec, network); !text.empty())
    return {Kind::kWrong, "verifier: " + text};
  const auto old = PlacesOnly(*base, graph), now = PlacesOf(network);
  const bool some = std::ranges::any_of(now, IsOnAccelerator);
  std::string refusal;
  if (auto text = FaultOnDevices(*spec, network, graph, c.seed, c.rtl && some, refusal); !text.empty())
    return {Kind::kWrong, text};
  if (!refusal.empty()) return {Kind::kWrong, "no RTL: " + refusal};
  std::set<std::string> reasons;
  if (auto text = Judge(old, now, *before, c.edits, reasons); !text.empty()) return {Kind::kUntrue, text};
  const std::string text = fmt::format("{}", fmt::join(reasons, "\n"));
  if (reasons.empty()) return {Kind::kExact, text, some};
  return {some ? Kind::kPartly : Kind::kHost, text, some};
}

IsaOutcome RunIsaCaseIsolated(const IsaCase& c, int seconds) {
  const ChildResult result = RunInChild(
      [&] {
        const IsaOutcome outcome = RunIsaCase(c);
        return fmt::format("{}{}{}", static_cast<int>(outcome.kind), outcome.works ? 1 : 0, outcome.text);
      },
      seconds);
  if (result.kind == ChildResult::Kind::kLate) return {Kind::kLate, result.text};
  if (result.kind == ChildResult::Kind::kCrashed || result.text.size() < 2)
    return {Kind::kCrashed, result.text};
  return {static_cast<Kind>(result.text[0] - '0'), result.text.substr(2), result.text[1] == '1'};
}

IsaCase Shrink(IsaCase c, const std::function<bool(const IsaCase&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto without_each = [&](auto IsaCase::* list) {
      for (size_t i = (c.*list).size(); i-- > 0;) {
        IsaCase candidate = c;
        (candidate.*list).erase((candidate.*list).begin() + static_cast<int64_t>(i));
        if (!fails(candidate)) continue;
        c = std::move(candidate);
        smaller = true;
      }
    };
    without_each(&IsaCase::edits);
    without_each(&IsaCase::steps);
    without_each(&IsaCase::overrides);
  }
  return c;
}

}  // namespace cosim::testing
