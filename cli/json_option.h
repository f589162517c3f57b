// SPDX-License-Identifier: Apache-2.0
// --json=FILE of verbs that say little: the same as JSON. Of reports it is their own (cli/report.h and
// others).
#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cosim::cli {

void AddJsonOption(boost::program_options::options_description& options);

/// Whether --json, if it is given, names a file that can be written; says so when not.
bool CheckJsonOption(const boost::program_options::variables_map& values);

/// Prints `text`, unless standard output is the JSON's, and writes `json` where --json says, if it is given.
/// False after saying that it cannot be written.
bool PrintWithJson(const boost::program_options::variables_map& values, const std::string& text,
                   const nlohmann::ordered_json& json);

}  // namespace cosim::cli
