// SPDX-License-Identifier: Apache-2.0
// The ISAs and configurations that come with cosim: they load, and their key numbers are what the documents
// say.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "isa/spec/loader.h"
#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::kConfig;
using testing::kIsa;
using testing::Replace;

Spec Load(const std::string& config, const std::string& isa, const std::vector<Override>& overrides = {}) {
  Diagnostics diags;
  std::optional<Spec> spec = LoadSpec(config, isa, overrides, diags);
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return spec ? std::move(*spec) : Spec{};
}

Spec LoadMini(const std::string& isa, const std::string& config = kConfig,
              const std::vector<Override>& overrides = {}) {
  Diagnostics diags;
  std::optional<Spec> spec = Elaborate({"isa.yaml", isa}, {"config.yaml", config}, overrides, diags);
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return spec ? std::move(*spec) : Spec{};
}

std::vector<std::string> UnitNames(const Spec& spec, const std::vector<int>& units) {
  std::vector<std::string> names;
  for (int unit : units) names.push_back(spec.units[unit].name);
  return names;
}

TEST(LoadSpec, LoadsEveryConfigurationUnderItsIsas) {
  const auto expect_loads = [](const char* config, const char* isa) {
    const Spec spec = Load(config, isa);
    EXPECT_EQ(spec.isa, isa);
    EXPECT_EQ(spec.config, config);
    EXPECT_NE(spec.fingerprint, 0u);
  };
  for (const char* config : {"pynq", "tiny"}) {
    for (const char* isa : {"cosim", "vta"}) expect_loads(config, isa);
  }
  for (const char* config : {"pynq-max", "ultra96"})
    expect_loads(config, "cosim");  // with parameters of its own
}

TEST(LoadSpec, TakesTheIsaThatTheConfigurationNames) { EXPECT_EQ(Load("pynq.yaml", "").isa, "cosim"); }

TEST(LoadSpec, FindsTheDepthsOfThePynq) {
  for (const char* isa : {"cosim", "vta"}) {
    const Spec spec = Load("pynq", isa);
    const auto depth = [&](const char* name) { return spec.memories[spec.MemoryIndex(name)].depth; };
    EXPECT_EQ(depth("inp"), 2048);
    EXPECT_EQ(depth("wgt"), 1024);
    EXPECT_EQ(depth("acc"), 2048);
    EXPECT_EQ(depth("out"), 2048);
    EXPECT_EQ(spec.MacsPerCycle(), 256);
  }
}

TEST(LoadSpec, FindsTheWordsOfTheIsas) {
  EXPECT_EQ(Load("pynq", "cosim").word_bits, 256);
  EXPECT_EQ(Load("pynq", "vta").word_bits, 128);
  EXPECT_EQ(Load("pynq", "vta").word_bytes(), 16);
}

TEST(LoadSpec, WidensWordsForLongInstructions) {
  EXPECT_EQ(Load("pynq", "cosim", {{"parameters.inp_bits", "16"}}).word_bits, 512);
}

TEST(LoadSpec, FillsEachBankWithAsManyElementsAsFit) {
  const Spec spec = Load("pynq", "cosim", {{"parameters.block_in", "12"}, {"parameters.block_out", "12"}});
  const auto depth = [&](const char* name) { return spec.memories[spec.MemoryIndex(name)].depth; };
  EXPECT_EQ(depth("inp"), 4 * (262144 / 4 / 96));
  EXPECT_EQ(depth("wgt"), 2097152 / 1152);
  EXPECT_EQ(depth("acc"), 4 * (1048576 / 4 / 384));
  EXPECT_EQ(depth("out"), 262144 / 96);
}

TEST(LoadSpec, EveryBlockIsAnArray) {
  for (const char* isa : {"cosim", "vta"})
    for (int block = 1; block <= 64; ++block) {
      const std::string text = std::to_string(block);
      Load("pynq", isa, {{"parameters.block_in", text}, {"parameters.block_out", text}});
    }
}

TEST(LoadSpec, RoundsStoredElementsToBeats) {
  const Spec pynq = Load("pynq", "cosim"), ultra96 = Load("ultra96", "cosim");
  const auto stored = [](const Spec& spec, const char* name) {
    return spec.memories[spec.MemoryIndex(name)].stored_bytes;
  };
  EXPECT_EQ(stored(pynq, "inp"), 16);
  EXPECT_EQ(stored(pynq, "acc"), 64);
  EXPECT_EQ(stored(pynq, "par"), 144) << "70 bits in each of 16 lanes are 140 bytes: whole beats of 8";
  EXPECT_EQ(stored(ultra96, "par"), 288) << "280 bytes: whole beats of 16";
  EXPECT_EQ(stored(pynq, "gemm_uop"), 4) << "11 + 11 + 10 bits";
  EXPECT_EQ(stored(pynq, "alu_uop"), 8) << "33 bits: the next power of two";
}

