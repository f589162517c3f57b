// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/data/label_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/import.h"

namespace cosim::import {
namespace {

namespace fs = std::filesystem;

struct Row {
  int line = 0;
  std::string file, label;
};

/// Without spaces and quotation marks around it.
std::string Bare(std::string text) {
  constexpr char kAround[] = " \t\r\"";
  const size_t begin = text.find_first_not_of(kAround);
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(Bare(field));
  return fields;
}

class LabelReader {
 public:
  LabelReader(const std::string& path, Diagnostics& diagnostics) : path_(path), diagnostics_(diagnostics) {}

  std::optional<LabelFile> Run() {
    const auto bytes = ReadFile(path_, diagnostics_);
    if (!bytes) return std::nullopt;
    ReadRows(std::string(bytes->begin(), bytes->end()));
    if (rows_.empty()) Bad(0, "names no files");
    return diagnostics_.HasErrors() ? std::nullopt : Label();
  }

 private:
  void Bad(int line, const std::string& what) { diagnostics_.Error(codes::kBadInput, {path_, line}, what); }

  void ReadRows(const std::string& text) {
    std::istringstream stream(text);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      const auto fields = Fields(line);
      if (fields.empty() || (fields.size() == 1 && fields[0].empty())) continue;
      const std::string file = (fs::path(path_).parent_path() / fields[0]).string();
      std::error_code error;
      const bool exists = fs::is_regular_file(file, error);
      if (!exists && number == 1) continue;
      if (fields.size() != 2 && fields.size() != 3)
        Bad(number, "not FILE,CLASS or FILE,CLASSES,CLASS");
      else if (!exists)
        Bad(number, fmt::format("there is no file '{}'", file));
      else
        rows_.push_back({number, file, fields.back()});
      if (diagnostics_.list().size() >= kMostMistakes) return;
    }
  }

  std::optional<LabelFile> Label() {
    LabelFile list;
    std::set<std::string> names;
    for (const Row& row : rows_) names.insert(row.label);
    if (std::ranges::none_of(names, [](const auto& name) { return ClassNumber(name).has_value(); }))
      list.names.assign(names.begin(), names.end());
    for (const Row& row : rows_) {
      const auto number = ClassNumber(row.label);
      if (list.names.empty() && !number)
        Bad(row.line, fmt::format("class '{}' is no number, as others are", row.label));
      const auto at = std::ranges::lower_bound(list.names, row.label) - list.names.begin();
      list.files.push_back({row.file, list.names.empty() ? number.value_or(0) : at});
    }
    if (diagnostics_.HasErrors()) return std::nullopt;
    return list;
  }

  static constexpr size_t kMostMistakes = 20;

  const std::string& path_;
  Diagnostics& diagnostics_;
  std::vector<Row> rows_;
};

}  // namespace

std::optional<int64_t> ClassNumber(const std::string& text) {
  int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<LabelFile> ReadLabelFile(const std::string& path, Diagnostics& diagnostics) {
  return LabelReader(path, diagnostics).Run();
}

}  // namespace cosim::import
