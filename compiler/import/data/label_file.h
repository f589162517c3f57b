// SPDX-License-Identifier: Apache-2.0
// Lists of samples and their classes, as data sets come with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"

namespace cosim::import {

struct LabelledFile {
  std::string path;
  int64_t label = 0;
};

struct LabelFile {
  std::vector<LabelledFile> files;  ///< in the order of the list
  std::vector<std::string> names;   ///< of the classes, when the list has names for numbers
};

/// A class that is a number, all of the text.
std::optional<int64_t> ClassNumber(const std::string& text);

/// A list of comma-separated lines: FILE,CLASS, or FILE,NUMBER OF CLASSES,CLASS as MLPerf Tiny's. Files are
/// named from the list's folder. Classes are numbers, or, when none is, names: class i is then the i-th in
/// order. A first line whose file does not exist is a heading. Mistakes are reported with their lines.
std::optional<LabelFile> ReadLabelFile(const std::string& path, Diagnostics& diagnostics);

}  // namespace cosim::import