TEST(LoadSpec, KnowsWhoSharesWhatInCosim) {
  using ::testing::ElementsAre;
  const Spec spec = Load("pynq", "cosim");
  const auto memory = [&](const char* name) { return spec.memories[spec.MemoryIndex(name)]; };
  EXPECT_THAT(UnitNames(spec, memory("inp").readers), ElementsAre("gemm", "alu"));
  EXPECT_THAT(UnitNames(spec, memory("inp").writers), ElementsAre("load", "alu"));
  EXPECT_THAT(UnitNames(spec, memory("acc").writers), ElementsAre("gemm", "alu"));
  std::set<std::string> shared;
  for (const Memory& it : spec.memories) {
    if (it.shared) shared.insert(it.name);
  }
  EXPECT_EQ(shared, (std::set<std::string>{"inp", "acc"}));
}

TEST(LoadSpec, KnowsThatVtaSharesNothing) {
  const Spec spec = Load("pynq", "vta");
  for (const Memory& memory : spec.memories) EXPECT_FALSE(memory.shared) << memory.name;
  const Memory& out = spec.memories[spec.MemoryIndex("out")];
  EXPECT_EQ(out.mirrors, spec.MemoryIndex("acc"));
  EXPECT_EQ(UnitNames(spec, out.readers), std::vector<std::string>{"store"});
  EXPECT_EQ(UnitNames(spec, out.writers), std::vector<std::string>{"compute"});
  EXPECT_EQ(out.lanes, spec.memories[out.mirrors].lanes);
  EXPECT_EQ(out.fields[0].type, (ScalarType{8, true}));
}

TEST(LoadSpec, DerivesTheHeaderOfInstructions) {
  const Spec spec = Load("pynq", "cosim");
  const InstructionFormat& gemm = spec.formats[spec.FormatIndex("gemm")];
  std::vector<std::string> names;
  for (const Field& field : gemm.fields) names.push_back(field.name);
  names.resize(7);
  EXPECT_EQ(names,
            (std::vector<std::string>{"opcode", "pop_load_to_gemm", "pop_alu_to_gemm", "push_gemm_to_load",
                                      "push_gemm_to_alu", "overwrite", "lock_acc"}));
  EXPECT_EQ(gemm.fields[0].offset, 0);
  EXPECT_EQ(gemm.fields[1].offset, 5);
  EXPECT_EQ(gemm.fields[5].offset, 9);
  EXPECT_EQ(gemm.match, (std::vector<std::pair<int, int64_t>>{{0, 5}}));
  EXPECT_EQ(gemm.locks.size(), 2u);
}

TEST(LoadSpec, ReadsIntrinsics) {
  const Spec spec = Load("pynq", "cosim", {{"parameters.block_in", "32"}});
  const Intrinsic& intrinsic = *spec.formats[spec.FormatIndex("gemm")].intrinsic;
  ASSERT_EQ(intrinsic.axes.size(), 3u);
  EXPECT_EQ(intrinsic.axes[2].name, "k");
  EXPECT_EQ(intrinsic.axes[2].extent, 32);
  EXPECT_TRUE(intrinsic.axes[2].reduce);
  EXPECT_FALSE(intrinsic.axes[0].reduce);
  EXPECT_EQ(intrinsic.sources[1].axes, (std::vector<int>{1, 2}));
}

