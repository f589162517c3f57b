// SPDX-License-Identifier: Apache-2.0
#include "cli/tuned_schedules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/provenance.h"
#include "cli/version.h"
#include "compiler/tune/tune.h"
#include "isa/digest.h"

namespace cosim::cli {
namespace po = boost::program_options;

void AddTunedOption(po::options_description& options) {
  options.add_options()("tuned", po::value<std::string>()->value_name("FILE"),
                        "take the schedules that `cosim tune --db=FILE` has found");
}

tune::LogKey TuningKey(const po::variables_map& values, const isa::Spec& spec, int activation_bits,
                       int virtual_threads) {
  std::string network = NetworkIdentity(values);
  if (activation_bits > 0) network += fmt::format(" with {} bits", activation_bits);
  return tune::KeyOf(spec, network, virtual_threads, COSIM_VERSION);
}

std::optional<std::shared_ptr<const network::TunedTiles>> TunedSchedules(const po::variables_map& values,
                                                                         const isa::Spec& spec,
                                                                         int activation_bits,
                                                                         int virtual_threads) {
  if (!values.count("tuned")) return nullptr;
  const std::string file = values["tuned"].as<std::string>();
  std::string error;
  const auto log = tune::TuningLog::Open(file, error);
  if (!log) return Fail(fmt::format("--tuned: {}", error), "`cosim tune` makes one"), std::nullopt;
  auto tiles = tune::TilesFor(*log, TuningKey(values, spec, activation_bits, virtual_threads));
  if (tiles) return std::make_shared<const network::TunedTiles>(std::move(*tiles));
  const auto contents = log->Contents();
  Fail(fmt::format("--tuned={}: it has no schedules of this network for this hardware, memory and version",
                   file),
       contents.empty() ? "it is empty" : fmt::format("it has {}", fmt::join(contents, ", ")));
  return std::nullopt;
}

std::optional<schedules::ContractionSchedules> TunedHostSchedules(const po::variables_map& values,
                                                                  const cpu::HostTarget& target) {
  if (!values.count("tuned")) return schedules::ContractionSchedules{};
  const std::string file = values["tuned"].as<std::string>();
  std::string error;
  const auto log = tune::TuningLog::Open(file, error);
  if (!log)
    return Fail(fmt::format("--tuned: {}", error), "`cosim tune --device=host` makes one"), std::nullopt;
  auto schedules = log->HostSchedules(target.cpu, COSIM_VERSION);
  if (!schedules.empty()) return schedules;
  const auto processors = log->Processors();
  Fail(fmt::format("--tuned={}: it has no schedules of {} and this version", file, target.cpu),
       processors.empty() ? "`cosim tune --device=host` finds some"
                          : fmt::format("it has those of {}", fmt::join(processors, ", ")));
  return std::nullopt;
}

schedules::ContractionSchedules LoggedHostSchedules(const po::variables_map& values,
                                                    const cpu::HostTarget& target) {
  if (!values.count("tuned")) return {};
  std::string error;
  const auto log = tune::TuningLog::Open(values["tuned"].as<std::string>(), error);
  return log ? log->HostSchedules(target.cpu, COSIM_VERSION) : schedules::ContractionSchedules{};
}

std::string Identity(const std::shared_ptr<const network::TunedTiles>& tuned) {
  if (!tuned) return "";
  std::string text;
  for (const auto& [layer, tile] : *tuned)
    text += fmt::format("{}\n{}\n{}\n", layer.first, layer.second, ToString(tile));
  return isa::Sha256Hex(text);
}

}  // namespace cosim::cli
