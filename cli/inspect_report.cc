// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/explain_partition.h"
#include "cli/print.h"
#include "cli/provenance.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

constexpr size_t kNamed = 3;  // layers of a group that are named

/// Layers on the host that met the same limit, be its numbers what they may.
struct Group {
  std::string limit, reason;  ///< the reason is the first layer's
  std::vector<const session::HostLayer*> layers;
  int64_t macs = 0;
};

/// A reason without its numbers.
std::string LimitOf(const std::string& reason) {
  std::string limit;
  for (char c : reason)
    if (!std::isdigit(static_cast<unsigned char>(c))) limit += c;
  return limit;
}

std::vector<Group> GroupsOf(const session::Partition& partition) {
  std::vector<Group> groups;
  for (const session::HostLayer& host : partition.host) {
    const std::string limit = LimitOf(host.layer.reason);
    auto at = std::ranges::find(groups, limit, &Group::limit);
    if (at == groups.end()) at = groups.insert(at, {limit, host.layer.reason, {}, 0});
    at->layers.push_back(&host);
    at->macs += host.layer.macs;
  }
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
    return std::pair(a.macs, a.layers.size()) > std::pair(b.macs, b.layers.size());
  });
  return groups;
}

/// Changes under which some of the group's layers are not the host's, and of how many.
std::string LiftsOf(const Group& group) {
  std::map<std::string, size_t> lifted;
  for (const session::HostLayer* host : group.layers)
    for (const std::string& change : host->lifted_by) ++lifted[change];
  std::string text;
  for (const auto& [change, count] : lifted)
    text += count == group.layers.size() ? fmt::format("      lifted by {}\n", change)
                                         : fmt::format("      {} of them by {}\n", count, change);
  return text;
}

std::string GroupText(const Group& group) {
  std::vector<std::string> names;
  for (const session::HostLayer* host : group.layers)
    if (names.size() < kNamed) names.push_back(host->layer.name);
  if (group.layers.size() > names.size()) names.emplace_back("...");
  return fmt::format("  {}{}: {}\n      {}\n{}", Counted(group.layers.size(), "layer"),
                     group.macs ? fmt::format(", {} MACs", Grouped(group.macs)) : "", fmt::join(names, ", "),
                     group.reason, LiftsOf(group));
}

std::string PartitionLines(const session::Partition& partition, const std::string& configuration) {
  const auto on_host = static_cast<int>(partition.host.size());
  std::string text = fmt::format("on {}: {} of {} layers on the accelerator", configuration,
                                 partition.layers - on_host, partition.layers);
  if (partition.macs > 0)
    text += fmt::format(", {} of {} MACs",
                        Percent(static_cast<double>(partition.macs - partition.host_macs) /
                                static_cast<double>(partition.macs)),
                        Grouped(partition.macs));
  text += "\n";
  for (const Group& group : GroupsOf(partition)) text += GroupText(group);
  return text;
}

std::string ValueLine(const char* what, const import::ValueSummary& value) {
  return fmt::format("  {:<13}{}  {}{}\n", what, value.name, value.type,
                     value.quantization.empty() ? "" : ", " + value.quantization);
}

std::string Size(uint64_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{} bytes", Grouped(static_cast<int64_t>(bytes)))
                           : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string ConstantsText(const import::FileSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [type, elements] : summary.constants)
    parts.push_back(fmt::format("{} {}", graph::Name(type), Grouped(elements)));
  if (parts.empty()) return "none";
  return fmt::format("{} in {} ({})", Grouped(summary.Parameters()),
                     Size(static_cast<uint64_t>(summary.ParameterBytes())), fmt::join(parts, ", "));
}

nlohmann::ordered_json ValueJson(const import::ValueSummary& value) {
  nlohmann::ordered_json json = {{"name", value.name}, {"type", value.type}};
  if (!value.quantization.empty()) json["quantization"] = value.quantization;
  return json;
}

}  // namespace

std::string InspectionText(const Inspection& inspection) {
  const import::FileSummary& summary = inspection.summary;
  std::string text = fmt::format("{}: {}, {}\n", inspection.file, summary.format, Size(summary.bytes));
  for (const auto& value : summary.inputs) text += ValueLine("input", value);
  for (const auto& value : summary.outputs) text += ValueLine("output", value);
  text += fmt::format("  quantization {}\n  constants    {}\n  operators    {}\n", summary.quantization,
                      ConstantsText(summary), Grouped(summary.Operators()));
  for (const import::OperatorUse& use : summary.operators)
    text += use.types.empty() ? fmt::format("    {:>5}  {}\n", use.count, use.name)
                              : fmt::format("    {:>5}  {:<24} {}\n", use.count, use.name, use.types);
  for (const std::string& note : inspection.notes) text += fmt::format("note: {}\n", note);
  if (!inspection.partition) return text;
  text += PartitionLines(*inspection.partition, inspection.configuration);
  if (summary.quantization == "none" && inspection.partition->macs > 0)
    text += "hint: its products are of real numbers; `cosim quantize` makes integers of them\n";
  return text;
}

std::string InspectionJson(const Inspection& inspection) {
  using nlohmann::ordered_json;
  const import::FileSummary& summary = inspection.summary;
  ordered_json json = {{"file", inspection.file},
                       {"format", summary.format},
                       {"bytes", summary.bytes},
                       {"inputs", ordered_json::array()},
                       {"outputs", ordered_json::array()},
                       {"quantization", summary.quantization},
                       {"constants", ordered_json::object()},
                       {"operators", ordered_json::array()},
                       {"notes", inspection.notes},
                       {"problems", ordered_json::array()}};
  for (const auto& value : summary.inputs) json["inputs"].push_back(ValueJson(value));
  for (const auto& value : summary.outputs) json["outputs"].push_back(ValueJson(value));
  for (const auto& [type, elements] : summary.constants)
    json["constants"][std::string(graph::Name(type))] = elements;
  for (const auto& use : summary.operators) {
    json["operators"].push_back({{"name", use.name}, {"count", use.count}});
    if (!use.types.empty()) json["operators"].back()["types"] = use.types;
  }
  for (const Diagnostic& problem : inspection.problems) {
    json["problems"].push_back({{"code", problem.code}, {"message", problem.message}});
    if (!problem.hint.empty()) json["problems"].back()["hint"] = problem.hint;
  }
  if (inspection.partition)
    json["partition"] = ordered_json::parse(PartitionJson(*inspection.partition, inspection.origin));
  return JsonText(json);
}

}  // namespace cosim::cli
