// SPDX-License-Identifier: Apache-2.0
// Children judge mutants one after the other and say each verdict in a line.
#include "tests/network/mutant_run.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <variant>

#include "isa/check.h"
#include "tests/network/cases.h"

namespace cosim::testing {
namespace {

constexpr int kAttempts = 200, kChunk = 50;
constexpr unsigned kSeconds = 60;

Subject MakeSubject(const Case& c) {
  std::string error;
  const auto spec = SpecOf(c, error);
  COSIM_CHECK(spec, "{}", error);
  const auto quantized = session::QuantizeFor(*spec, c.network, 1);
  const auto network = session::CompileFor(*spec, quantized.graph, {.virtual_threads = 2, .after_pass = {}});
  Subject subject{fmt::format("{} on {} ({})", c.network, c.config, spec->isa), *spec, {}};
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (accelerator && accelerator->program.instructions.size() > subject.program.instructions.size())
      subject.program = accelerator->program;
  }
  COSIM_CHECK(!subject.program.instructions.empty(), "{} runs on the host", c.network);
  return subject;
}

std::string LineOf(const JudgedMutant& mutant) {
  return fmt::format("{} {} {} {} {} {}\n", mutant.number, static_cast<int>(mutant.what), mutant.subject,
                     static_cast<int>(mutant.verdict.kind), static_cast<int>(mutant.verdict.finding),
                     mutant.verdict.why);
}

JudgedMutant FromLine(const std::string& line) {
  JudgedMutant mutant;
  int what = 0, kind = 0, finding = 0;
  std::istringstream in(line);
  in >> mutant.number >> what >> mutant.subject >> kind >> finding;
  in.ignore(1);
  std::getline(in, mutant.verdict.why);
  mutant.what = static_cast<MutationClass>(what);
  mutant.verdict.kind = static_cast<MutantKind>(kind);
  mutant.verdict.finding = static_cast<isa::FindingKind>(finding);
  return mutant;
}

MutationClass ClassOf(const std::vector<Subject>& subjects, int64_t number) {
  return static_cast<MutationClass>(number / static_cast<int64_t>(subjects.size()) % kMutationClasses);
}

size_t SubjectOf(const std::vector<Subject>& subjects, int64_t number) {
  return static_cast<size_t>(number) % subjects.size();
}

/// By subject; made once, for all children.
using Judges = std::vector<std::unique_ptr<MutantJudge>>;

/// Mutant `number`: its subject and class go round, everything else is drawn from both numbers. Nothing when
/// the subject has no place for the class.
std::optional<JudgedMutant> JudgeMutant(const std::vector<Subject>& subjects, const Judges& judges,
                                        uint64_t seed, int64_t number) {
  JudgedMutant mutant{.number = number,
                      .what = ClassOf(subjects, number),
                      .subject = SubjectOf(subjects, number),
                      .verdict = {}};
  const Subject& subject = subjects[mutant.subject];
  isa::testing::Random random(seed * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(number));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto program = Mutate(subject.spec, subject.program, mutant.what, random);
    if (!program) continue;
    mutant.verdict = judges[mutant.subject]->Judge(*program, random.Next());
    return mutant;
  }
  return std::nullopt;
}

[[noreturn]] void Child(int to, const std::vector<Subject>& subjects, const Judges& judges, uint64_t seed,
                        int64_t first) {
  for (int64_t n = first; n < first + kChunk; ++n) {
    alarm(kSeconds);
    const auto mutant = JudgeMutant(subjects, judges, seed, n);
    const std::string line = mutant ? LineOf(*mutant) : fmt::format("{} -1\n", n);
    if (write(to, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(2);
  }
  _exit(0);
}

/// Judges mutants from `first` on in a child; returns how far it came. `done` may be told of fewer.
int64_t RunChunk(const std::vector<Subject>& subjects, const Judges& judges, uint64_t seed, int64_t first,
                 const std::function<void(const JudgedMutant&)>& done) {
  int ends[2];
  COSIM_CHECK(pipe(ends) == 0, "no pipe: {}", std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = fork();
  COSIM_CHECK(child >= 0, "no process: {}", std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    Child(ends[1], subjects, judges, seed, first);
  }
  close(ends[1]);
  FILE* lines = fdopen(ends[0], "r");
  int64_t next = first;
  char* line = nullptr;
  for (size_t size = 0; getline(&line, &size, lines) > 0; ++next) {
    const std::string text(line);
    if (text.find(" -1\n") == std::string::npos) done(FromLine(text.substr(0, text.size() - 1)));
  }
  free(line);
  std::fclose(lines);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return next;
  const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  done({.number = next,
        .what = ClassOf(subjects, next),
        .subject = SubjectOf(subjects, next),
        .verdict = {.why = late ? fmt::format("longer than {} s", kSeconds) : "the process died"}});
  return next + 1;
}

}  // namespace

std::vector<Subject> MutationSubjects() {
  std::vector<Subject> subjects;
  for (const Case& c :
       {Case{"small_cnn", "tiny", "cosim"}, Case{"small_cnn", "tiny", "vta"}, Case{"mlp", "pynq", "cosim"},
        Case{"mobilenet_v2:size=32,width=0.2", "test/merged", ""},
        Case{"vit_tiny:size=32", "test/split", ""}})
    subjects.push_back(MakeSubject(c));
  return subjects;
}

void JudgeMutants(const std::vector<Subject>& subjects, uint64_t seed, int64_t first, int64_t count,
                  const std::function<void(const JudgedMutant&)>& done) {
  Judges judges;
  for (const Subject& subject : subjects)
    judges.push_back(std::make_unique<MutantJudge>(subject.spec, subject.program, seed));
  int64_t judged = 0;
  for (int64_t next = first; judged < count;) {
    next = RunChunk(subjects, judges, seed, next, [&](const JudgedMutant& mutant) {
      if (judged++ < count) done(mutant);
    });
  }
}

}  // namespace cosim::testing
