// SPDX-License-Identifier: Apache-2.0
#include "cli/output_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "cli/options.h"
#include "cli/output_file.h"

namespace cosim::cli {
namespace fs = std::filesystem;

bool MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && fs::is_directory(folder)) return true;
  return Fail(fmt::format("cannot write below {}: {}", folder, error ? error.message() : "it is a file")),
         false;
}

bool WriteFiles(const std::vector<sim::RtlSource>& files, const std::string& folder) {
  for (const sim::RtlSource& file : files) {
    const fs::path target = fs::path(folder) / file.path;
    if (!MakeFolder(target.parent_path().string()) || !WriteFile(target.string(), file.text)) return false;
  }
  return true;
}

std::vector<sim::RtlSource> FilesOf(const fs::path& folder) {
  std::vector<sim::RtlSource> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.push_back({entry.path().lexically_relative(folder),
                     {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}});
  }
  return files;
}

}  // namespace cosim::cli
