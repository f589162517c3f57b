// SPDX-License-Identifier: Apache-2.0
// How diagnostics look, and that the list of codes in the documents is the list in the code.
#include "isa/diagnostics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "isa/diagnostic_codes.h"

namespace cosim {
namespace {

TEST(Diagnostics, RenderPlaceLineCaretHintAndNotes) {
  Diagnostics diags;
  Diagnostic& error = diags.Error("E0103", {"isa/vta.yaml", 41, 14}, "field 'uop_end' is too narrow");
  error.source_line = "    uop_end: 13";
  error.length = 2;
  error.hint = "write 14";
  error.notes.emplace_back(SourceLoc{"configs/pynq.yaml", 12, 14}, "'uop' gets its depth from");
  error.notes.emplace_back(SourceLoc{}, "there is more");
  EXPECT_EQ(diags.Render(), R"(isa/vta.yaml:41:14: error[E0103]: field 'uop_end' is too narrow
   41 |     uop_end: 13
      |              ^~
  hint: write 14
  note: 'uop' gets its depth from configs/pynq.yaml:12:14
  note: there is more
)");
}

TEST(Diagnostics, RenderWithoutAPlace) {
  Diagnostics diags;
  EXPECT_FALSE(diags.HasErrors());
  diags.Error("E0001", {"x.yaml"}, "cannot be read");
  diags.Error("E0002", {}, "nowhere");
  EXPECT_TRUE(diags.HasErrors());
  EXPECT_EQ(diags.Render(), "x.yaml: error[E0001]: cannot be read\nerror[E0002]: nowhere\n");
}

TEST(Diagnostics, KeepTabsBelowTabs) {
  Diagnostics diags;
  diags.Error("E0002", {"x", 1, 3}, "bad").source_line = "\ta:b";
  EXPECT_EQ(diags.Render(), "x:1:3: error[E0002]: bad\n    1 | \ta:b\n      | \t ^\n");
}

TEST(Diagnostics, UnderlineNoMoreThanTheLine) {
  Diagnostics diags;
  Diagnostic& error = diags.Error("E0002", {"x", 1, 2}, "bad");
  error.source_line = "abc";
  error.length = 50;
  EXPECT_EQ(diags.Render(), "x:1:2: error[E0002]: bad\n    1 | abc\n      |  ^~\n");
}

TEST(Diagnostics, AreAllListedInTheReference) {
  std::ifstream file(std::string(COSIM_SOURCE_DIR) + "/docs/reference/diagnostics.md");
  std::ostringstream text;
  text << file.rdbuf();
  const auto expect_row = [&](const char* code, const char* meaning) {
    EXPECT_THAT(text.str(), ::testing::HasSubstr(fmt::format("| {} | {} |\n", code, meaning)));
  };
#define COSIM_EXPECT_ROW(name, code, meaning) expect_row(code, meaning);
  COSIM_SPEC_DIAGNOSTICS(COSIM_EXPECT_ROW)
#undef COSIM_EXPECT_ROW
}

TEST(Diagnostics, HaveCodesOfTheirOwn) {
  std::set<std::string> codes;
#define COSIM_EXPECT_NEW(name, code, meaning) EXPECT_TRUE(codes.insert(code).second) << code;
  COSIM_SPEC_DIAGNOSTICS(COSIM_EXPECT_NEW)
#undef COSIM_EXPECT_NEW
}

}  // namespace
}  // namespace cosim
