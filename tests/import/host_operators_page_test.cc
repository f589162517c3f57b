// SPDX-License-Identifier: Apache-2.0
// docs/reference/host-operators.md names every operator of ONNX that the importer makes, and counts them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "compiler/import/onnx/operators.h"

namespace cosim::import::onnx {
namespace {

std::set<std::string> WordsOf(const std::string& text) {
  static const std::regex word("[A-Za-z0-9]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), word), {}};
}

TEST(HostOperatorsPage, CountsTheOperatorsOfOnnx) {
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/host-operators.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const size_t compiled_at = page.find("## Compiled"), routines_at = page.find("## Routines"),
               end = page.find("## Put together");
  ASSERT_TRUE(compiled_at < routines_at && routines_at < end && end != std::string::npos);
  const auto compiled = WordsOf(page.substr(compiled_at, routines_at - compiled_at)),
             routines = WordsOf(page.substr(routines_at, end - routines_at));
  int all_compiled = 0, only_routines = 0;
  for (const std::string& known : KnownOperators()) {
    const std::string name = known.substr(known.rfind('.') + 1);  // without its domain
    EXPECT_TRUE(compiled.count(name) || routines.count(name)) << known;
    ++(compiled.count(name) ? all_compiled : only_routines);
  }
  const std::string counts =
      fmt::format("{} of ONNX's operators are compiled, {} are routines", all_compiled, only_routines);
  EXPECT_NE(page.find(counts), std::string::npos) << counts;
}

}  // namespace
}  // namespace cosim::import::onnx
