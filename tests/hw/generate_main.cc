// SPDX-License-Identifier: Apache-2.0
// generate_sv ISA CONFIG FOLDER: writes the generated SystemVerilog of a pair of files into a folder, for the
// build of the Verilated models. What is generated is isa/sv/generate.h's.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "isa/spec/loader.h"
#include "isa/sv/generate.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: generate_sv ISA.yaml CONFIG.yaml FOLDER\n");
    return 2;
  }
  cosim::Diagnostics diags;
  const std::optional<cosim::isa::Spec> spec = cosim::isa::LoadSpec(argv[2], argv[1], {}, diags);
  if (spec) cosim::isa::CheckSv(*spec, diags);
  if (diags.HasErrors()) {
    std::fputs(diags.Render().c_str(), stderr);
    return 1;
  }
  const std::filesystem::path folder = argv[3];
  std::filesystem::create_directories(folder);
  for (const cosim::isa::SvFile& file : cosim::isa::GenerateSv(*spec)) {
    std::ofstream out(folder / file.name, std::ios::binary);
    out << file.text;
    out.flush();
    if (!out) {
      std::fprintf(stderr, "generate_sv: cannot write %s\n", (folder / file.name).c_str());
      return 1;
    }
  }
  return 0;
}