TEST(LoadSpec, ReadsIntrinsicsAlongRows) {
  const Spec spec = Load("pynq", "cosim");
  const Intrinsic& rows = *spec.formats[spec.FormatIndex("gemm_rows")].intrinsic;
  ASSERT_EQ(rows.RowSource(), 0);
  EXPECT_EQ(spec.formats[spec.FormatIndex("gemm")].intrinsic->RowSource(), -1);
  std::vector<std::string> axes;
  for (const Intrinsic::Axis& axis : rows.axes)
    axes.push_back(fmt::format("{} {}{}", axis.name, axis.extent, axis.reduce ? " summed" : ""));
  EXPECT_EQ(axes, (std::vector<std::string>{"b 1", "o 16", "t 3 summed", "r 3 summed"}));
  const int b = 0, o = 1, t = 2, r = 3;
  using Lanes = std::vector<std::vector<LaneTerm>>;
  EXPECT_EQ(rows.sources[0].row_axis, t);
  EXPECT_EQ(rows.sources[0].parts, 3);
  EXPECT_EQ(rows.sources[0].line_axis, r);
  EXPECT_EQ(rows.sources[0].lines, 3);
  EXPECT_EQ(rows.sources[0].pitch_field, spec.formats[spec.FormatIndex("gemm_rows")].FieldIndex("src_row"));
  EXPECT_EQ(rows.sources[0].lanes, (Lanes{{{b, 1, 1}}, {{o, 1, 1}}}));
  EXPECT_EQ(rows.sources[1].lanes, (Lanes{{{o, 1, 1}}, {{r, 3, 1}, {t, 1, 1}}}));
  EXPECT_EQ(rows.sources[1].parts, 1);
  EXPECT_EQ(rows.sources[1].lines, 1);
  EXPECT_EQ(rows.dst.axes, (std::vector<int>{b, o}));
}

TEST(LoadSpec, ReadsIntrinsicsAlongOneRow) {
  const Spec spec = Load("pynq", "test/split_loads");
  const Intrinsic& rows = *spec.formats[spec.FormatIndex("gemm_rows")].intrinsic;
  const int b = 0, o = 1, t = 2, g = 3;
  using Lanes = std::vector<std::vector<LaneTerm>>;
  EXPECT_EQ(rows.sources[0].row_axis, t);
  EXPECT_EQ(rows.sources[0].line_axis, -1);
  EXPECT_EQ(rows.sources[0].lines, 1);
  EXPECT_EQ(rows.sources[0].lanes, (Lanes{{{b, 1, 1}}, {{o, 2, 2}, {g, 1, 1}}}));
  EXPECT_EQ(rows.sources[1].lanes, (Lanes{{{o, 1, 1}}, {{t, 2, 1}, {g, 1, 1}}}));
  EXPECT_TRUE(rows.sources[0].axes.empty());
}

TEST(LoadSpec, LeavesOutWhatAConfigurationDoesNotHave) {
  EXPECT_GE(Load("pynq", "cosim").FormatIndex("gemm_rows"), 0);
  EXPECT_GE(Load("tiny", "cosim", {{"parameters.taps", "2"}}).FormatIndex("gemm_rows"), 0);
  for (const auto& none :
       std::vector<std::vector<Override>>{{{"parameters.taps", "0"}},
                                          {{"parameters.block_out", "32"}},
                                          {{"parameters.block_in", "5"}, {"parameters.block_out", "5"}},
                                          {{"parameters.taps", "9"}}})
    EXPECT_EQ(Load("pynq", "cosim", none).FormatIndex("gemm_rows"), -1) << none[0].value;
}

TEST(LoadSpec, OrdersIndicesAsTheMicroOpDoes) {
  const Spec spec = Load("pynq", "vta");
  const InstructionFormat& gemm = spec.formats[spec.FormatIndex("gemm")];
  ASSERT_EQ(gemm.indices.size(), 3u);
  EXPECT_EQ(gemm.indices[0].index, "dst");
  EXPECT_EQ(gemm.indices[2].index, "wgt");
  EXPECT_EQ(gemm.indices[2].base, -1);
  EXPECT_EQ(gemm.indices[2].uop, 2);
  EXPECT_EQ(spec.formats[spec.FormatIndex("alu")].indices.size(), 2u);
}

