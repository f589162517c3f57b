// SPDX-License-Identifier: Apache-2.0
// Arguments of cosim-board: `--name=value`, `--name`, and words. It has no library for that: each one would
// be a library to build for another machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cosim::driver {

using Arguments = std::vector<std::string>;

/// Prints `cosim-board: error: …` and the hint; returns 1.
int Fail(const std::string& message, const std::string& hint = "");

class Options {
 public:
  /// `known`: names of options with their defaults. Nothing after printing an option that is not known, one
  /// given twice, or more than `words` words.
  static std::optional<Options> Parse(const Arguments& arguments, std::map<std::string, std::string> known,
                                      size_t words);

  const std::string& operator[](const std::string& name) const { return values_.at(name); }
  /// Given on the command line.
  bool Has(const std::string& name) const { return given_.contains(name); }
  const std::vector<std::string>& words() const { return words_; }
  /// A whole number from `least` on. Nothing after printing that it is none.
  std::optional<int64_t> Number(const std::string& name, int64_t least) const;

 private:
  std::map<std::string, std::string> values_, given_;
  std::vector<std::string> words_;
};

}  // namespace cosim::driver
