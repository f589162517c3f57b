// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/provenance.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

using runtime::Cycle;

double Share(Cycle part, Cycle whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// "1.2 % fewer cycles".
std::string Change(Cycle more, Cycle of) {
  const std::string share = Percent(Share(std::abs(more), of));
  if (more == 0) return "as many cycles";
  if (share == Percent(0))
    return fmt::format("{} {} cycles", Grouped(std::abs(more)), more < 0 ? "fewer" : "more");
  return fmt::format("{} {} cycles", share, more < 0 ? "fewer" : "more");
}

/// Operational intensity: multiply-accumulates a byte of traffic.
double Intensity(const session::LayerExplanation& layer, const session::Traffic& traffic) {
  const uint64_t bytes = traffic.read_bytes + traffic.write_bytes;
  return bytes > 0 ? static_cast<double>(layer.layer.macs) / static_cast<double>(bytes) : 0;
}

/// Multiply-accumulates a cycle.
std::string Rate(int64_t macs, Cycle cycles) { return fmt::format("{:.1f} MAC/cycle", Share(macs, cycles)); }

std::string TrafficText(const session::LayerExplanation& layer) {
  const session::Traffic& traffic = layer.traffic;
  std::string text = fmt::format("  traffic: {} bytes read, {} written; the port needs {} cycles for them",
                                 Grouped(static_cast<int64_t>(traffic.read_bytes)),
                                 Grouped(static_cast<int64_t>(traffic.write_bytes)), Grouped(traffic.cycles));
  if (const Cycle elsewhere = traffic.cycles - layer.own_traffic.cycles; elsewhere > 0)
    text += fmt::format(", up to {} of these while other layers run", Grouped(elsewhere));
  return text + "\n";
}

/// At the traffic that is left for the layer's own cycles: what ran ahead bounds it no more.
std::string Roofline(const session::LayerExplanation& layer) {
  if (layer.ideal == 0) return "";
  const int64_t macs = layer.layer.macs;
  const Cycle port = layer.own_traffic.cycles;
  std::string roofs = fmt::format("the array gives {}", Rate(macs, layer.ideal));
  if (port > 0)
    roofs = fmt::format("at {:.1f} MAC/byte the port gives {}, the array {}",
                        Intensity(layer, layer.own_traffic), Rate(macs, port), Rate(macs, layer.ideal));
  return fmt::format("  roofline: {}: bound by {}; reached {}, {} of it\n", roofs,
                     layer.ideal >= port ? "the array" : "the port", Rate(macs, layer.cycles),
                     Percent(Share(std::max(layer.ideal, port), layer.cycles)));
}

/// How much of the array the steps themselves use: blocks that channels do not fill, groups with zeros
/// between them.
std::string Filling(const session::LayerExplanation& layer) {
  if (layer.ideal == 0 || 100 * layer.ideal > 99 * layer.busy) return "";
  return fmt::format(", with {} of its multipliers: the layer's channels do not fill the array",
                     Percent(Share(layer.ideal, layer.busy)));
}

std::string LayerText(const session::LayerExplanation& layer) {
  std::string text =
      fmt::format("{}: {}, {} cycles", layer.layer.name, layer.layer.op, Grouped(layer.cycles));
  if (layer.ideal > 0) text += fmt::format(", {} of the array", Percent(Share(layer.ideal, layer.cycles)));
  text += fmt::format("\n  {:>6}  {} works{}\n", Percent(Share(layer.busy, layer.cycles)), layer.unit,
                      Filling(layer));
  for (const session::Stall& stall : layer.stalls)
    text += fmt::format("  {:>6}  {}\n", Percent(Share(stall.cycles, layer.cycles)), stall.reason);
  text += TrafficText(layer) + Roofline(layer);
  if (!layer.layer.reason.empty()) text += "  fusion: " + layer.layer.reason + "\n";
  text += "  schedule: " + layer.layer.schedule + "\n";
  for (const runtime::Alternative& other : layer.layer.alternatives)
    text += fmt::format("  instead: {}: {} cycles, {}\n", other.schedule,
                        Grouped(layer.cycles + other.more_cycles), Change(other.more_cycles, layer.cycles));
  return text;
}

std::string KnobsText(const session::LayerExplanation& layer) {
  std::string text = "  knobs:\n";
  for (const runtime::Knob& knob : layer.layer.knobs)
    text += fmt::format("    {}={} of {}\n", knob.name, knob.value, fmt::join(knob.legal, " "));
  return text;
}

std::vector<std::string> Settings(const session::Lift& lift) {
  std::vector<std::string> settings;
  for (const isa::Override& change : lift.changes) settings.push_back(change.path + "=" + change.value);
  return settings;
}

/// At most `most` of those that save something, two lines each.
std::string LiftsText(const session::Explanation& result, const std::string& name, Cycle before,
                      size_t most) {
  std::string text = fmt::format("what would lift {}:\n", name);
  size_t saving = 0;
  for (const session::Lift& lift : result.lifts) {
    if (Share(before - lift.cycles, before) < 0.0005 || ++saving > most) continue;
    text +=
        fmt::format("  {}: {}{}{}{}\n    --set {}\n", lift.what, Change(lift.cycles - before, before),
                    lift.fuses_otherwise ? ", as the network gains: the layer is fused otherwise then" : "",
                    lift.fit.text.empty() ? "" : "; ", lift.fit.text, fmt::join(Settings(lift), " --set "));
  }
  if (saving == 0) text += fmt::format("  none of {} changes tried saves 0.05 %\n", result.lifts.size());
  if (saving > most) text += fmt::format("  {} more that save less\n", saving - most);
  return text;
}

/// "conv1 28,000, fc 12,000, 14 more 9,000".
std::string SharesText(const std::vector<session::Loss::Share>& shares) {
  constexpr size_t kShown = 4;
  std::string text;
  Cycle rest = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (i < kShown || shares.size() == kShown + 1) {
      text += fmt::format("{}{} {}", i > 0 ? ", " : "", shares[i].layer, Grouped(shares[i].cycles));
    } else {
      rest += shares[i].cycles;
    }
  }
  if (rest > 0) text += fmt::format(", {} more {}", shares.size() - kShown, Grouped(rest));
  return text;
}

