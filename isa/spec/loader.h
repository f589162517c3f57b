// SPDX-License-Identifier: Apache-2.0
// From isa/*.yaml and configs/*.yaml to a Spec. Collects diagnostics; returns nothing when there is any
// error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/spec.h"

namespace cosim::isa {

/// Reads a file into a SourceText, or reports E0001.
std::optional<SourceText> ReadSource(const std::string& path, Diagnostics& diags);

/// `name` below `folder` (the working directory if empty), else below the folder `kind` ("isa" or "configs")
/// of the installation (isa/home.h), with ".yaml" appended if missing; last, a file below `folder` that is
/// called so as it is. Reports what was tried when nothing is found.
std::optional<std::string> FindFile(const std::string& name, const std::string& kind, Diagnostics& diags,
                                    const std::string& folder = "");

/// "memory.latency=80": overrides a key of the configuration before it is checked.
struct Override {
  std::string path, value;
};

/// Elaborates. The configuration names its default ISA (`isa:`); see LoadSpec. An ISA that has the name of an
/// installed one and another text is called "NAME (edited)".
std::optional<Spec> Elaborate(const SourceText& isa, const SourceText& config,
                              const std::vector<Override>& overrides, Diagnostics& diags);

/// What a spec is elaborated from.
struct SpecTexts {
  SourceText isa, config;
};

/// Finds and reads both files; an empty `isa` takes the configuration's own, which is looked for beside it.
std::optional<SpecTexts> FindSpecTexts(const std::string& config, const std::string& isa,
                                       const std::vector<Override>& overrides, Diagnostics& diags);

/// FindSpecTexts, elaborated.
std::optional<Spec> LoadSpec(const std::string& config, const std::string& isa,
                             const std::vector<Override>& overrides, Diagnostics& diags);

}  // namespace cosim::isa
