// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/text.h"

namespace cosim::cli {
namespace {

using explore::LayerChange;
using explore::LayerFacts;
using explore::ValueChange;
using Json = nlohmann::ordered_json;

constexpr size_t kShownWaits = 8;

std::string Or(const std::string& text, const char* otherwise) { return text.empty() ? otherwise : text; }

std::string ValuesText(const std::string& title, const std::vector<ValueChange>& changes) {
  if (changes.empty()) return title + ": the same\n";
  size_t width = 0;
  for (const ValueChange& change : changes) width = std::max(width, change.name.size());
  std::string text = title + "\n";
  for (const ValueChange& change : changes)
    text += fmt::format("  {:<{}}  {} -> {}\n", change.name, width, Or(change.before, "none"),
                        Or(change.after, "none"));
  return text;
}

std::string Signed(int64_t value) {
  return value > 0 ? "+" + Grouped(value) : value < 0 ? "-" + Grouped(-value) : "0";
}

bool Differs(const LayerChange& change) {
  if (!change.before || !change.after) return true;
  const LayerFacts &a = *change.before, &b = *change.after;
  return change.more_ms != 0 || a.cycles != b.cycles || a.dram_bytes != b.dram_bytes ||
         a.schedule != b.schedule || a.on_accelerator != b.on_accelerator;
}

/// Placement and schedule, where they changed.
std::string Choices(const LayerChange& change) {
  if (!change.before || !change.after) return change.before ? "no longer there" : "new";
  const LayerFacts &a = *change.before, &b = *change.after;
  if (a.on_accelerator && !b.on_accelerator) return "to the host: " + b.reason;
  if (!a.on_accelerator && b.on_accelerator) return "to the accelerator";
  return a.schedule == b.schedule ? "" : a.schedule + " -> " + b.schedule;
}

std::string LayerLine(const LayerChange& change) {
  const LayerFacts before = change.before.value_or(LayerFacts{}), after = change.after.value_or(LayerFacts{});
  std::string line = fmt::format("{:<28} {:>+10.3f} {:>14} {:>14} {:>14}", change.name, change.more_ms,
                                 Grouped(after.cycles), Signed(after.cycles - before.cycles),
                                 Signed(after.dram_bytes - before.dram_bytes));
  const std::string choices = Choices(change);
  return choices.empty() ? line + "\n" : line + "  " + choices + "\n";
}

std::string LayersText(const std::vector<LayerChange>& layers, size_t most) {
  std::vector<const LayerChange*> differ;
  for (const LayerChange& layer : layers)
    if (Differs(layer)) differ.push_back(&layer);
  if (differ.empty()) return "layers: the same\n";
  std::string text = fmt::format("{:<28} {:>10} {:>14} {:>14} {:>14}\n", "layers", "more ms", "cycles",
                                 "more", "more bytes");
  for (size_t i = 0; i < std::min(most, differ.size()); ++i) text += LayerLine(*differ[i]);
  if (differ.size() > most)
    text += fmt::format("… and {} more that differ (--layers)\n", differ.size() - most);
  const size_t same = layers.size() - differ.size();
  return same > 0 ? text + fmt::format("{} {} the same\n", Counted(same, "layer"), same == 1 ? "is" : "are")
                  : text;
}

std::string WaitsText(const std::vector<explore::WaitChange>& waits) {
  if (waits.empty()) return "cycles of units: the same\n";
  std::string text =
      fmt::format("{:<40} {:>14} {:>14} {:>14}\n", "cycles of units", "before", "after", "more");
  for (size_t i = 0; i < std::min(kShownWaits, waits.size()); ++i)
    text += fmt::format("  {:<38} {:>14} {:>14} {:>14}\n", waits[i].name, Grouped(waits[i].before),
                        Grouped(waits[i].after), Signed(waits[i].after - waits[i].before));
  return text;
}

Json FactsJson(const std::optional<LayerFacts>& facts) {
  if (!facts) return {};
  return {{"where", facts->on_accelerator ? "accelerator" : "cpu"},
          {"cycles", facts->cycles},
          {"dram_bytes", facts->dram_bytes},
          {"host_ms", facts->host_ms ? Json(*facts->host_ms) : Json()},
          {"schedule", facts->schedule},
          {"reason", facts->reason}};
}

}  // namespace

Json ValuesJson(const std::vector<ValueChange>& changes) {
  Json json = Json::array();
  for (const ValueChange& change : changes)
    json.push_back({{"name", change.name},
                    {"before", change.before.empty() ? Json() : Json(change.before)},
                    {"after", change.after.empty() ? Json() : Json(change.after)}});
  return json;
}

std::string CompareText(const std::string& before, const std::string& after,
                        const explore::Comparison& comparison, size_t layers) {
  return fmt::format("{} -> {}\n", before, after) + ValuesText("configuration and ISA", comparison.hardware) +
         ValuesText("totals", comparison.totals) + LayersText(comparison.layers, layers) +
         WaitsText(comparison.units);
}

Json CompareJson(const std::string& after, const explore::Comparison& comparison) {
  Json json = {{"with", after},
               {"hardware", ValuesJson(comparison.hardware)},
               {"totals", ValuesJson(comparison.totals)},
               {"layers", Json::array()},
               {"units", Json::array()}};
  for (const LayerChange& layer : comparison.layers)
    json["layers"].push_back({{"name", layer.name},
                              {"more_ms", layer.more_ms},
                              {"before", FactsJson(layer.before)},
                              {"after", FactsJson(layer.after)}});
  for (const explore::WaitChange& wait : comparison.units)
    json["units"].push_back({{"name", wait.name}, {"before", wait.before}, {"after", wait.after}});
  return json;
}

}  // namespace cosim::cli
