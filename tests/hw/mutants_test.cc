// SPDX-License-Identifier: Apache-2.0
// Plants faults, one after the other, in the RTL and in the models, and sees that lockstep notices each
// within a few programs: a test of the tests. The RTL's faults are listed in mutants.sv and live in one
// Verilated model; those of the models are changes of the spec that the models read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/check.h"
#include "sim/rtl/rtl_library.h"
#include "tests/hw/isolate.h"
#include "tests/hw/lockstep_pair.h"

namespace cosim::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = COSIM_SOURCE_DIR "/tests/hw/";
constexpr uint64_t kPrograms = 40;
constexpr int kStalls = 30;  ///< percent of cycles, where no cycles are compared

std::string TextOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// All matches of the pattern's one group.
std::vector<std::string> Matches(const std::string& text, const char* pattern) {
  std::vector<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

/// By number; the first is none.
const std::vector<std::string>& RtlMutants() {
  static const std::vector<std::string> names =
      Matches(TextOf(fs::path(kFolder) / "mutants.sv"), R"(\n    ([A-Z]\w*)(?=,?\s))");
  return names;
}

const isa::Spec& MutantSpec() {
  static const isa::Spec spec = [] {
    Diagnostics diags;
    std::optional<isa::Spec> loaded = isa::LoadSpec(fs::path(kFolder) / "mutants.yaml", "cosim", {}, diags);
    COSIM_CHECK(loaded.has_value(), "{}", diags.Render());
    return std::move(*loaded);
  }();
  return spec;
}

std::unique_ptr<sim::RtlModel> MakeMutant(int number) {
  static const fs::path library = [] {
    Diagnostics diags;
    const auto built =
        sim::BuildRtl(MutantSpec(), {.mutants = fs::path(kFolder) / "mutants.sv", .progress = {}}, diags);
    COSIM_CHECK(built.has_value(), "{}", diags.Render());
    return *built;
  }();
  std::unique_ptr<sim::RtlModel> model = sim::MakeRtlModel(library);
  EXPECT_TRUE(model->SelectMutant(number));
  return model;
}

/// The first difference within the short run; empty if there is none. `plant` spoils what the models read.
std::string FirstDifference(int rtl_mutant, const std::function<void(isa::Spec&)>& plant,
                            int stall_percent = 0) {
  const std::unique_ptr<sim::RtlModel> model = MakeMutant(rtl_mutant);
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    isa::Spec spec = MutantSpec();
    const isa::Program program = DrawProgram(spec, seed);
    plant(spec);
    const std::string difference =
        CompareIsolated(*model, spec, program, {.seed = seed, .stall_percent = stall_percent}).difference;
    if (!difference.empty()) return fmt::format("program {}: {}", seed, difference);
  }
  return "";
}

TEST(Mutants, NoneIsNoFault) {
  for (const int stall_percent : {0, kStalls})
    EXPECT_EQ(FirstDifference(0, [](isa::Spec&) {}, stall_percent), "");
}

TEST(Mutants, StandInTheRtl) {
  std::multiset<std::string> planted;
  for (const fs::directory_entry& file : fs::directory_iterator(COSIM_SOURCE_DIR "/hw/rtl"))
    for (const std::string& name : Matches(TextOf(file.path()), R"(`MUTANT\(([A-Z]\w*)\))"))
      planted.insert(name);
  EXPECT_GE(RtlMutants().size(), 13u);
  EXPECT_EQ(RtlMutants()[0], "None");
  EXPECT_EQ(planted, std::multiset<std::string>(RtlMutants().begin() + 1, RtlMutants().end()));
}

/// What is wrong whatever stands still on the bus. Of the others some are faults of cycles alone, which runs
/// with stalls do not compare.
const char* const kNoticedWithStalls[] = {
    "WaitingCounted", "LastUncounted", "StepsUncounted", "PageLate",      "FixedBurst",   "HalfBeats",
    "AddressFalls",   "LengthMoves",   "WritesMore",     "LastForgotten", "StrobesShort", "PushLost",
    "FifoStale",      "CrossesPages",  "OneBurstMore",   "PortUncounted"};
/// Seen only there: what is offered is taken at once where nothing stands still.
const std::set<std::string> kOnlyWithStalls = {"WaitingCounted", "AddressFalls", "LengthMoves"};

