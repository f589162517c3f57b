// SPDX-License-Identifier: Apache-2.0
// What `cosim inspect` prints.
#pragma once

#include <optional>
#include <string>

#include "compiler/import/summary.h"
#include "compiler/session/origin.h"
#include "compiler/session/partition.h"

namespace cosim::cli {

struct Inspection {
  std::string file, configuration;
  import::FileSummary summary;
  std::vector<std::string> notes;               ///< what the file leaves open
  std::optional<session::Partition> partition;  ///< absent: the model cannot be run
  std::vector<Diagnostic> problems;             ///< then these say why
  session::Origin origin;
};

std::string InspectionText(const Inspection& inspection);
std::string InspectionJson(const Inspection& inspection);

}  // namespace cosim::cli
