// SPDX-License-Identifier: Apache-2.0
// An ALU op that nobody planned for, the one that docs/how-to/add-an-alu-op.md adds: put into the text of
// isa/cosim.yaml as the page says, it works everywhere, and no other file is touched. What it computes is
// held against an expression written here.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "isa/check.h"
#include "isa/program/assembler.h"
#include "isa/program/disassembler.h"
#include "isa/spec/loader.h"
#include "isa/verify/verify.h"
#include "sim/cycle/cycle_device.h"
#include "sim/dram/flat_memory.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_library.h"
#include "tests/hw/lockstep.h"
#include "tests/hw/lockstep_pair.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/shrink.h"

namespace cosim::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kPage[] = "docs/how-to/add-an-alu-op.md";
constexpr char kOp[] = "absdiff";

std::string WholeText(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(COSIM_SOURCE_DIR / path).rdbuf();
  return text.str();
}

/// The entry that the page shows.
std::string Entry() {
  const std::string page = WholeText(kPage), fence = "```yaml\n";
  const size_t begin = page.find(fence) + fence.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

const isa::Spec& ExtendedSpec() {
  static const isa::Spec spec = [] {
    Diagnostics diags;
    isa::SourceText isa{"isa/cosim.yaml", WholeText("isa/cosim.yaml")};
    const std::string key = "\nalu_ops:\n";
    isa.text.insert(isa.text.find(key) + key.size(), Entry());
    const isa::SourceText config{"configs/tiny.yaml", WholeText("configs/tiny.yaml")};
    std::optional<isa::Spec> elaborated = isa::Elaborate(isa, config, {}, diags);
    COSIM_CHECK(elaborated.has_value(), "{}", diags.Render());
    return std::move(*elaborated);
  }();
  return spec;
}

/// The distance of two 32-bit accumulators, in 32 bits.
int64_t Distance(int64_t a, int64_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a > b ? a - b : b - a));
}

/// Takes the differences of elements 0 to 3 and 4 to 7, then narrows and stores them.
constexpr char kText[] = R"(.dram 0x4000
.code 0x3000
.instructions code 0x3000
.micro_ops uops 0x1000 {
  alu_uop dst=0 src=0 aux=0
}
.constants inputs 0x2000 {
  00 7f 80 ff 10 20 30 40 05 06 07 08 81 7e 01 fe
  01 80 7f 00 0f 21 31 c0 05 06 07 08 80 80 7f 03
}
load_alu_uop dram=0x1000 rows=1 cols=1 stride=1
load_inp lock_inp=0b00010000 dram=0x2000 rows=1 cols=8 stride=8 push(load_to_alu)
alu op=widen lock_acc=0b0001 lock_inp=0b0001 uop=[0,1) iter_out=1 iter_in=8 dst_in=1 src_in=1 pop(load_to_alu)
alu op=absdiff lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_base=4 src_in=1
alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127 push(alu_to_store)
store_out dram=0x2800 rows=1 cols=4 stride=4 pop(alu_to_store)
)";

isa::Program Assembled() {
  Diagnostics diags;
  std::optional<isa::Assembly> assembly = isa::Assemble(ExtendedSpec(), {"test.s", kText}, diags);
  COSIM_CHECK(assembly.has_value(), "{}", diags.Render());
  return std::move(assembly->program);
}

std::vector<uint8_t> ExpectedResults() {
  std::vector<uint8_t> results;
  const isa::Program program = Assembled();
  const std::vector<uint8_t>& bytes =
      std::ranges::find(program.segments, "inputs", &isa::Segment::name)->bytes;
  for (size_t i = 0; i < 16; ++i) {
    const auto a = static_cast<int8_t>(bytes[i]), b = static_cast<int8_t>(bytes[i + 16]);
    results.push_back(static_cast<uint8_t>(std::min<int64_t>(Distance(a, b), 127)));
  }
  return results;
}

std::unique_ptr<sim::RtlModel> MakeModel() {
  static const fs::path library = [] {
    Diagnostics diags;
    const auto built =
        sim::BuildRtl(ExtendedSpec(), {.assertions = true, .mutants = {}, .progress = {}}, diags);
    COSIM_CHECK(built.has_value(), "{}", diags.Render());
    return *built;
  }();
  return sim::MakeRtlModel(library);
}

