// SPDX-License-Identifier: Apache-2.0
// cosim isa show: the reference of an ISA under a configuration, generated from the spec. cosim isa
// registers: that of the registers, which all of them share.
#include <fmt/format.h>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/verbs.h"
#include "isa/describe.h"

namespace cosim::cli {
namespace po = boost::program_options;

int IsaVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE")->default_value("-"),
                        "where to write; - is standard output");
  const auto parsed = Parse(arguments, options, "isa show|registers [--config=FILE] [--isa=FILE]",
                            "cosim isa show --config=pynq.yaml --isa=vta", "ACTION");
  if (parsed.exit) return *parsed.exit;
  const std::string action = parsed.values["ACTION"].as<std::string>();
  if (action != "show" && action != "registers")
    return Fail(fmt::format("cosim isa {}: unknown action", action),
                "usage: cosim isa show|registers [--config=FILE] [--isa=FILE]");
  const std::string path = parsed.values["output"].as<std::string>();
  if (!CheckWritable(path)) return 1;
  if (action == "registers") return WriteFile(path, isa::DescribeRegisters()) ? 0 : 1;
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;
  return WriteFile(path, isa::DescribeMarkdown(*spec)) ? 0 : 1;
}

}  // namespace cosim::cli
