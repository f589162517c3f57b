// SPDX-License-Identifier: Apache-2.0
// docs/tutorials/*.md, typed: what each of their commands prints is what the page shows behind it. How pages
// are written for that is docs/tutorials/README.md's.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr const char* kAnything = "...";

Lines LinesOf(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  return lines;
}

/// What a reader of the page does: writes a file, or types a command.
struct Step {
  std::string file;  ///< empty: `text` is a command
  bool is_new = false;
  std::string text;
  Lines shown;  ///< behind a command
  int line = 0;
};

/// "<!-- FILE new -->" or "<!-- FILE end -->"; else a step without a file.
Step StepOf(const std::string& comment) {
  std::istringstream words(comment);
  std::string open, file, how, close;
  words >> open >> file >> how >> close;
  if (open != "<!--" || close != "-->" || (how != "new" && how != "end")) return {};
  return {.file = file, .is_new = how == "new", .text = "", .shown = {}};
}

class Reader {
 public:
  explicit Reader(const std::string& page) : lines_(LinesOf(page)) {
    for (; at_ < lines_.size(); ++at_) {
      if (lines_[at_] == "```console") {
        ReadConsole();
      } else if (Step step = StepOf(lines_[at_]); !step.file.empty()) {
        ReadFile(std::move(step));
      }
    }
  }
  std::vector<Step> steps;

 private:
  void ReadConsole() {
    for (++at_; at_ < lines_.size() && lines_[at_] != "```"; ++at_) {
      const std::string& line = lines_[at_];
      if (line.starts_with("$ "))
        steps.push_back({.text = line.substr(2), .shown = {}, .line = static_cast<int>(at_) + 1});
      else if (!steps.empty())
        steps.back().shown.push_back(line);
    }
  }
  void ReadFile(Step step) {
    for (at_ += 2; at_ < lines_.size() && lines_[at_] != "```"; ++at_) step.text += lines_[at_] + "\n";
    steps.push_back(std::move(step));
  }

  Lines lines_;
  size_t at_ = 0;
};

/// Whether `text` is `shown`, in which "..." stands for anything.
bool Matches(const std::string& shown, const std::string& text) {
  size_t begin = 0;
  size_t at = 0;
  for (bool is_first = true;; is_first = false) {
    const size_t end = shown.find(kAnything, begin);
    const std::string part = shown.substr(begin, end == std::string::npos ? end : end - begin);
    if (is_first && !text.starts_with(part)) return false;
    // The last part is the text's end.
    if (end == std::string::npos)
      return is_first ? text == part : text.size() >= at + part.size() && text.ends_with(part);
    const size_t found = text.find(part, at);
    if (found == std::string::npos) return false;
    at = found + part.size();
    begin = end + std::string(kAnything).size();
  }
}

/// The same of lines, of which "..." stands for any number.
bool Matches(const Lines& shown, size_t i, const Lines& text, size_t j) {
  if (i == shown.size()) return j == text.size();
  if (shown[i] == kAnything) {
    for (size_t k = j; k <= text.size(); ++k)
      if (Matches(shown, i + 1, text, k)) return true;
    return false;
  }
  return j < text.size() && Matches(shown[i], text[j]) && Matches(shown, i + 1, text, j + 1);
}

std::vector<std::string> Pages() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(COSIM_SOURCE_DIR "/docs/tutorials"))
    if (entry.path().filename() != "README.md") names.push_back(entry.path().stem());
  std::ranges::sort(names);
  return names;
}

class Tutorial : public testing::Command, public ::testing::WithParamInterface<std::string> {};

TEST_P(Tutorial, PrintsWhatItShowsWhenItIsTyped) {
  const std::string page = "docs/tutorials/" + GetParam() + ".md";
  const Reader reader(testing::ReadFile(fs::path(COSIM_SOURCE_DIR) / page));
  ASSERT_GE(reader.steps.size(), 4u);
  const std::string path = "PATH=" + fs::path(COSIM_BINARY).parent_path().string() + ":$PATH\n";
  for (const Step& step : reader.steps) {
    if (!step.file.empty()) {
      std::ofstream(folder_ / step.file, step.is_new ? std::ios::trunc : std::ios::app) << step.text;
      continue;
    }
    Write("typed", path + step.text + "\n");
    const testing::Outcome outcome = Shell("(bash typed 2>&1)");
    const bool is_refused = outcome.out.find(" error") != std::string::npos;
    EXPECT_EQ(outcome.status, is_refused ? 1 : 0) << page << ":" << step.line;
    ASSERT_TRUE(Matches(step.shown, 0, LinesOf(outcome.out), 0))
        << page << ":" << step.line << ": $ " << step.text << "\n"
        << outcome.out;
  }
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& page) {
  return testing::ReplaceAll(page.param, "-", "_");
}

INSTANTIATE_TEST_SUITE_P(Pages, Tutorial, ::testing::ValuesIn(Pages()), NameOf);

TEST(TutorialLines, AnythingStandsForAnythingAndNothingElseDoes) {
  EXPECT_TRUE(Matches("a", "a"));
  EXPECT_FALSE(Matches("a", "ab"));
  EXPECT_TRUE(Matches("peak ... MiB", "peak 97 MiB"));
  EXPECT_FALSE(Matches("peak ... MiB", "peak 97 MiB and more"));
  EXPECT_FALSE(Matches("... a ... b", "b a"));
  EXPECT_TRUE(Matches({"a", "...", "c"}, 0, {"a", "b", "b", "c"}, 0));
  EXPECT_TRUE(Matches({"a", "..."}, 0, {"a"}, 0));
  EXPECT_FALSE(Matches({"a", "...", "c"}, 0, {"a", "b"}, 0));
  EXPECT_FALSE(Matches({"a"}, 0, {"a", "b"}, 0));
}

}  // namespace
}  // namespace cosim::cli
