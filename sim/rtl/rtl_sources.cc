// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_sources.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "isa/check.h"
#include "isa/home.h"
#include "isa/sv/generate.h"

namespace cosim::sim {
namespace fs = std::filesystem;

RtlSource ReadSource(const fs::path& from, const fs::path& to) {
  std::ifstream file(from, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  COSIM_CHECK(file && !text.str().empty(), "{} cannot be read; it belongs to cosim", from.string());
  return {to, text.str()};
}

std::vector<RtlSource> RtlSources(const isa::Spec& spec) {
  std::vector<RtlSource> sources;
  for (isa::SvFile& file : isa::GenerateSv(spec))
    sources.push_back({fs::path("sv") / file.name, std::move(file.text)});
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(isa::Home() / "hw" / "rtl"))
    if (entry.path().extension() == ".sv") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) sources.push_back(ReadSource(file, "rtl" / file.filename()));
  return sources;
}

bool WriteRtlSources(const std::vector<RtlSource>& sources, const fs::path& folder) {
  for (const RtlSource& source : sources) {
    std::error_code error;
    fs::create_directories((folder / source.path).parent_path(), error);
    std::ofstream file(folder / source.path, std::ios::binary);
    file << source.text;
    file.close();
    if (!file) return false;
  }
  return true;
}

}  // namespace cosim::sim
