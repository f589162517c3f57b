// SPDX-License-Identifier: Apache-2.0
// The `memory:` of a configuration. Times are cycles or nanoseconds, the DRAM's share bytes a cycle or MB/s;
// and a memory may say what it costs at least (`low`) and at most (`high`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

/// Before `path` is set: takes out what says the same in the other unit, and, for a key of the typical
/// memory, what `low` and `high` say of it. A value of the user's is no longer a band.
void DropReplacedMemoryKeys(YamlNode& root, std::string_view path);

/// The setting that `memory.setting` names, at that clock. Reports mistakes in the other settings too.
MemorySystem ReadMemorySystem(const YamlNode& root, double clock_mhz, Diagnostics& diags);

/// Low, typical or high: what a legal configuration under these overrides says.
std::string MemorySetting(const SourceText& config, const std::vector<Override>& overrides);

}  // namespace cosim::isa