std::string LedgerText(const session::Explanation& result) {
  constexpr size_t kShown = 6;
  std::string text;
  Cycle rest = 0;
  for (size_t i = 0; i < result.losses.size(); ++i) {
    const session::Loss& loss = result.losses[i];
    if (i >= kShown && result.losses.size() > kShown + 1) {
      rest += loss.cycles;
      continue;
    }
    text += fmt::format("{:>13} {:>7}  {}\n{:23}{}\n", Grouped(loss.cycles),
                        Percent(Share(loss.cycles, result.cycles)), loss.cause, "", SharesText(loss.layers));
  }
  if (rest == 0) return text;
  return text + fmt::format("{:>13} {:>7}  {} more causes\n", Grouped(rest),
                            Percent(Share(rest, result.cycles)), result.losses.size() - kShown);
}

std::string WorstLayersText(const session::Explanation& result) {
  constexpr size_t kShown = 5;
  std::vector<const session::LayerExplanation*> layers;
  for (const auto& layer : result.layers)
    if (layer.cycles > layer.ideal) layers.push_back(&layer);
  std::ranges::stable_sort(layers, std::greater(),
                           [](const auto* layer) { return layer->cycles - layer->ideal; });
  if (layers.size() > kShown) layers.resize(kShown);
  std::string text;
  for (const auto* layer : layers) {
    const Cycle lost = layer->cycles - layer->ideal;
    text +=
        fmt::format("{:>13} {:>7}  {}: {} cycles, {}\n", Grouped(lost), Percent(Share(lost, result.cycles)),
                    layer->layer.name, Grouped(layer->cycles),
                    layer->layer.macs == 0 ? "no multiply-accumulates"
                                           : Percent(Share(layer->ideal, layer->cycles)) + " of the array");
  }
  return text;
}

std::string NoLayersText(const session::Explanation& result) {
  return fmt::format(
      "{}: no layer runs on the accelerator, so there are no cycles to explain; "
      "`cosim explain --partition` names the limit that each met\n",
      result.network);
}

std::string TotalText(const session::Explanation& result) {
  return fmt::format("total: {} cycles, {} of the array\n", Grouped(result.cycles),
                     Percent(Share(result.ideal, result.cycles)));
}

}  // namespace

