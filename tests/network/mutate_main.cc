// SPDX-License-Identifier: Apache-2.0
// Mutants of compiled programs against the verifier, as a table; scripts/mutate-programs.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/network/mutant_run.h"

namespace {

using cosim::testing::JudgedMutant;
using cosim::testing::MutantKind;
using cosim::testing::Subject;

using Row = std::array<int64_t, cosim::testing::kMutantKinds>;

int Usage() {
  fmt::print(
      "usage: mutate_programs [--count=N] [--seed=S]   N mutants (11,000), drawn from S (1)\n"
      "         [--first=K]                            from number K on: --first=K --count=1 repeats one\n"
      "         [--verbose]                            each mutant in a line\n");
  return 1;
}

/// 11000 as 11,000.
std::string Grouped(int64_t count) {
  std::string text = std::to_string(count);
  for (auto at = static_cast<int64_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<size_t>(at), ",");
  return text;
}

int64_t At(const Row& row, MutantKind kind) { return row[static_cast<size_t>(kind)]; }

int64_t Sum(const Row& row) {
  int64_t sum = 0;
  for (const int64_t count : row) sum += count;
  return sum;
}

void PrintRow(const std::string& name, const Row& row) {
  fmt::print("| {} | {} |", name, Grouped(Sum(row)));
  for (const int64_t count : row) fmt::print(" {} |", Grouped(count));
  fmt::print("\n");
}

void PrintHead(const std::string& what) {
  fmt::print(
      "\n| {} | mutants | refused, breaks | refused, nothing broke | same result | another result | holes "
      "|\n",
      what);
  fmt::print("|---|---|---|---|---|---|---|\n");
}

struct Tables {
  std::map<int, Row> by_class;
  std::map<size_t, Row> by_subject;
  std::map<int, Row> by_finding;
  Row all{};

  void Add(const JudgedMutant& mutant) {
    const auto kind = static_cast<size_t>(mutant.verdict.kind);
    ++by_class[static_cast<int>(mutant.what)][kind];
    ++by_subject[mutant.subject][kind];
    if (mutant.verdict.kind <= MutantKind::kRefusedUnbroken)
      ++by_finding[static_cast<int>(mutant.verdict.finding)][kind];
    ++all[kind];
  }

  void Print(const std::vector<Subject>& subjects) const {
    PrintHead("class");
    for (const auto& [what, row] : by_class)
      PrintRow(std::string(Name(static_cast<cosim::testing::MutationClass>(what))), row);
    PrintRow("**all**", all);
    PrintHead("program");
    for (const auto& [subject, row] : by_subject) {
      const Subject& of = subjects[subject];
      PrintRow(fmt::format("{}, {} instructions", of.name,
                           Grouped(static_cast<int64_t>(of.program.instructions.size()))),
               row);
    }
    fmt::print("\n| refused because of | mutants | nothing broke |\n|---|---|---|\n");
    for (const auto& [finding, row] : by_finding)
      fmt::print("| {} | {} | {} |\n", FindingKindName(static_cast<cosim::isa::FindingKind>(finding)),
                 Grouped(Sum(row)), Grouped(At(row, MutantKind::kRefusedUnbroken)));
  }
};

}  // namespace

int main(int argc, char** argv) {
  int64_t count = 11000, first = 0;
  uint64_t seed = 1;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text.starts_with("--count=")) {
      count = std::atoll(text.c_str() + 8);
    } else if (text.starts_with("--seed=")) {
      seed = std::strtoull(text.c_str() + 7, nullptr, 10);
    } else if (text.starts_with("--first=")) {
      first = std::atoll(text.c_str() + 8);
    } else if (text == "--verbose") {
      verbose = true;
    } else {
      return Usage();
    }
  }
  const std::vector<Subject> subjects = cosim::testing::MutationSubjects();
  Tables tables;
  cosim::testing::JudgeMutants(subjects, seed, first, count, [&](const JudgedMutant& mutant) {
    tables.Add(mutant);
    if (!verbose && mutant.verdict.kind != MutantKind::kHole) return;
    constexpr const char* kNames[] = {"refused", "refused, nothing broke", "same result", "another result",
                                      "HOLE"};
    fmt::print(
        "{} {} in {}: {}{}{} {}\n", mutant.number, Name(mutant.what), subjects[mutant.subject].name,
        kNames[static_cast<size_t>(mutant.verdict.kind)],
        mutant.verdict.kind <= MutantKind::kRefusedUnbroken ? ": " : "",
        mutant.verdict.kind <= MutantKind::kRefusedUnbroken ? FindingKindName(mutant.verdict.finding) : "",
        mutant.verdict.why);
    std::fflush(stdout);
  });
  tables.Print(subjects);
  const int64_t refused =
      At(tables.all, MutantKind::kRefusedBroken) + At(tables.all, MutantKind::kRefusedUnbroken);
  const int64_t holes = At(tables.all, MutantKind::kHole);
  fmt::print("\n{} mutants from seed {}: {} refused, {} accepted and harmless, {} holes\n",
             Grouped(Sum(tables.all)), seed, Grouped(refused), Grouped(Sum(tables.all) - refused - holes),
             holes);
  return holes == 0 ? 0 : 1;
}