class RtlMutant : public ::testing::TestWithParam<std::string> {};

std::string DifferenceOf(const std::string& mutant, int stall_percent) {
  const auto number = std::ranges::find(RtlMutants(), mutant) - RtlMutants().begin();
  return FirstDifference(static_cast<int>(number), [](isa::Spec&) {}, stall_percent);
}

TEST_P(RtlMutant, IsNoticed) {
  const std::string difference = DifferenceOf(GetParam(), kOnlyWithStalls.contains(GetParam()) ? kStalls : 0);
  EXPECT_NE(difference, "") << GetParam() << " survives " << kPrograms << " programs";
  RecordProperty("difference", difference);
}

INSTANTIATE_TEST_SUITE_P(Mutants, RtlMutant,
                         ::testing::ValuesIn(RtlMutants().begin() + 1, RtlMutants().end()),
                         [](const auto& info) { return info.param; });

class StalledMutant : public ::testing::TestWithParam<const char*> {};

TEST_P(StalledMutant, IsNoticedWithoutItsCycles) {
  ASSERT_TRUE(std::ranges::count(RtlMutants(), GetParam())) << "there is no such mutant";
  const std::string difference = DifferenceOf(GetParam(), kStalls);
  EXPECT_NE(difference, "") << GetParam() << " survives " << kPrograms << " programs with stalls";
  RecordProperty("difference", difference);
}

INSTANTIATE_TEST_SUITE_P(Mutants, StalledMutant, ::testing::ValuesIn(kNoticedWithStalls),
                         [](const auto& info) { return std::string(info.param); });

struct ModelMutant {
  const char* name;
  std::function<void(isa::Spec&)> plant;
};

void PrintTo(const ModelMutant& mutant, std::ostream* out) { *out << mutant.name; }

/// Changes an operator in every ALU op.
std::function<void(isa::Spec&)> Operator(isa::ScalarOp from, isa::ScalarOp to) {
  return [=](isa::Spec& spec) {
    for (isa::AluOp& op : spec.alu_ops)
      for (isa::ScalarNode& node : op.program.nodes)
        if (node.op == from) node.op = to;
  };
}

std::function<void(isa::Spec&)> LaterRetirement(const char* unit) {
  return [=](isa::Spec& spec) { ++spec.units[spec.UnitIndex(unit)].latency; };
}

const ModelMutant kModelMutants[] = {
    {"RoundsDown", Operator(isa::ScalarOp::kRoundShift, isa::ScalarOp::kShr)},
    {"WrapsInsteadOfSaturating", Operator(isa::ScalarOp::kSat, isa::ScalarOp::kWrap)},
    {"TakesTheSmaller", Operator(isa::ScalarOp::kMax, isa::ScalarOp::kMin)},
    {"ScalesWithoutSign",
     [](isa::Spec& spec) {
       for (isa::Field& field : spec.memories[spec.MemoryIndex("par")].fields)
         if (field.name == "mult") field.type.is_signed = false;
     }},
    {"LoadRetiresLater", LaterRetirement("load")},
    {"GemmRetiresLater", LaterRetirement("gemm")},
    {"AluRetiresLater", LaterRetirement("alu")},
    {"StoreRetiresLater", LaterRetirement("store")},
    {"ShorterBursts", [](isa::Spec& spec) { --spec.dram.burst_beats; }},
    {"FewerOutstanding", [](isa::Spec& spec) { --spec.dram.outstanding; }},
    {"SmallerDataBuffer", [](isa::Spec& spec) { --spec.units[spec.UnitIndex("load")].buffer_beats; }},
    {"SmallerFetchBuffer", [](isa::Spec& spec) { --spec.fetch_words; }},
    {"FillAtTheOtherPort", [](isa::Spec& spec) { spec.units[spec.UnitIndex("fill")].port = 0; }},
    {"GemmWithoutOverlap", [](isa::Spec& spec) { spec.units[spec.UnitIndex("gemm")].overlap = false; }},
};

class ModelMutants : public ::testing::TestWithParam<ModelMutant> {};

TEST_P(ModelMutants, IsNoticed) {
  EXPECT_NE(FirstDifference(0, GetParam().plant), "") << "survives " << kPrograms << " programs";
}

INSTANTIATE_TEST_SUITE_P(Mutants, ModelMutants, ::testing::ValuesIn(kModelMutants),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cosim::testing
