// SPDX-License-Identifier: Apache-2.0
#include "cli/outcome_json.h"

#include <nlohmann/json.hpp>

#include "cli/report.h"

namespace cosim::cli {

std::string OutcomeJson(const explore::Outcome& outcome, const session::Options& options) {
  auto json = RunObject(*outcome.result, *outcome.spec, options);
  json.erase("host");
  for (auto& layer : json["layers"]) layer.erase("measured_ms");
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace cosim::cli
