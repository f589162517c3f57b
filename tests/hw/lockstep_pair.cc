// SPDX-License-Identifier: Apache-2.0
// Draws pairs and programs, and keeps what failed.
#include "tests/hw/lockstep_pair.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "isa/check.h"
#include "isa/home.h"
#include "isa/program/assembler.h"
#include "isa/program/disassembler.h"
#include "isa/sv/generate.h"
#include "tests/isa/program/random_isa.h"

namespace cosim::testing {
namespace {

namespace fs = std::filesystem;
using isa::testing::Random;

isa::SourceText WrittenIsa(const std::string& path) {
  Diagnostics diags;
  const auto source = isa::ReadSource((isa::Home() / path).string(), diags);
  COSIM_CHECK(source.has_value(), "{}", diags.Render());
  return *source;
}

isa::SourceText DrawIsa(Random& random) {
  const int64_t which = random.Uniform(0, 99);
  if (which < 15) return WrittenIsa("isa/cosim.yaml");
  if (which < 20) return WrittenIsa("isa/test/feeds.yaml");
  if (which < 27) return WrittenIsa("isa/vta.yaml");
  if (which < 33) return WrittenIsa("isa/test/split_loads.yaml");
  if (which < 40) return WrittenIsa("tests/hw/load_gemm.yaml");
  if (which < 50) return WrittenIsa("tests/hw/every_op.yaml");
  return isa::testing::RandomIsa(random);
}

std::optional<LockstepPair> Elaborated(isa::SourceText isa, isa::SourceText config, Diagnostics& diags) {
  std::optional<isa::Spec> spec = isa::Elaborate(isa, config, {}, diags);
  if (spec) isa::CheckSv(*spec, diags);
  if (diags.HasErrors()) return std::nullopt;
  return LockstepPair{std::move(isa), std::move(config), std::move(*spec)};
}

void WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  COSIM_CHECK(file, "cannot write {}", path.string());
}

}  // namespace

std::string LockstepPair::Summary() const {
  std::string units;
  for (const isa::Unit& unit : spec.units) {
    units += (units.empty() ? "" : "+") + unit.name;
    if (unit.port > 0) units += fmt::format("@{}", unit.port);
  }
  std::string shape;
  for (const isa::Memory& memory : spec.memories) {
    if (memory.name != "inp" && memory.name != "acc") continue;
    shape += fmt::format(" {} {}x{}b", memory.name, memory.LaneCount(), memory.record_bits);
  }
  return fmt::format("{}: {}, {} queues, {} ops,{}, ports {} x {} bits", spec.isa, units, spec.queues.size(),
                     spec.alu_ops.size(), shape, spec.ports, spec.dram.port_bits);
}

std::optional<LockstepPair> DrawPair(Random& random, const std::string& isa) {
  isa::SourceText source = isa.empty() ? DrawIsa(random) : WrittenIsa(isa);
  isa::SourceText config = isa::testing::RandomConfig(source, random);
  Diagnostics ignored;
  return Elaborated(std::move(source), std::move(config), ignored);
}

isa::Program DrawProgram(isa::Spec& spec, uint64_t seed) {
  Random random(seed);
  isa::testing::RandomizeLatencies(spec.dram, random);
  isa::testing::RandomProgramOptions options{.seed = random.Next(),
                                             .instructions = static_cast<int>(random.Uniform(10, 90))};
  if (random.Percent(50)) {
    options.max_steps = 200;
    options.max_rows = 9;
    options.max_cols = 24;
    options.max_pad = 7;
    options.data_bytes = 1 << 16;
  }
  if (random.Percent(50)) {
    options.extra_tokens = 40;
    options.sync = 20;
  }
  return isa::testing::RandomProgram(spec, options);
}

void SaveFailure(const fs::path& folder, const LockstepFailure& failure) {
  const LockstepPair& pair = failure.pair;
  fs::create_directories(folder);
  WriteFile(folder / "isa.yaml", pair.isa.text);
  const size_t memory = pair.config.text.find("memory:\n");
  WriteFile(folder / "config.yaml",
            pair.config.text.substr(0, memory) + isa::testing::MemorySystemText(pair.spec.dram));
  WriteFile(folder / "program.s", isa::Disassemble(pair.spec, failure.program));
  WriteFile(folder / "options",
            fmt::format("seed {} stall_percent {}\n", failure.options.seed, failure.options.stall_percent));
}

std::optional<LockstepFailure> LoadFailure(const fs::path& folder, Diagnostics& diags) {
  std::vector<isa::SourceText> texts;
  for (const char* name : {"isa.yaml", "config.yaml", "program.s", "options"}) {
    auto text = isa::ReadSource((folder / name).string(), diags);
    texts.push_back(text ? std::move(*text) : isa::SourceText{});
  }
  if (diags.HasErrors()) return std::nullopt;
  std::optional<LockstepPair> pair = Elaborated(std::move(texts[0]), std::move(texts[1]), diags);
  if (!pair) return std::nullopt;
  std::optional<isa::Assembly> assembly = isa::Assemble(pair->spec, texts[2], diags);
  if (!assembly) return std::nullopt;
  LockstepFailure failure{std::move(*pair), std::move(assembly->program), {}};
  std::string word;
  std::istringstream(texts[3].text) >> word >> failure.options.seed >> word >> failure.options.stall_percent;
  return failure;
}

}  // namespace cosim::testing
