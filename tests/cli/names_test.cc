// SPDX-License-Identifier: Apache-2.0
// Names that others chose, of files and in models, in everything the command prints.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kModel[] = "/usr/share/libonnx-testdata/data/node/test_relu/model.onnx";

/// Nothing but printable ASCII and line breaks, which is all that these tests' outputs hold otherwise.
bool IsPlain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

class Names : public Command {
 protected:
  /// The ReLU of ONNX's suite whose input is called "\x1b" and whose output is called "\xff".
  void WriteModel(const std::string& name) {
    std::string bytes = ReadFile(kModel);
    bytes = ReplaceAll(bytes, std::string("\x01x"), std::string("\x01\x1b"));
    bytes = ReplaceAll(bytes, std::string("\x01y"), std::string("\x01\xff"));
    Write(name, bytes);
  }
};

TEST_F(Names, OfValuesThatAreNotUtf8EndUpInJsonAndInTheTable) {
  if (!std::filesystem::exists(kModel)) GTEST_SKIP() << "no libonnx-testdata";
  WriteModel("m.onnx");
  const Outcome table = Good("run m.onnx --config=tiny.yaml");
  EXPECT_TRUE(IsPlain(table.out)) << table.out;
  EXPECT_THAT(table.out, HasSubstr("\n\\xff "));
  const Outcome json = Good("run m.onnx --config=tiny.yaml --json=-");
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["layers"][0]["name"], "\\xff");
  EXPECT_TRUE(IsPlain(Good("run m.onnx --config=tiny.yaml --output=y.npz --top=1").out));
}

TEST_F(Names, OfFilesThatAreNotUtf8EndUpInJsonAndInTheTable) {
  if (!std::filesystem::exists(kModel)) GTEST_SKIP() << "no libonnx-testdata";
  WriteModel("\x1b[31m\xff.onnx");
  const Outcome json = Good("run $(printf '\\033[31m\\377.onnx') --config=tiny.yaml --json=-");
  EXPECT_EQ(nlohmann::json::parse(json.out)["network"], "\x1b[31m\xef\xbf\xbd");
  const Outcome table = Good("run $(printf '\\033[31m\\377.onnx') --config=tiny.yaml");
  EXPECT_TRUE(IsPlain(table.out)) << table.out;
  EXPECT_THAT(table.out, HasSubstr("\\x1b[31m\\xff on tiny"));
}

TEST_F(Names, OfFilesInMistakesAreWrittenOut) {
  for (const std::string arguments :
       {"run mlp --config=$(printf '\\033[31m.yaml')", "run $(printf 'a\\033[31m.onnx')",
        "run $(printf '\\033[2J.cosim')", "run $(printf 'ml\\033p')", "run mlp --$(printf '\\033')=1",
        "asm $(printf '\\233.s') --config=tiny.yaml", "$(printf '\\033[31m')"}) {
    const std::string text = ErrorOf(arguments);
    EXPECT_TRUE(IsPlain(text)) << text;
    EXPECT_NE(text.find("\\x"), std::string::npos) << arguments << "\n" << text;
  }
}

TEST_F(Names, OfConfigurationsReachTheRtlAsText) {
  Write("a\n`include \"b.yaml", ReadFile(std::filesystem::path(COSIM_SOURCE_DIR) / "configs/tiny.yaml"));
  const Outcome shown = Good("isa doc --config=\"$(printf 'a\\n`include \"b.yaml')\"");
  EXPECT_THAT(shown.out, HasSubstr("# cosim with a `include \"b\n"));
}

TEST_F(Names, OfPipesAreRefusedBeforeTheyBlock) {
  ASSERT_EQ(mkfifo((folder_ / "m.cosim").c_str(), 0600), 0);
  const Outcome outcome = Shell(std::string("timeout 20 ") + COSIM_BINARY + " run m.cosim");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(
      outcome.err,
      "cosim: error: m.cosim cannot be read: it is not a file\n  hint: `cosim compile` makes modules\n");
}

}  // namespace
}  // namespace cosim::cli::testing
