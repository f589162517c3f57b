// SPDX-License-Identifier: Apache-2.0
// What --set says, before the tree it goes into: of the configuration (config.h), or, behind "isa.", of the
// ISA.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

/// A node that stands in no file but came from the command line.
YamlNode OverrideNode(const std::shared_ptr<const SourceLines>& source, YamlNode::Kind kind,
                      std::string scalar);

/// The value of an override, a scalar; its source is what diagnostics call it. Nothing after reporting a path
/// with a part missing, or a value that is no single one.
std::optional<YamlNode> ReadOverride(const Override& override, Diagnostics& diags);

/// Whether it is of the ISA: "isa.units.load.commands=4".
bool IsOfIsa(const Override& override);

/// Puts those into the ISA's tree, where they are checked like the rest. What they name is there already, but
/// for the last key of an entry that has others ("isa.units.store.port=1"). The value `off` takes out what is
/// named, and with a unit its instructions and queues. False after reporting.
bool ApplyIsaOverrides(YamlNode& root, const std::vector<Override>& overrides, Diagnostics& diags);

}  // namespace cosim::isa
