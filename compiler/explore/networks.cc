// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/networks.h"

#include <fmt/format.h>

#include "compiler/explore/diagnostic_codes.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/import/import.h"
#include "compiler/session/identity.h"
#include "isa/yaml/reader.h"

namespace cosim::explore {
namespace {

std::optional<Network> Load(const std::string& name, const std::string& file, Diagnostics& diags) {
  if (import::IsModelFile(name)) {
    const auto bytes = import::ReadWhole(name, diags);
    auto model = bytes ? import::ImportBytes(*bytes, name, "", {}, diags) : std::nullopt;
    if (!model) return std::nullopt;
    return Network{std::make_shared<const import::Model>(std::move(*model)),
                   session::FileIdentity({reinterpret_cast<const char*>(bytes->data()), bytes->size()})};
  }
  std::string error;
  if (graph::zoo::ParseVariant(name, error)) return Network{nullptr, name};
  const std::vector<std::string> known(graph::zoo::Names().begin(), graph::zoo::Names().end());
  const std::string closest = isa::ClosestName(name.substr(0, name.find(':')), known);
  diags.Error(codes::kUnknownNetwork, {file}, fmt::format("network '{}': {}", name, error)).hint =
      closest.empty() ? "`cosim models` lists networks; files end in .tflite or .onnx"
                      : fmt::format("did you mean '{}'? `cosim models` lists networks", closest);
  return std::nullopt;
}

}  // namespace

std::optional<Networks> LoadNetworks(const std::vector<std::string>& names, const std::string& file,
                                     Diagnostics& diags) {
  Networks networks;
  const size_t errors = diags.list().size();
  for (const std::string& name : names)
    if (auto network = Load(name, file, diags)) networks[name] = std::move(*network);
  if (diags.list().size() > errors) return std::nullopt;
  return networks;
}

}  // namespace cosim::explore