TEST(UnplannedOp, IsAssembledAndDisassembled) {
  const isa::Program program = Assembled();
  EXPECT_TRUE(isa::Verify(ExtendedSpec(), program).ok());
  const std::string text = isa::Disassemble(ExtendedSpec(), program);
  EXPECT_THAT(text, HasSubstr("alu op=absdiff "));
  Diagnostics diags;
  const std::optional<isa::Assembly> again = isa::Assemble(ExtendedSpec(), {"again.s", text}, diags);
  ASSERT_TRUE(again.has_value()) << diags.Render();
  EXPECT_EQ(isa::Disassemble(ExtendedSpec(), again->program), text);
}

template <typename DeviceType>
std::vector<uint8_t> ResultsOn() {
  const isa::Program program = Assembled();
  DeviceType device(ExtendedSpec());
  runtime::LoadSegments(device, program);
  const runtime::Counters counters = device.Execute(program, {.layer_of = {}});
  EXPECT_TRUE(counters.completed) << counters.error;
  std::vector<uint8_t> results(16);
  device.Read(0x2800, results);
  return results;
}

TEST(UnplannedOp, ComputesOnBothSimulators) {
  EXPECT_EQ(ResultsOn<sim::FunctionalDevice>(), ExpectedResults());
  EXPECT_EQ(ResultsOn<sim::CycleDevice>(), ExpectedResults());
}

TEST(UnplannedOp, ComputesInTheRtl) {
  const isa::Spec& spec = ExtendedSpec();
  const isa::Program program = Assembled();
  sim::BuiltInMemory memory(spec.dram);
  const std::unique_ptr<sim::RtlModel> model = MakeModel();
  const sim::RtlRun run = sim::RunRtl(*model, spec, program, DramOf(spec, program), memory);
  ASSERT_TRUE(run.done);
  EXPECT_EQ(std::vector<uint8_t>(run.dram.begin() + 0x2800, run.dram.begin() + 0x2810), ExpectedResults());
}

/// All lanes of acc, in order.
std::vector<int64_t> Accumulators(sim::RtlModel& model, const isa::Spec& spec) {
  const isa::Memory& acc = spec.memories[spec.MemoryIndex("acc")];
  std::vector<int64_t> values;
  for (int64_t element = 0; element < acc.depth; ++element) {
    const int64_t bank_depth = acc.depth / acc.banks;
    const sim::RtlBank bank = model.Bank("acc", static_cast<int>(element / bank_depth), 0);
    for (int64_t lane = 0; lane < acc.LaneCount(); ++lane) {
      int32_t value = 0;
      std::memcpy(&value, bank.data + element % bank_depth * bank.stride + lane * 4, 4);
      values.push_back(value);
    }
  }
  return values;
}

TEST(UnplannedOp, IsWholeInThirtyTwoBits) {
  // Only the difference itself, on whatever the accumulators held: random bits, in the RTL and in the
  // simulator.
  const isa::Spec& spec = ExtendedSpec();
  isa::Program program = Assembled();
  sim::FunctionalEngine engine(spec);
  engine.Reserve(program.dram_bytes);
  engine.PoisonOnChip(5);
  const sim::MemoryStore& store = engine.memories().Store(spec.MemoryIndex("acc"));
  const std::unique_ptr<sim::RtlModel> model = MakeModel();
  sim::BuiltInMemory timing(spec.dram);
  std::vector<uint8_t> dram = DramOf(spec, program);
  sim::FlatMemory memory(dram);
  sim::RtlBench(*model, spec, memory, timing).Reset();
  for (int bank = 0; bank < 4; ++bank) {
    const sim::RtlBank contents = model->Bank("acc", bank, 0);
    for (int64_t i = 0; i < contents.elements * 4; ++i) {
      const auto value = static_cast<int32_t>(store.fields[0].Get(bank * contents.elements * 4 + i));
      std::memcpy(contents.data + i / 4 * static_cast<int64_t>(contents.stride) + i % 4 * 4, &value, 4);
    }
  }
  const std::vector<int64_t> before = Accumulators(*model, spec);
  std::vector<int64_t> expected = before;
  for (size_t i = 0; i < 16; ++i) expected[i] = Distance(before[i], before[i + 16]);
  EXPECT_NE(expected, before);

  // Of the program, the micro-op's load and the op.
  program.instructions = {program.instructions[0], program.instructions[3]};
  isa::Instruction& load = program.instructions[0];
  isa::Instruction& alu = program.instructions[1];
  load.values[spec.formats[load.format].FieldIndex("push_load_to_alu")] = 1;
  alu.values[spec.formats[alu.format].FieldIndex("pop_load_to_alu")] = 1;
  isa::testing::Reencode(spec, program);
  ASSERT_TRUE(isa::Verify(spec, program, isa::testing::OnWrittenMemories()).ok());

  for (const isa::Segment& segment : program.segments) engine.WriteDram(segment.address, segment.bytes);
  for (const isa::Instruction& instruction : program.instructions)
    EXPECT_EQ(engine.Execute(instruction, isa::Decode(spec, instruction)), "");
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(store.fields[0].Get(static_cast<int64_t>(i)), expected[i])
        << "lane " << i << " of the simulator";

  ASSERT_TRUE(sim::RunRtl(*model, spec, program, DramOf(spec, program), timing).done);
  EXPECT_EQ(Accumulators(*model, spec), expected);
}

