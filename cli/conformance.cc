// SPDX-License-Identifier: Apache-2.0
// cosim conformance onnx: the ONNX backend suite through the importer and the host operators.
#include "compiler/import/onnx/conformance.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/verbs.h"

namespace cosim::cli {
namespace po = boost::program_options;

int ConformanceVerb(const Arguments& arguments) {
  po::options_description options("options");
  options.add_options()(
      "data", po::value<std::string>()->value_name("DIR")->default_value("/usr/share/libonnx-testdata/data"),
      "the suite, as Debian's libonnx-testdata installs it")(
      "filter", po::value<std::string>()->value_name("TEXT")->default_value(""),
      "only cases whose name contains it")("verbose", "name every case that does not pass, and why")(
      "output,o", po::value<std::string>()->value_name("FILE")->default_value("-"),
      "where the table goes; - is standard output");
  const auto parsed = Parse(arguments, options, "conformance onnx [options]",
                            "cosim conformance onnx --filter=relu", "SUITE");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  if (values["SUITE"].as<std::string>() != "onnx")
    return Fail(fmt::format("unknown suite '{}'", values["SUITE"].as<std::string>()), "known suites: onnx");
  const std::string root = values["data"].as<std::string>(), filter = values["filter"].as<std::string>();
  std::vector<import::CaseResult> results;
  bool failed = false;
  for (const std::string& name : import::ConformanceCases(root)) {
    if (name.find(filter) == std::string::npos) continue;
    results.push_back(import::RunConformanceCase(root, name));
    const auto& result = results.back();
    failed |= result.status == import::CaseStatus::kFail;
    if (values.count("verbose") && result.status != import::CaseStatus::kPass)
      fmt::print(stderr, "{} {}: {}\n", result.status == import::CaseStatus::kFail ? "FAIL" : "unsupported",
                 name, result.detail);
  }
  if (results.empty())
    return Fail(fmt::format("no cases in {}", root), "Debian's package libonnx-testdata installs them");
  if (!WriteFile(values["output"].as<std::string>(), import::ConformanceTable(results))) return 1;
  return failed ? 1 : 0;
}

}  // namespace cosim::cli
