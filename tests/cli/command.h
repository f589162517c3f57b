// SPDX-License-Identifier: Apache-2.0
// Runs the cosim command as a user would, in a folder of its own. What its output should be is the tests'.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace cosim::cli::testing {

struct Outcome {
  int status = -1;  ///< exit status; -1 if it died
  std::string out, err;
};

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `text` with every `from` replaced.
inline std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Each test gets an empty working folder, removed afterwards.
class Command : public ::testing::Test {
 protected:
  Command() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cosim_cli_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    output_ = folder_.string() + ".output";
    std::filesystem::create_directory(output_);
  }
  ~Command() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove_all(output_);
  }

  /// `arguments` as typed into a shell. The source tree's path is shortened to SRC in both outputs.
  Outcome Run(const std::string& arguments) { return Shell(std::string(COSIM_BINARY) + " " + arguments); }

  Outcome Shell(const std::string& line) {
    const std::string out = output_ / "out", err = output_ / "err";
    const std::string command =
        "cd '" + folder_.string() + "' && " + line + " >'" + out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReplaceAll(ReadFile(out), COSIM_SOURCE_DIR, "SRC"),
            ReplaceAll(ReadFile(err), COSIM_SOURCE_DIR, "SRC")};
  }

  /// Of arguments that are right.
  Outcome Good(const std::string& arguments) {
    Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    return outcome;
  }

  /// What wrong arguments bring up, and nothing else.
  std::string ErrorOf(const std::string& arguments) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    return outcome.err;
  }

  void Write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  /// A file of the source tree, copied under `name` with one text replaced.
  void WriteChanged(const std::string& source, const std::string& name, const std::string& from,
                    const std::string& to) {
    const std::string text = ReadFile(std::filesystem::path(COSIM_SOURCE_DIR) / source);
    ASSERT_NE(text.find(from), std::string::npos) << source << " has no '" << from << "'";
    Write(name, ReplaceAll(text, from, to));
  }

  /// Names of the files in the working folder.
  std::set<std::string> Files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  std::filesystem::path folder_, output_;
};

}  // namespace cosim::cli::testing