TEST(UnplannedOp, AgreesInLockstepOnRandomPrograms) {
  isa::Spec spec = ExtendedSpec();
  for (isa::AluOp& other : spec.alu_ops) other.available = other.name == kOp || other.name == "widen";
  const std::unique_ptr<sim::RtlModel> model = MakeModel();
  const int op = spec.AluOpIndex(kOp);
  int64_t used = 0;
  for (uint64_t seed = 1; seed <= 70; ++seed) {
    const isa::Program program = DrawProgram(spec, seed);
    used += std::ranges::count_if(program.instructions, [&](const isa::Instruction& instruction) {
      const isa::Decoded decoded = isa::Decode(spec, instruction);
      const auto* alu = std::get_if<isa::Alu>(&decoded.body);
      return alu != nullptr && alu->op == op;
    });
    ASSERT_EQ(Compare(*model, spec, program, {.seed = seed}).difference, "") << "seed " << seed;
  }
  EXPECT_GE(used, 10);
}

/// Words of a text that a regular expression's group finds.
std::vector<std::string> Words(const std::string& text, const char* pattern) {
  std::vector<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator word(text.begin(), text.end(), regex), end; word != end; ++word)
    found.push_back((*word)[1]);
  return found;
}

TEST(AddAnAluOp, NamesFilesThatExist) {
  const std::vector<std::string> files =
      Words(WholeText(kPage), R"(`((?:isa|sim|compiler|hw|tests)/[\w/]+(?:\.\w+)?)`)");
  EXPECT_GE(files.size(), 4u);
  for (const std::string& file : files) EXPECT_TRUE(fs::exists(COSIM_SOURCE_DIR / fs::path(file))) << file;
}

TEST(AddAnAluOp, TouchesNoFileButTheIsa) {
  // Were there a second place for ops, it would know some that are there. What the scalar language and the
  // graph's operators themselves call so (add, mul, min, max) says nothing.
  std::vector<std::string> names;
  for (const char* isa : {"isa/cosim.yaml", "isa/vta.yaml"}) {
    const std::string text = WholeText(isa);
    for (std::string& name : Words(text.substr(text.find("\nalu_ops:")), R"(\n  (\w+): )"))
      names.push_back(name);
  }
  std::erase_if(names, [](const std::string& name) {
    return name == "add" || name == "mul" || name == "min" || name == "max";
  });
  ASSERT_GE(names.size(), 10u);
  for (const char* folder : {"isa", "runtime", "sim", "driver", "compiler", "cli", "hw"}) {
    if (!fs::exists(COSIM_SOURCE_DIR / fs::path(folder))) continue;
    for (const auto& file : fs::recursive_directory_iterator(COSIM_SOURCE_DIR / fs::path(folder))) {
      const std::string extension = file.path().extension();
      if (extension != ".cc" && extension != ".h" && extension != ".sv") continue;
      const std::string text = WholeText(file.path());
      for (const std::string& name : names)
        EXPECT_EQ(text.find("\"" + name + "\""), std::string::npos)
            << file.path() << " names the op " << name;
    }
  }
}

}  // namespace
}  // namespace cosim::testing
