// SPDX-License-Identifier: Apache-2.0
// Whatever the text: a Spec or diagnostics, never a crash, and diagnostics that stand within the text.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "isa/yaml/node.h"
#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using ::testing::HasSubstr;
using testing::kConfig;
using testing::kIsa;
using testing::Replace;

std::string ReadRepositoryFile(const std::string& path) {
  std::ifstream file(std::string(COSIM_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

/// Elaborates, and checks the one or the other of what it promises.
void Try(const std::string& isa, const std::string& config) {
  Diagnostics diags;
  const std::optional<Spec> spec = Elaborate({"isa.yaml", isa}, {"config.yaml", config}, {}, diags);
  ASSERT_EQ(spec.has_value(), !diags.HasErrors());
  const auto lines = std::ranges::count(isa, '\n') + 2, config_lines = std::ranges::count(config, '\n') + 2;
  for (const Diagnostic& diagnostic : diags.list()) {
    EXPECT_FALSE(diagnostic.message.empty());
    EXPECT_LE(diagnostic.loc.line, diagnostic.loc.file == "isa.yaml" ? lines : config_lines);
  }
  EXPECT_EQ(diags.Render().empty(), spec.has_value());
}

class Mutations : public ::testing::TestWithParam<std::string> {};

TEST_P(Mutations, OfAnIsaNeverCrash) {
  const std::string isa = ReadRepositoryFile("isa/" + GetParam() + ".yaml");
  const std::string config = ReadRepositoryFile("configs/tiny.yaml");
  std::mt19937 random(11);
  const auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::string characters = "{}[]():,.&*!|>'\"%@`#-+= \n\t0129azAZ_?~<^/\x01\x80\xff";
  for (int i = 0; i < 400; ++i) {
    std::string text = isa;
    for (size_t edits = 1 + pick(4); edits > 0; --edits) {
      const size_t at = pick(text.size());
      switch (pick(4)) {
        case 0:
          text[at] = characters[pick(characters.size())];
          break;
        case 1:
          text.insert(at, 1, characters[pick(characters.size())]);
          break;
        case 2:
          text.erase(at, 1 + pick(40));
          break;
        default:
          text.insert(pick(text.size()), text.substr(at, 1 + pick(60)));
          break;
      }
    }
    Try(text, config);
  }
}

TEST_P(Mutations, WithoutALineNeverCrash) {
  const std::string isa = ReadRepositoryFile("isa/" + GetParam() + ".yaml");
  const std::string config = ReadRepositoryFile("configs/tiny.yaml");
  for (size_t begin = 0; begin < isa.size();) {
    const size_t end = std::min(isa.find('\n', begin), isa.size() - 1) + 1;
    Try(isa.substr(0, begin) + isa.substr(end), config);
    begin = end;
  }
}

TEST_P(Mutations, CutAnywhereNeverCrash) {
  const std::string isa = ReadRepositoryFile("isa/" + GetParam() + ".yaml");
  const std::string config = ReadRepositoryFile("configs/tiny.yaml");
  for (size_t length = 0; length < isa.size(); length += 23) Try(isa.substr(0, length), config);
  for (size_t length = 0; length < config.size(); length += 7) Try(isa, config.substr(0, length));
}

INSTANTIATE_TEST_SUITE_P(Isas, Mutations, ::testing::Values("cosim", "vta"),
                         [](const auto& info) { return info.param; });

TEST(Robustness, RejectsDeepYaml) {
  EXPECT_THAT(Complaints(std::string(100000, '[')), HasSubstr("isa.yaml:1:"));
  std::string indented;
  for (int i = 0; i < 1000; ++i) indented += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(Complaints(indented), HasSubstr("error[E0002]"));
}

TEST(Robustness, RejectsHugeFiles) {
  EXPECT_EQ(Complaints(std::string(2 << 20, ' ')),
            "isa.yaml: error[E0004]: 2097152 bytes are too many, at most 1048576 are read\n");
}

TEST(Robustness, RejectsAliasBombs) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) bomb += fmt::format("a{}: &a{} [*a{}, *a{}]\n", i, i, i - 1, i - 1);
  EXPECT_EQ(Complaints(bomb),
            "isa.yaml:1:5: error[E0003]: an anchor has no place in a spec\n"
            "    1 | a0: &a0 [x, x]\n"
            "      |     ^\n");
}

TEST(Robustness, RejectsLongChainsOfDefinitions) {
  std::string chain;
  for (int i = 0; i < 20000; ++i) chain += fmt::format("  p{}: {{default: p{}}}\n", i, i + 1);
  chain += "  p20000: {default: 1}\n";
  EXPECT_THAT(Complaints(Replace(kIsa, "parameters:\n", "parameters:\n" + chain)),
              HasSubstr("stands at the end of a chain of more than 64 definitions"));
}

TEST(Robustness, RejectsLongExpressions) {
  std::string sum = "1";
  for (int i = 0; i < 20000; ++i) sum += " + a * 3";
  EXPECT_THAT(Complaints(Replace(kIsa, "wrap(a + b, 32)", sum)),
              HasSubstr("expected a body of at most 4096 operations"));
  EXPECT_THAT(Complaints(Replace(kIsa, "wrap(a + b, 32)", std::string(20000, '~') + "a")),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(Complaints(Replace(kIsa, "wrap(a + b, 32)", std::string(20000, '-') + "a")),
              HasSubstr("nested too deeply"));
}

TEST(Robustness, RejectsHugeElements) {
  EXPECT_THAT(
      Complaints(Replace(kIsa, "inp: {lanes: [block]", "inp: {lanes: [4096, 4096, 4096, 4096, 4096]")),
      HasSubstr("error[E0010]: an element of memory 'inp' has more than 4194304 bits"));
}

/// The guess what a key was meant to be takes the place of the complaint that the other is missing.
TEST(Robustness, SurvivesEveryMisspeltKey) {
  for (const char* key :
       {"result",    "body",      "operands",    "code",         "unit",  "opcode", "fields",
        "micro_ops", "computes",  "memory",      "match",        "depth", "type",   "lanes",
        "latency",   "commands",  "overlap",     "buffer_beats", "from",  "to",     "capacity",
        "default",   "word_bits", "opcode_bits", "memories",     "units", "queues", "instructions"}) {
    const size_t at = kIsa.find(std::string(key) + ":");
    ASSERT_NE(at, std::string::npos) << key;
    std::string isa = kIsa;
    isa.insert(at + std::string(key).size(), "x");
    EXPECT_THAT(Complaints(isa), HasSubstr("error[E0")) << key;
  }
}

TEST(Robustness, ReportsManyMistakesAtOnce) {
  std::string isa = Replace(kIsa, "opcode: 5", "opcode: 99");
  isa = Replace(isa, "unit: store", "unit: stor");
  isa = Replace(isa, "kind: gemm", "kind: gem");
  const std::string complaints = Complaints(isa);
  EXPECT_THAT(complaints, HasSubstr("E0104"));
  EXPECT_THAT(complaints, HasSubstr("there is no unit 'stor'"));
  EXPECT_THAT(complaints, HasSubstr("'gem' is no kind of instruction"));
}

}  // namespace
}  // namespace cosim::isa
