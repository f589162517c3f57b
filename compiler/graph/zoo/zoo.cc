// SPDX-License-Identifier: Apache-2.0
// The registry of networks: one line each.
#include "compiler/graph/zoo/zoo.h"

#include <algorithm>
#include <array>

#include "compiler/graph/zoo/networks.h"
#include "isa/check.h"

namespace cosim::graph::zoo {
namespace {

struct Entry {
  std::string_view name;
  Graph (*build)(uint64_t seed);
};

constexpr std::array kNetworks = {
    Entry{"mlp", BuildMlp},
    Entry{"resnet18", BuildResNet18},
    Entry{"small_cnn", BuildSmallCnn},
};

}  // namespace

const std::vector<std::string_view>& Names() {
  static const auto* names = [] {
    auto* list = new std::vector<std::string_view>;
    for (const Entry& entry : kNetworks) list->push_back(entry.name);
    return list;
  }();
  return *names;
}

Graph Build(std::string_view name, uint64_t seed) {
  const auto* entry =
      std::find_if(kNetworks.begin(), kNetworks.end(), [&](const Entry& e) { return e.name == name; });
  COSIM_CHECK(entry != kNetworks.end(), "network '{}' is not in the zoo", name);
  return entry->build(seed);
}

}  // namespace cosim::graph::zoo
