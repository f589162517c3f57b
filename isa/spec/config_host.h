// SPDX-License-Identifier: Apache-2.0
// Reads 'host:' of a configuration.
#pragma once

#include <optional>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/host_processor.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

/// Nothing when `root` has no such key: then times of the host are unknown; and after reporting.
std::optional<HostProcessor> ReadHost(const YamlNode& root, Diagnostics& diags);

/// That of a configuration which elaborates under `overrides`. It is no part of a Spec: nothing that the
/// accelerator does depends on it.
std::optional<HostProcessor> HostOf(const SourceText& config, const std::vector<Override>& overrides);

}  // namespace cosim::isa
