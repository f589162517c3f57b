// SPDX-License-Identifier: Apache-2.0
// The networks, configurations and ISAs that are run in full, and the line each has in cycles.txt. The runs
// are the tests'.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "compiler/graph/zoo/zoo.h"
#include "compiler/session/session.h"
#include "isa/spec/loader.h"

namespace cosim::testing {

struct Case {
  std::string network, config, isa;
  std::string Name() const {
    std::string name = network + "_" + config + (isa.empty() ? "" : "_" + isa);
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
  }
};

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.Name(); }

/// resnet18 on tiny would take a million instructions and prove little more.
inline std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* network : {"mlp", "small_cnn", "resnet18"}) {
    for (const char* config : {"pynq", "tiny"}) {
      if (std::string(network) == "resnet18" && std::string(config) == "tiny") continue;
      for (const char* isa : {"cosim", "vta"}) cases.push_back({network, config, isa});
    }
    for (const char* config : {"pynq-max", "ultra96"}) cases.push_back({network, config, "cosim"});
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

/// Configurations with something odd about them, each with its own ISA.
inline const std::vector<std::string>& OddConfigs() {
  static const auto* configs =
      new std::vector<std::string>{"test/blocks",  "test/rows",  "test/wide",   "test/int4",
                                   "test/lanes16", "test/split", "test/merged", "test/gaps"};
  return *configs;
}

/// What scripts/zoo runs in full size, sampled: each network made small, and every odd configuration.
inline std::vector<Case> SampleCases() {
  std::vector<Case> cases;
  for (const char* network :
       {"resnet34:size=32,width=0.2", "resnet50:size=32,width=0.2", "mobilenet_v1:size=32,width=0.25,batch=2",
        "mobilenet_v2:size=32,width=0.3", "vgg16:size=32,width=0.1", "squeezenet1_1:size=48,width=0.25",
        "autoencoder:size=24,width=0.25", "vit_tiny:size=32"})
    cases.push_back({network, "pynq", "cosim"});
  for (const std::string& config : OddConfigs())
    for (const char* network :
         {"small_cnn:batch=3", "mobilenet_v2:size=32,width=0.2", "autoencoder:size=16,width=0.2"})
      cases.push_back({network, config, ""});
  return cases;
}

/// The whole zoo, full size, as scripts/zoo runs it.
inline std::vector<Case> ZooCases() {
  std::vector<Case> cases;
  for (const auto& network : graph::zoo::Names()) {
    for (const char* config : {"pynq", "ultra96"}) cases.push_back({std::string(network), config, ""});
    for (const std::string& config : OddConfigs()) cases.push_back({std::string(network), config, ""});
  }
  cases.push_back({"resnet18:batch=4", "pynq", ""});
  cases.push_back({"resnet18:batch=4", "test/rows", ""});
  return cases;
}

inline std::optional<isa::Spec> SpecOf(const Case& c, std::string& error) {
  Diagnostics diags;
  auto spec = isa::LoadSpec(c.config, c.isa, {}, diags);
  if (!spec) error = diags.Render();
  return spec;
}

/// "resnet18 pynq cosim 2 7392348": network, configuration, ISA ("-": the configuration's), virtual threads,
/// cycles.
inline std::string CycleLine(const Case& c, int virtual_threads, int64_t cycles) {
  return fmt::format("{} {} {} {} {}", c.network, c.config, c.isa.empty() ? "-" : c.isa, virtual_threads,
                     cycles);
}

/// The lines of a table of cycles below tests/network, by all but their cycles.
inline std::map<std::string, std::string> PinnedCycles(const std::string& file) {
  std::map<std::string, std::string> lines;
  std::ifstream in(std::string(COSIM_SOURCE_DIR "/tests/network/") + file);
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("#")) lines[line.substr(0, line.rfind(' '))] = line;
  return lines;
}

}  // namespace cosim::testing
