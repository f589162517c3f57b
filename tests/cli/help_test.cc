// SPDX-License-Identifier: Apache-2.0
// cosim help CODE: that the catalogue is complete, that each of its examples does what it says, and what is
// printed.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "cli/diagnostic_catalog.h"
#include "compiler/explore/networks.h"
#include "compiler/explore/plan.h"
#include "compiler/explore/search/search_plan.h"
#include "isa/program/assembler.h"
#include "isa/spec/loader.h"
#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Help : public Command {
 protected:
  static std::string TreeFile(const std::string& path) {
    return ReadFile(std::filesystem::path(COSIM_SOURCE_DIR) / path);
  }
  static std::vector<CodeExplanation> Catalog() {
    Diagnostics diags;
    auto catalog = LoadDiagnosticCatalog(diags);
    EXPECT_TRUE(catalog) << diags.Render();
    return catalog.value_or(std::vector<CodeExplanation>());
  }

  /// The codes that a text brings up where an example stands.
  std::vector<std::string> CodesOf(const CodeExplanation& code, const std::string& text) {
    if (code.where == kCommandLine) return CodesIn(Run(text).err);
    Diagnostics diags;
    if (code.where == kWholePlan) {
      const auto plan = explore::ReadPlan({"plan.yaml", text}, diags);
      if (plan) explore::LoadNetworks(plan->networks, "plan.yaml", diags);
    } else if (code.where == kWholeSearch) {
      explore::ReadSearchPlan({"plan.yaml", text}, diags);
    } else {
      Elaborated(code.where, text, diags);
    }
    return CodesIn(diags.Render());
  }

  static void Elaborated(const std::string& where, const std::string& text, Diagnostics& diags) {
    const bool isa = where.starts_with("isa/"), config = where.starts_with("configs/");
    const auto spec =
        isa::Elaborate({"isa.yaml", isa ? text : TreeFile("isa/cosim.yaml")},
                       {"config.yaml", config ? text : TreeFile("configs/tiny.yaml")}, {}, diags);
    if (spec && !isa && !config) isa::Assemble(*spec, {"program.s", text}, diags);
  }

  static std::vector<std::string> CodesIn(const std::string& text) {
    static const std::regex mark("error\\[(E[0-9]{4})\\]");
    std::vector<std::string> codes;
    for (std::sregex_iterator at(text.begin(), text.end(), mark), end; at != end; ++at)
      codes.push_back((*at)[1]);
    return codes;
  }
};

TEST_F(Help, TheCatalogueHasEveryCodeOnceAndNoOther) {
  std::vector<std::string> known, explained;
  for (const CodeMeaning& each : DiagnosticCodes()) known.emplace_back(each.code);
  for (const CodeExplanation& each : Catalog()) explained.push_back(each.code);
  EXPECT_EQ(explained, known);
  EXPECT_TRUE(std::ranges::is_sorted(known));
}

TEST_F(Help, TheReferenceListsEveryCodeWithItsMeaning) {
  std::string rows, reference = TreeFile("docs/reference/diagnostics.md");
  for (const CodeMeaning& each : DiagnosticCodes())
    rows += std::string("| ") + each.code + " | " + each.meaning + " |\n";
  std::string found;
  std::istringstream lines(reference);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| E")) found += line + "\n";
  EXPECT_EQ(found, rows);
}

TEST_F(Help, EveryEntrySaysWhyAndHasAnExampleOrASituation) {
  for (const CodeExplanation& each : Catalog()) {
    EXPECT_GT(each.why.size(), 20u) << each.code;
    EXPECT_NE(each.when.empty(), each.where.empty()) << each.code;
    EXPECT_NE(each.when.empty(), each.wrong == each.right) << each.code;
  }
}

TEST_F(Help, EveryExampleIsTrue) {
  for (const CodeExplanation& each : Catalog()) {
    if (!each.when.empty()) continue;
    std::string right = each.right, wrong = each.wrong;
    if (each.where.find('/') != std::string::npos) {  // an edit of that file
      right = TreeFile(each.where);
      const size_t at = right.find(each.right);
      ASSERT_NE(at, std::string::npos) << each.code << ": not in " << each.where;
      EXPECT_EQ(right.find(each.right, at + 1), std::string::npos)
          << each.code << ": twice in " << each.where;
      wrong = std::string(right).replace(at, each.right.size(), each.wrong);
    }
    EXPECT_THAT(CodesOf(each, wrong), Contains(each.code)) << each.wrong;
    EXPECT_THAT(CodesOf(each, right), IsEmpty()) << each.code;
  }
}

TEST_F(Help, ACommandThatIsRightSucceeds) {
  for (const CodeExplanation& each : Catalog()) {
    if (each.where != kCommandLine) continue;
    Good(each.right);
    ErrorOf(each.wrong);
  }
}

TEST_F(Help, PrintsMeaningReasonAndWholeLines) {
  EXPECT_EQ(Good("help E0103").out, R"(E0103: a field too narrow for the memory it indexes

A field that cannot count to the memory's last element leaves a part of it out of reach, or cuts
indices off and works on other data. Its width has to follow the depth, which another configuration
may change; an end, which may be one past the last element, needs a bit more.

wrong, in isa/cosim.yaml:
    uop_end: uint(8)
right:
    uop_end: uint(index_bits(alu_uop.depth) + 1)
)");
  EXPECT_EQ(Good("help e0103").out, Good("help E0103").out);
  EXPECT_EQ(Good("help E0708").out, R"(E0708: nextpnr for Xilinx 7 has not been fetched

It is no package of the distribution, and is fetched and built by a script.

when:
`cosim synth --place` before `scripts/place-tools` has run.
)");
  EXPECT_THAT(Good("help E0007").out, HasSubstr("wrong, in configs/tiny.yaml:\n    (left out)\nright:\n"));
  EXPECT_THAT(Good("help E0012").out, HasSubstr("wrong:\n    cosim isa doc --set clock_mhz.x=50\n"));
}

TEST_F(Help, SaysSomethingOfEveryCode) {
  for (const CodeMeaning& each : DiagnosticCodes()) {
    if (std::string(each.code).back() != '1') continue;  // one of each family will do
    EXPECT_THAT(Good(std::string("help ") + each.code).out, HasSubstr(each.meaning));
  }
}

TEST_F(Help, NamesTheNearestOfAnUnknownCode) {
  EXPECT_EQ(ErrorOf("help E0113"), R"(cosim: error: there is no diagnostic 'E0113'
  hint: did you mean 'E0013'? docs/reference/diagnostics.md lists them
)");
  EXPECT_THAT(ErrorOf("help e99999999999"), HasSubstr("there is no diagnostic 'E99999999999'\n"));
  EXPECT_THAT(ErrorOf("help E"), HasSubstr("unknown verb 'E'"));
  EXPECT_THAT(Good("--help").out, HasSubstr("`cosim help CODE`"));
}

TEST_F(Help, ATreeWithoutTheCatalogueIsReported) {
  const Outcome outcome = Shell("COSIM_HOME=. " + std::string(COSIM_BINARY) + " help E0103");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("docs/reference/diagnostics/specs.yaml: error[E0001]"));
}

}  // namespace
}  // namespace cosim::cli::testing
