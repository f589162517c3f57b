// SPDX-License-Identifier: Apache-2.0
// The networks, configurations and ISAs that are run in full, and the line each has in cycles.txt. The runs
// are the tests'.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "isa/loader.h"

namespace cosim::testing {

struct Case {
  std::string network, config, isa;
  std::string Name() const { return network + "_" + config + "_" + isa; }
};

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.Name(); }

/// resnet18 on tiny would take a million instructions and prove little more.
inline std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* network : {"mlp", "small_cnn", "resnet18"}) {
    for (const char* config : {"pynq", "ultra96", "tiny"}) {
      if (std::string(network) == "resnet18" && std::string(config) == "tiny") continue;
      for (const char* isa : {"cosim", "vta"}) cases.push_back({network, config, isa});
    }
  }
  return cases;
}

inline std::vector<Case> SmallCases() {
  std::vector<Case> cases;
  for (const Case& c : Cases()) {
    if (c.network != "resnet18") cases.push_back(c);
  }
  return cases;
}

inline std::optional<isa::Spec> SpecOf(const Case& c, std::string& error) {
  Diagnostics diags;
  auto spec = isa::LoadSpec(c.config, c.isa, {}, diags);
  if (!spec) error = diags.Render();
  return spec;
}

/// "resnet18 pynq cosim 2 7392348": network, configuration, ISA, virtual threads, cycles.
inline std::string CycleLine(const Case& c, int virtual_threads, int64_t cycles) {
  return fmt::format("{} {} {} {} {}", c.network, c.config, c.isa, virtual_threads, cycles);
}

}  // namespace cosim::testing
