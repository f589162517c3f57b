// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_partition.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/provenance.h"
#include "cli/text.h"

namespace cosim::cli {

std::string PartitionText(const session::Partition& partition) {
  std::string text;
  for (const session::HostLayer& host : partition.host) {
    text += fmt::format("{}: {}", host.layer.name, host.layer.op);
    if (host.layer.macs > 0) text += fmt::format(", {} MACs", Grouped(host.layer.macs));
    text += "\n  " + host.layer.reason + "\n";
    for (const std::string& change : host.lifted_by) text += "  lifted by " + change + "\n";
  }
  const auto on_host = static_cast<int>(partition.host.size());
  text += fmt::format("{}: {} of {} layers on the accelerator", partition.network, partition.layers - on_host,
                      partition.layers);
  if (partition.macs > 0)
    text += fmt::format(", {} of their {} MACs",
                        Percent(static_cast<double>(partition.macs - partition.host_macs) /
                                static_cast<double>(partition.macs)),
                        Grouped(partition.macs));
  return text + fmt::format("; {} changes tried\n", partition.tried);
}

std::string PartitionJson(const session::Partition& partition, const session::Origin& origin) {
  using nlohmann::ordered_json;
  ordered_json json = {{"network", partition.network},     {"layers", partition.layers},
                       {"macs", partition.macs},           {"host_macs", partition.host_macs},
                       {"changes_tried", partition.tried}, {"host", ordered_json::array()}};
  json["provenance"] = OriginJson(origin);
  for (const session::HostLayer& host : partition.host)
    json["host"].push_back({{"name", host.layer.name},
                            {"op", host.layer.op},
                            {"macs", host.layer.macs},
                            {"reason", host.layer.reason},
                            {"lifted_by", host.lifted_by}});
  return JsonText(json);
}

}  // namespace cosim::cli
