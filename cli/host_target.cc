// SPDX-License-Identifier: Apache-2.0
#include "cli/host_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.h"
#include "isa/yaml/reader.h"

namespace cosim::cli {
namespace po = boost::program_options;

void AddHostTarget(po::options_description& options, const std::string& otherwise) {
  const std::string names = fmt::format("{}", fmt::join(cpu::HostTargets(), " | "));
  options.add_options()("host-target", po::value<std::string>()->value_name("NAME")->default_value(otherwise),
                        ("processor that code for the host is made for: " + names).c_str());
}

std::optional<cpu::HostTarget> HostTargetIn(const po::variables_map& values) {
  const std::string& name = values["host-target"].as<std::string>();
  auto target = cpu::FindHostTarget(name);
  if (target) return target;
  const std::string closest = isa::ClosestName(name, cpu::HostTargets());
  Fail(fmt::format("--host-target={}: not one of {}", name, fmt::join(cpu::HostTargets(), ", ")),
       closest.empty() ? "" : fmt::format("did you mean '{}'?", closest));
  return std::nullopt;
}

}  // namespace cosim::cli