std::string NetworkText(const session::Explanation& result, const isa::Spec& spec) {
  if (result.layers.empty()) return NoLayersText(result);
  std::string text =
      fmt::format("{} on {} ({}): {} cycles, {} of the array\n", result.network, spec.config, spec.isa,
                  Grouped(result.cycles), Percent(Share(result.ideal, result.cycles)));
  if (result.host_layers > 0)
    text += fmt::format("{} besides run on the host: --partition says why\n",
                        Counted(static_cast<size_t>(result.host_layers), "layer"));
  if (result.cycles > result.ideal)
    text += fmt::format("\nwhere the {} cycles went that its multiply-accumulates do not need:\n",
                        Grouped(result.cycles - result.ideal)) +
            LedgerText(result) + "\nlayers that lost most (--layer=NAME explains one, --layers all):\n" +
            WorstLayersText(result);
  constexpr size_t kLifts = 6;
  return text + "\n" + LiftsText(result, result.network, result.cycles, kLifts);
}

std::string LayersText(const session::Explanation& result, const std::string& layer) {
  if (result.layers.empty()) return NoLayersText(result);
  std::string text;
  for (const auto& each : result.layers)
    text += LayerText(each) + (layer.empty() ? "" : KnobsText(each)) + "\n";
  const Cycle before = layer.empty() ? result.cycles : result.layers[0].cycles;
  return text + LiftsText(result, layer.empty() ? result.network : layer, before, result.lifts.size()) +
         TotalText(result);
}

namespace {

using nlohmann::ordered_json;

ordered_json JsonOf(const session::LayerExplanation& layer) {
  ordered_json out = {{"name", layer.layer.name},
                      {"op", layer.layer.op},
                      {"macs", layer.layer.macs},
                      {"cycles", layer.cycles},
                      {"ideal_cycles", layer.ideal},
                      {"port_cycles", layer.traffic.cycles},
                      {"own_port_cycles", layer.own_traffic.cycles},
                      {"read_bytes", layer.traffic.read_bytes},
                      {"write_bytes", layer.traffic.write_bytes},
                      {"macs_per_byte", Intensity(layer, layer.traffic)},
                      {"unit", layer.unit},
                      {"busy", layer.busy},
                      {"schedule", layer.layer.schedule}};
  for (const auto& stall : layer.stalls)
    out["stalls"].push_back({{"reason", stall.reason}, {"cycles", stall.cycles}});
  if (!layer.layer.reason.empty()) out["fusion"] = layer.layer.reason;
  for (const auto& knob : layer.layer.knobs)
    out["knobs"].push_back({{"name", knob.name}, {"value", knob.value}, {"legal", knob.legal}});
  for (const auto& other : layer.layer.alternatives)
    out["candidates"].push_back({{"schedule", other.schedule}, {"cycles", layer.cycles + other.more_cycles}});
  return out;
}

ordered_json JsonOf(const session::Loss& loss) {
  ordered_json out = {{"cause", loss.cause}, {"cycles", loss.cycles}, {"layers", ordered_json::array()}};
  for (const auto& share : loss.layers)
    out["layers"].push_back({{"name", share.layer}, {"cycles", share.cycles}});
  return out;
}

ordered_json JsonOf(const session::Lift& lift) {
  ordered_json out = {
      {"what", lift.what}, {"set", Settings(lift)}, {"cycles", lift.cycles}, {"fits", nullptr}};
  if (lift.fuses_otherwise) out["fuses_otherwise"] = true;
  if (lift.fit.fits) out["fits"] = *lift.fit.fits;
  if (!lift.fit.text.empty()) out["fit"] = lift.fit.text;
  return out;
}

}  // namespace

std::string ExplanationJson(const session::Explanation& result, const session::Origin& origin) {
  ordered_json json = {{"network", result.network},       {"cycles", result.cycles},
                       {"ideal_cycles", result.ideal},    {"host_layers", result.host_layers},
                       {"losses", ordered_json::array()}, {"layers", ordered_json::array()},
                       {"lifts", ordered_json::array()}};
  json["provenance"] = OriginJson(origin);
  for (const auto& loss : result.losses) json["losses"].push_back(JsonOf(loss));
  for (const auto& layer : result.layers) json["layers"].push_back(JsonOf(layer));
  for (const auto& lift : result.lifts) json["lifts"].push_back(JsonOf(lift));
  return JsonText(json);
}

}  // namespace cosim::cli
