// SPDX-License-Identifier: Apache-2.0
// What `cosim tune` is told of its search, whatever it tunes for.
#pragma once

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <string>

#include "cli/options.h"
#include "compiler/tune/search.h"

namespace cosim::cli {

/// --method, --trials, --search-seed and --layer into tune::TuneOptions or tune::HostTuneOptions; prints
/// mistakes.
template <typename Options>
bool ReadSearchOptions(const boost::program_options::variables_map& values, Options& options) {
  constexpr int kMostTrials = 1'000'000;
  const std::string name = values["method"].as<std::string>();
  const auto method = tune::ParseMethod(name);
  if (!method) return Fail(fmt::format("--method={}: not one of {}", name, tune::MethodNames())), false;
  options.method = *method;
  options.trials = values["trials"].as<int>();
  if (options.trials < 1 || options.trials > kMostTrials)
    return Fail(fmt::format("--trials: from 1 to {}", kMostTrials)), false;
  options.seed = values["search-seed"].as<uint64_t>();
  options.layer = values["layer"].as<std::string>();
  return true;
}

}  // namespace cosim::cli