TEST(LoadSpec, HoldsPortsApartWhereTheIsaSaysSo) {
  const Spec spec = Load("pynq", "test/feeds");
  const Memory &inp = spec.memories[spec.MemoryIndex("inp")], &acc = spec.memories[spec.MemoryIndex("acc")];
  EXPECT_THAT(UnitNames(spec, inp.writers), ::testing::ElementsAre("load", "alu"));
  EXPECT_EQ(inp.LockBits(), 8) << "a read port and a write port of four banks";
  EXPECT_EQ(inp.LockMask(1, false), 0b0000'0010);
  EXPECT_EQ(inp.LockMask(1, true), 0b0010'0000);
  EXPECT_EQ(acc.LockBits(), 4);
  const Spec unlike = Load("pynq", "test/feeds", {{"parameters.block_out", "32"}});
  const AluOp& op = unlike.alu_ops[unlike.AluOpIndex("requant_inp")];
  EXPECT_FALSE(op.available);
  EXPECT_EQ(op.unavailable, "it is there where block_in == block_out");
}

TEST(LoadSpec, TimesAluOps) {
  const Spec spec = Load("pynq", "cosim", {{"parameters.alu_lanes", "8"}});
  const AluOp& add = spec.alu_ops[spec.AluOpIndex("add")];
  EXPECT_EQ(add.initiation_interval, 4) << "two reads of acc, sixteen lanes on eight";
  EXPECT_EQ(spec.units[spec.UnitIndex("alu")].latency, 6 + 12) << "requant_twice has twelve stages";
  EXPECT_EQ(add.min_distance, 5);
  EXPECT_EQ(spec.alu_ops[spec.AluOpIndex("requant")].initiation_interval, 2);
}

TEST(LoadSpec, MarksOpsThatTheLanesDoNotAllow) {
  const Spec spec = Load("pynq", "cosim", {{"parameters.block_in", "32"}});
  const AluOp& widen = spec.alu_ops[spec.AluOpIndex("widen")];
  EXPECT_FALSE(widen.available);
  EXPECT_EQ(widen.unavailable, "an element of 'inp' has 1x32 lanes, but one of 'acc' has 1x16");
  EXPECT_TRUE(spec.alu_ops[spec.AluOpIndex("requant")].available) << "parameters hold for every row";
}

TEST(LoadSpec, ReadsSmallerElementsSideBySide) {
  const auto widen = [](const char* lanes) {
    const Spec spec =
        Load("pynq", "cosim", {{"parameters.block_out", "48"}, {"parameters.alu_lanes", lanes}});
    return spec.alu_ops[spec.AluOpIndex("widen")];
  };
  EXPECT_TRUE(widen("8").available);
  EXPECT_EQ(widen("8").operands[0].parts, 3);
  EXPECT_EQ(widen("8").initiation_interval, 6) << "an element is read for two of the six groups";
  EXPECT_FALSE(widen("12").available);
  EXPECT_EQ(widen("12").unavailable,
            "unit 'alu' works on 12 lanes at a time, which do not divide the 16 of 'inp'");
  EXPECT_FALSE(widen("32").available) << "two elements would be read at a time";
}

TEST(LoadSpec, OverridesAnyKey) {
  const Spec spec = Load("pynq", "",
                         {{"memory.latency", "80"},
                          {"memory.jitter", "3"},
                          {"isa", "vta"},
                          {"parameters.tokens", "7"},
                          {"clock_mhz", "142.5"},
                          {"board", "none"}});
  EXPECT_EQ(spec.dram.latency, 80);
  EXPECT_EQ(spec.dram.jitter, 3);
  EXPECT_EQ(spec.isa, "vta");
  EXPECT_EQ(spec.Param("tokens"), 7);
  EXPECT_EQ(spec.queues[0].capacity, 7);
  EXPECT_DOUBLE_EQ(spec.clock_mhz, 142.5);
  EXPECT_EQ(spec.board, "none");
}

TEST(LoadSpec, FingerprintsWhatProgramsDependOn) {
  const uint64_t plain = Load("pynq", "").fingerprint;
  for (const auto& [path, value] :
       std::vector<std::pair<std::string, std::string>>{{"memory.port_bits", "128"},
                                                        {"parameters.tokens", "8"},
                                                        {"parameters.par_depth", "32"},
                                                        {"parameters.fetch_words", "32"},
                                                        {"parameters.acc_banks", "2"},
                                                        {"parameters.commands", "16"},
                                                        {"parameters.store_port", "1"}}) {
    EXPECT_NE(Load("pynq", "", {{path, value}}).fingerprint, plain) << path;
  }
  for (const auto& [path, value] :
       std::vector<std::pair<std::string, std::string>>{{"memory.latency", "80"},
                                                        {"memory.write_latency", "80"},
                                                        {"memory.jitter", "8"},
                                                        {"memory.seed", "5"},
                                                        {"memory.dram_bytes", "42"},
                                                        {"clock_mhz", "5"},
                                                        {"board", "none"},
                                                        {"doc", "other"}}) {
    EXPECT_EQ(Load("pynq", "", {{path, value}}).fingerprint, plain) << path;
  }
}

TEST(LoadSpec, HasAsManyPortsAsItsUnitsUse) {
  const Spec one = Load("pynq", "");
  EXPECT_EQ(one.ports, 1);
  const Spec three = Load("pynq", "", {{"parameters.load_port", "2"}, {"parameters.store_port", "1"}});
  EXPECT_EQ(three.ports, 3);
  EXPECT_EQ(three.units[static_cast<size_t>(three.UnitIndex("load"))].port, 2);
  EXPECT_EQ(three.units[static_cast<size_t>(three.UnitIndex("store"))].port, 1);
}

TEST(LoadSpec, FingerprintsTheExpressionsOfOps) {
  const uint64_t plain = LoadMini(kIsa).fingerprint;
  EXPECT_NE(LoadMini(Replace(kIsa, "wrap(a + b, 32)", "wrap(a - b, 32)")).fingerprint, plain);
  EXPECT_NE(LoadMini(Replace(kIsa, "opcode: 5", "opcode: 6")).fingerprint, plain);
  EXPECT_EQ(LoadMini(Replace(kIsa, "    code: 0", "    doc: Adds.\n    code: 0")).fingerprint, plain);
}

TEST(LoadSpec, EvaluatesDefaultsInAnyOrder) {
  const Spec spec = LoadMini(Replace(kIsa, "default: 1024", "default: 16 * 4 * block * fetch_words / 2"));
  EXPECT_EQ(spec.Param("acc_bytes"), 1024);
}

TEST(LoadSpec, TakesAnAluOpOfEachOfTwoInstructions) {
  const size_t begin = kIsa.find("  alu:\n    opcode: 4"), end = kIsa.find("  store_acc:");
  std::string second =
      Replace(Replace(kIsa.substr(begin, end - begin), "  alu:", "  alu2:"), "opcode: 4", "opcode: 7");
  std::string isa = Replace(kIsa, "  store_acc:", second + "  store_acc:");
  isa = Replace(isa, "    code: 0\n", "    code: 0\n    instruction: alu\n");
  isa = Replace(isa, "    code: 1\n", "    code: 0\n    instruction: alu2\n");
  const Spec spec = LoadMini(isa);
  EXPECT_EQ(spec.alu_ops[0].format, spec.FormatIndex("alu"));
  EXPECT_EQ(spec.alu_ops[1].format, spec.FormatIndex("alu2"));
}

TEST(LoadSpec, ReportsMissingFiles) {
  Diagnostics diags;
  EXPECT_FALSE(LoadSpec("no_such", "", {}, diags));
  ASSERT_EQ(diags.list().size(), 1u);
  EXPECT_THAT(diags.Render(),
              ::testing::StartsWith(
                  "no_such: error[E0001]: there is no such file\n  hint: looked for no_such.yaml, "));
  EXPECT_THAT(diags.Render(), ::testing::HasSubstr("configs/no_such.yaml, no_such\n"));
  Diagnostics isa_diags;
  EXPECT_FALSE(LoadSpec("pynq", "no_such", {}, isa_diags));
  EXPECT_THAT(isa_diags.Render(), ::testing::StartsWith("no_such: error[E0001]: there is no such file\n"));
}

TEST(LoadSpec, ReportsUnreadableSources) {
  Diagnostics diags;
  EXPECT_FALSE(ReadSource("no/such/file.yaml", diags));
  EXPECT_FALSE(ReadSource(".", diags));
  EXPECT_EQ(diags.Render(),
            "no/such/file.yaml: error[E0001]: cannot be read: there is no such file\n"
            ".: error[E0001]: cannot be read: it is a directory\n");
}

TEST(LoadSpec, TakesFilesByPathAndFromCosimHome) {
  const std::filesystem::path home =
      std::filesystem::path(::testing::TempDir()) / fmt::format("cosim_home_{}", getpid());
  std::filesystem::create_directories(home / "isa");
  std::filesystem::create_directories(home / "configs");
  std::ofstream(home / "isa" / "mini.yaml") << kIsa;
  std::ofstream(home / "configs" / "small.yaml") << kConfig;
  EXPECT_EQ(Load((home / "configs" / "small.yaml").string(), (home / "isa" / "mini").string()).isa, "mini");
  ASSERT_EQ(setenv("COSIM_HOME", home.c_str(), 1), 0);
  EXPECT_EQ(Load("small", "").config, "small");
  unsetenv("COSIM_HOME");
  std::filesystem::remove_all(home);
}

TEST(LoadSpec, ReportsAConfigurationWithoutIsa) {
  const std::string path = ::testing::TempDir() + fmt::format("/no_isa_{}.yaml", getpid());
  std::ofstream(path) << Replace(kConfig, "isa: mini\n", "");
  Diagnostics diags;
  EXPECT_FALSE(LoadSpec(path, "", {}, diags));
  EXPECT_THAT(diags.Render(), ::testing::HasSubstr("error[E0007]: the configuration lacks the key 'isa'"));
  EXPECT_THAT(diags.Render(), ::testing::HasSubstr("hint: or name one with --isa"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace cosim::isa
