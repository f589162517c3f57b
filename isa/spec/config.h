// SPDX-License-Identifier: Apache-2.0
// Reads a configuration (configs/*.yaml) with its overrides. Which parameters there are is the ISA's
// business, so their values stay unread here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

struct Config {
  std::string name;  ///< the file's name without folder and ".yaml"
  std::string isa;   ///< its default ISA; empty if it names none
  std::string doc, board;
  double clock_mhz = 0;
  MemorySystem dram;
  Hardware hardware;
  YamlNode parameters;  ///< a map or nothing
  YamlNode root;
};

/// Parses the text and puts the overrides into its tree, where they are checked like the rest. Nothing after
/// reporting.
std::optional<YamlNode> ParseConfigTree(const SourceText& text, const std::vector<Override>& overrides,
                                        Diagnostics& diags);

/// Reads all but the parameters. Nothing after reporting.
std::optional<Config> ReadConfig(YamlNode root, Diagnostics& diags);

}  // namespace cosim::isa
