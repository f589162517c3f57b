// SPDX-License-Identifier: Apache-2.0
#include "cli/json_option.h"

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"

namespace cosim::cli {
namespace po = boost::program_options;

void AddJsonOption(po::options_description& options) {
  options.add_options()("json", po::value<std::string>()->value_name("FILE")->default_value(""),
                        "write the same as JSON; - is standard output");
}

bool CheckJsonOption(const po::variables_map& values) {
  const std::string path = values["json"].as<std::string>();
  return path.empty() || CheckWritable(path);
}

bool PrintWithJson(const po::variables_map& values, const std::string& text,
                   const nlohmann::ordered_json& json) {
  const std::string path = values["json"].as<std::string>();
  if (path != "-") Print("{}", text);
  return path.empty() || WriteFile(path, JsonText(json));
}

}  // namespace cosim::cli
