// SPDX-License-Identifier: Apache-2.0
// Text from others on its way to a terminal and into generated files: it stays text.
#include "isa/text_escape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "isa/pages/describe.h"
#include "isa/sv/generate.h"
#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TextEscape, PrintableTextStaysAsItIs) {
  for (const std::string text : {"", "conv1/bias:0", "größe", "層", "\xf0\x9f\x99\x82", "a \\ b"}) {
    EXPECT_EQ(OneLine(text), text);
    EXPECT_EQ(Lines(text), text);
  }
}

TEST(TextEscape, WritesOutWhatATerminalActsOn) {
  EXPECT_EQ(OneLine("a\x1b[31m"), "a\\x1b[31m");
  EXPECT_EQ(OneLine(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(OneLine("\r\n\t\x7f"), "\\r\\n\\t\\u007f");
  EXPECT_EQ(OneLine("\xc2\x9b"), "\\u009b");  // CSI in one byte
  EXPECT_EQ(OneLine("a\xe2\x80\xae"
                    "b"),
            "a\\u202eb");  // what follows runs right to left
  EXPECT_EQ(OneLine("\xe2\x80\xa8\xe2\x81\xa6"), "\\u2028\\u2066");
  EXPECT_EQ(Lines("a\n\tb\r\x1b"), "a\n\tb\\r\\x1b");
}

TEST(TextEscape, WritesOutBytesThatAreNotUtf8) {
  EXPECT_EQ(OneLine("\xff"), "\\xff");
  EXPECT_EQ(OneLine("\x80"
                    "a"),
            "\\x80a");
  EXPECT_EQ(OneLine("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(OneLine("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(OneLine("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(OneLine("\xe5\xb1"), "\\xe5\\xb1");  // cut off
  EXPECT_EQ(OneLine("\xe5"
                    "ab"),
            "\\xe5"
            "ab");
}

TEST(TextEscape, ShellWordsAreOneWord) {
  EXPECT_EQ(ShellWord("x=1x3x224x224"), "x=1x3x224x224");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("$(touch x)"), "'$(touch x)'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
}

TEST(TextEscape, HtmlStaysText) {
  EXPECT_EQ(HtmlText("conv1 größe"), "conv1 größe");
  EXPECT_EQ(HtmlText("</title><script>a && 'b'=\"c\""),
            "&lt;/title&gt;&lt;script&gt;a &amp;&amp; &#39;b&#39;=&quot;c&quot;");
  EXPECT_EQ(HtmlText("a\x1b\xff"), "a\\x1b\\xff");
}

TEST(TextEscape, JsonEndsNoScript) {
  EXPECT_EQ(ScriptJson("{\"a < b\": \"</script><!--\", \"n\": [1, 2]}"),
            "{\"a \\u003c b\": \"\\u003c/script>\\u003c!--\", \"n\": [1, 2]}");
}

constexpr char kHostile[] =
    "verilator lint_off WIDTH\n  initial $system(\"touch planted\"); // "
    "\\\r\n</p><script>[x](y)|\x1b[31m\xff*/ \\";

/// cosim on tiny, with `doc` wherever a spec holds text that is no identifier.
Spec WithDocs(const std::string& doc) {
  Diagnostics diags;
  Spec spec = *LoadSpec("tiny", "cosim", {}, diags);
  spec.isa = spec.config = spec.doc = spec.config_doc = spec.board = doc;
  for (auto& it : spec.parameters) it.doc = doc;
  for (auto& it : spec.memories) it.doc = doc;
  for (auto& it : spec.units) it.doc = doc;
  for (auto& it : spec.formats) it.doc = doc;
  for (auto& it : spec.alu_ops) it.doc = doc;
  return spec;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(TextEscape, DocsStayInCommentsOfSystemVerilog) {
  const auto plain = GenerateSv(WithDocs("Plain.")), hostile = GenerateSv(WithDocs(kHostile));
  ASSERT_EQ(plain.size(), hostile.size());
  size_t differences = 0;
  for (size_t f = 0; f < plain.size(); ++f) {
    const auto before = LinesOf(plain[f].text), after = LinesOf(hostile[f].text);
    ASSERT_EQ(before.size(), after.size()) << plain[f].name;
    for (size_t i = 0; i < before.size(); ++i) {
      const auto comment = before[i].find("//");
      EXPECT_EQ(before[i].substr(0, comment), after[i].substr(0, comment)) << plain[f].name;
      if (before[i] == after[i]) continue;
      ++differences;
      // A tool's name in front would be an order, a backslash at the end would take the next line along.
      EXPECT_NE(after[i].find_first_not_of("/ ", comment), after[i].find("verilator")) << after[i];
      EXPECT_FALSE(after[i].ends_with('\\')) << after[i];
      EXPECT_EQ(OneLine(after[i]), after[i]);
    }
  }
  EXPECT_GT(differences, 40u);
}

TEST(TextEscape, DocsStayInTheirPlaceInMarkdown) {
  const std::string plain = DescribeMarkdown(WithDocs("Plain.")), text = DescribeMarkdown(WithDocs(kHostile));
  EXPECT_EQ(LinesOf(plain).size(), LinesOf(text).size());
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, HasSubstr("&lt;script>\\[x\\](y)"));
  EXPECT_EQ(Lines(text), text);
  // As many cells in each row.
  const auto cells = [](const std::string& line) {
    size_t n = 0;
    for (size_t i = 0; i < line.size(); ++i) n += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    return n;
  };
  const auto before = LinesOf(plain), after = LinesOf(text);
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].starts_with('|')) EXPECT_EQ(cells(before[i]), cells(after[i])) << after[i];
}

TEST(TextEscape, DiagnosticsShowTheSourceAndKeepTheCaretUnderIt) {
  Diagnostics diags;
  Diagnostic& error = diags.Error("E0001", {"a\n\x1b.yaml", 3, 4}, "no \x1b[31m'\n'");
  error.source_line = "\x1b: \xff\xff!";
  error.length = 2;
  error.hint = "\x9b";
  error.notes.emplace_back(SourceLoc{"b\x07", 1, 1}, "see\r");
  EXPECT_EQ(diags.Render(),
            "a\\n\\x1b.yaml:3:4: error[E0001]: no \\x1b[31m'\\n'\n"
            "    3 | \\x1b: \\xff\\xff!\n"
            "      |       ^~~~~~~~\n"
            "  hint: \\x9b\n"
            "  note: see\\r b\\x07:1:1\n");
}

}  // namespace
}  // namespace cosim::isa
