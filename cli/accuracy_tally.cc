// SPDX-License-Identifier: Apache-2.0
#include "cli/accuracy_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

constexpr size_t kMostRows = 20;  // classes in the printed table; the JSON has all

double Share(size_t part, size_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

const quantize::LossFinder::Loss& Worst(const Tally& tally) {
  return *std::max_element(tally.losses.begin(), tally.losses.end(),
                           [](const auto& a, const auto& b) { return a.lost_db < b.lost_db; });
}

std::string Line(const std::string& what, size_t part, size_t whole) {
  return fmt::format("{:<26} {:>8}   {} of {}\n", what, Percent(Share(part, whole)), part, whole);
}

/// What a class is most often taken for when it is not recognized; "" when it always is.
std::string TakenFor(const Tally& tally, int64_t label, const ClassTally& row) {
  const std::pair<const int64_t, size_t>* most = nullptr;
  for (const auto& choice : row.chosen)
    if (choice.first != label && (!most || choice.second > most->second)) most = &choice;
  return most ? fmt::format(", {} taken for {}", most->second, tally.NameOf(most->first)) : "";
}

/// The classes of which least is right, first.
std::string ClassesText(const Tally& tally) {
  std::vector<std::pair<int64_t, const ClassTally*>> rows;
  for (const auto& [label, row] : tally.classes) rows.emplace_back(label, &row);
  std::ranges::stable_sort(rows, {}, [](const auto& r) { return Share(r.second->right, r.second->samples); });
  std::string text;
  for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const auto& [label, row] = rows[i];
    text += Line("  " + tally.NameOf(label), row->right, row->samples);
    const std::string mistaken = TakenFor(tally, label, *row);
    if (!mistaken.empty()) text.insert(text.size() - 1, mistaken);
  }
  if (rows.size() > kMostRows)
    text +=
        fmt::format("  and {} more, of which more is right: --json=FILE has all\n", rows.size() - kMostRows);
  return text;
}

std::string ReferenceText(const Tally& tally) {
  const std::string text = Line("agreement with reference", tally.agree, tally.samples);
  if (tally.losses.empty())
    return text +
           "layers: no values of the model have names of the reference's; an ONNX model has them when it "
           "was quantized from it, a TensorFlow Lite model when both consist of the same operators\n";
  const auto& worst = Worst(tally);
  if (worst.lost_db < 0.1) return text + "no layer loses more of the signal than eight bits have to\n";
  return text + fmt::format("most is lost in {} ({}): {:.1f} dB of signal to noise, {:.1f} dB are left\n",
                            worst.value, worst.op, worst.lost_db, worst.db);
}

/// Rows by label; only the cells that are not 0.
nlohmann::ordered_json ClassesJson(const Tally& tally) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [label, row] : tally.classes) {
    json.push_back({{"label", label},
                    {"name", tally.NameOf(label)},
                    {"samples", row.samples},
                    {"right", row.right},
                    {"chosen", nlohmann::ordered_json::object()}});
    for (const auto& [choice, count] : row.chosen) json.back()["chosen"][std::to_string(choice)] = count;
  }
  return json;
}

}  // namespace

double Tally::Top1() const { return Share(top1, labelled); }

std::string Tally::NameOf(int64_t label) const {
  return label >= 0 && static_cast<size_t>(label) < names.size() ? names[static_cast<size_t>(label)]
                                                                 : std::to_string(label);
}

std::string TallyText(const Tally& tally) {
  std::string text = fmt::format("{} samples", Grouped(static_cast<int64_t>(tally.samples)));
  if (tally.cycles) text += fmt::format(", {} cycles each", Grouped(tally.cycles / tally.samples));
  text += "\n";
  if (tally.anomaly)
    text += fmt::format("area under the curve       {:>8.4f}   {} normal, {} anomalous\n",
                        tally.anomaly->area, tally.anomaly->normal, tally.anomaly->anomalous);
  if (tally.labelled) {
    text += Line("top-1", tally.top1, tally.labelled) + Line("top-5", tally.top5, tally.labelled);
    text += ClassesText(tally);
  }
  return tally.with_reference ? text + ReferenceText(tally) : text;
}

std::string TallyJson(const Tally& tally, const std::string& model, const std::string& device) {
  nlohmann::ordered_json json = {{"model", model}, {"device", device}, {"samples", tally.samples}};
  if (tally.cycles) json["cycles"] = tally.cycles;
  if (tally.anomaly)
    json["anomaly"] = {{"area_under_curve", tally.anomaly->area},
                       {"normal", tally.anomaly->normal},
                       {"anomalous", tally.anomaly->anomalous}};
  if (tally.labelled) {
    json["labelled"] = tally.labelled;
    json["top1"] = tally.Top1();
    json["top5"] = Share(tally.top5, tally.labelled);
    json["classes"] = ClassesJson(tally);
  }
  if (tally.with_reference) json["agreement"] = Share(tally.agree, tally.samples);
  if (!tally.losses.empty()) json["most_lost_in"] = Worst(tally).value;
  for (const auto& loss : tally.losses)
    json["layers"].push_back(
        {{"name", loss.value}, {"operator", loss.op}, {"db", loss.db}, {"lost_db", loss.lost_db}});
  return JsonText(json);
}

}  // namespace cosim::cli
