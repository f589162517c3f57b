// SPDX-License-Identifier: Apache-2.0
// The SystemVerilog of a Spec's accelerator, as files for a tool that runs in a folder of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isa/spec/spec.h"

namespace cosim::sim {

struct RtlSource {
  std::filesystem::path path;  ///< from the tool's folder
  std::string text;
};

/// What isa/ generates for the spec, which must pass isa::CheckSv, in sv/, the package first; then the
/// hand-written modules of hw/rtl in rtl/.
std::vector<RtlSource> RtlSources(const isa::Spec& spec);

/// The file `from`, which belongs to cosim and must be there, for `to` in the tool's folder.
RtlSource ReadSource(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes them below `folder`; false if that fails.
bool WriteRtlSources(const std::vector<RtlSource>& sources, const std::filesystem::path& folder);

}  // namespace cosim::sim
