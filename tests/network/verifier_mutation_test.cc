// SPDX-License-Identifier: Apache-2.0
// Faults planted in the programs of real networks. Each has to be found by the verifier, or be shown not to
// matter: a token may go only if the order it gave follows from the others.
#include <gmock/gmock.h>

#include <random>

#include "isa/program/decode.h"
#include "isa/verify/verify.h"
#include "tests/network/cases.h"

namespace cosim::testing {
namespace {

using isa::Instruction;
using isa::Program;

struct Token {
  size_t push, pop;
};

// The tokens of each queue, first in, first out.
std::vector<std::vector<Token>> TokensOf(const isa::Spec& spec, const Program& program) {
  std::vector<std::vector<size_t>> pushes(spec.queues.size()), pops(spec.queues.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const auto& format = spec.formats[program.instructions[i].format];
    for (const auto& [queue, field] : format.pushes)
      if (program.instructions[i].values[field]) pushes[queue].push_back(i);
    for (const auto& [queue, field] : format.pops)
      if (program.instructions[i].values[field]) pops[queue].push_back(i);
  }
  std::vector<std::vector<Token>> tokens(spec.queues.size());
  for (size_t q = 0; q < pushes.size(); ++q)
    for (size_t k = 0; k < std::min(pushes[q].size(), pops[q].size()); ++k)
      tokens[q].push_back({pushes[q][k], pops[q][k]});
  return tokens;
}

void Flag(const isa::Spec& spec, Instruction& instruction, int queue, bool push, int64_t value) {
  const auto& format = spec.formats[instruction.format];
  for (const auto& [q, field] : push ? format.pushes : format.pops)
    if (q == queue) instruction.values[field] = value;
}

// Whether instruction `to` follows `from` by tokens and the order within units.
bool Follows(const isa::Spec& spec, const Program& program, size_t from, size_t to) {
  const size_t n = program.instructions.size();
  std::vector<std::vector<size_t>> next(n);
  std::vector<int> last(spec.units.size(), -1);
  for (size_t i = 0; i < n; ++i) {
    const int unit = spec.formats[program.instructions[i].format].unit;
    if (last[unit] >= 0) next[last[unit]].push_back(i);
    last[unit] = static_cast<int>(i);
  }
  for (const auto& queue : TokensOf(spec, program))
    for (const Token& token : queue) next[token.push].push_back(token.pop);
  std::vector<bool> seen(n, false);
  std::vector<size_t> todo = {from};
  while (!todo.empty()) {
    const size_t at = todo.back();
    todo.pop_back();
    if (at == to) return true;
    if (seen[at]) continue;
    seen[at] = true;
    for (size_t i : next[at]) todo.push_back(i);
  }
  return false;
}

struct Subject {
  isa::Spec spec;
  Program program;
};

std::vector<Subject> Subjects() {
  std::vector<Subject> subjects;
  for (const char* network : {"mlp", "small_cnn"})
    for (const char* isa : {"cosim", "vta"}) {
      std::string error;
      const auto spec = SpecOf({network, "tiny", isa}, error);
      EXPECT_TRUE(spec) << error;
      const auto quantized = session::QuantizeFor(*spec, network, 1);
      const auto compiled =
          session::CompileFor(*spec, quantized.graph, {.virtual_threads = 2, .after_pass = {}});
      for (const auto& step : compiled.steps)
        if (const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step))
          if (subjects.empty() || accelerator->program.instructions.size() > 20)
            subjects.push_back({*spec, accelerator->program});
    }
  return subjects;
}

// Only what tokens and addresses say is of interest: the encoded words would give every change away.
bool Verifies(const Subject& subject, Program program) {
  std::erase_if(program.segments,
                [](const isa::Segment& s) { return s.kind == isa::Segment::Kind::kInstructions; });
  return isa::Verify(subject.spec, program).ok();
}

class VerifierMutation : public ::testing::Test {
 protected:
  void SetUp() override {
    subjects_ = Subjects();
    for (const Subject& subject : subjects_) ASSERT_TRUE(Verifies(subject, subject.program));
  }
  std::vector<Subject> subjects_;
  std::mt19937 random_{1};
};

TEST_F(VerifierMutation, RemovedTokensAreFoundOrImplied) {
  int killed = 0, implied = 0;
  for (const Subject& subject : subjects_) {
    const auto tokens = TokensOf(subject.spec, subject.program);
    for (int round = 0; round < 40; ++round) {
      const size_t q = random_() % tokens.size();
      if (tokens[q].empty()) continue;
      const Token token = tokens[q][random_() % tokens[q].size()];
      Program mutant = subject.program;
      Flag(subject.spec, mutant.instructions[token.push], static_cast<int>(q), true, 0);
      Flag(subject.spec, mutant.instructions[token.pop], static_cast<int>(q), false, 0);
      if (!Verifies(subject, mutant)) {
        ++killed;
      } else {
        EXPECT_TRUE(Follows(subject.spec, mutant, token.push, token.pop))
            << subject.spec.queues[q].name << " from " << token.push << " to " << token.pop;
        ++implied;
      }
    }
  }
  RecordProperty("killed", killed);
  RecordProperty("implied", implied);
  EXPECT_GT(killed, 100);
  EXPECT_GT(killed, 4 * implied);
}

TEST_F(VerifierMutation, OneSidedTokensAreFound) {
  for (const Subject& subject : subjects_) {
    const auto tokens = TokensOf(subject.spec, subject.program);
    for (size_t q = 0; q < tokens.size(); ++q) {
      if (tokens[q].empty()) continue;
      for (bool push : {false, true}) {
        Program mutant = subject.program;
        const Token token = tokens[q][random_() % tokens[q].size()];
        Flag(subject.spec, mutant.instructions[push ? token.push : token.pop], static_cast<int>(q), push, 0);
        EXPECT_FALSE(Verifies(subject, mutant)) << subject.spec.queues[q].name;
      }
    }
  }
}

TEST_F(VerifierMutation, PopsMovedLaterAreFoundOrHarmless) {
  int killed = 0, survived = 0;
  for (const Subject& subject : subjects_) {
    const auto tokens = TokensOf(subject.spec, subject.program);
    for (int round = 0; round < 40; ++round) {
      const size_t q = random_() % tokens.size();
      if (tokens[q].empty()) continue;
      const Token token = tokens[q][random_() % tokens[q].size()];
      const int unit = subject.spec.queues[q].to;
      size_t next = token.pop + 1;
      const auto unit_of = [&](size_t i) {
        return subject.spec.formats[subject.program.instructions[i].format].unit;
      };
      while (next < subject.program.instructions.size() && unit_of(next) != unit) ++next;
      if (next == subject.program.instructions.size()) continue;
      const auto& later = tokens[q];
      if (std::any_of(later.begin(), later.end(), [&](const Token& t) { return t.pop == next; })) continue;
      Program mutant = subject.program;
      Flag(subject.spec, mutant.instructions[token.pop], static_cast<int>(q), false, 0);
      Flag(subject.spec, mutant.instructions[next], static_cast<int>(q), false, 1);
      if (!Verifies(subject, mutant)) {
        ++killed;
      } else {  // the instruction that lost its pop follows the producer by another way, or never needed to
                // itself
        ++survived;
      }
    }
  }
  RecordProperty("killed", killed);
  RecordProperty("survived", survived);
  EXPECT_GT(killed, 2 * survived);
}

TEST_F(VerifierMutation, AddressesOutOfBoundsAreFound) {
  for (const Subject& subject : subjects_) {
    for (size_t i = 0; i < subject.program.instructions.size(); ++i) {
      const auto& format = subject.spec.formats[subject.program.instructions[i].format];
      if (format.kind != isa::Kind::kLoad && format.kind != isa::Kind::kStore) continue;
      if (random_() % 8) continue;
      Program dram = subject.program, chip = subject.program;
      dram.instructions[i].values[format.FieldIndex("dram")] =
          static_cast<int64_t>(subject.program.dram_bytes);
      EXPECT_FALSE(Verifies(subject, dram));
      int64_t& sram = chip.instructions[i].values[format.FieldIndex("sram")];
      const int64_t most = format.fields[format.FieldIndex("sram")].type.Max();
      const auto decoded = isa::Decode(subject.spec, subject.program.instructions[i]);
      if (std::get<isa::Transfer>(decoded.body).SramElements() < 2) continue;
      sram = most;
      EXPECT_FALSE(Verifies(subject, chip));
    }
  }
}

TEST_F(VerifierMutation, OverlappingBuffersAreFound) {
  int killed = 0, survived = 0;
  for (const Subject& subject : subjects_) {
    for (size_t i = 0; i < subject.program.instructions.size(); ++i) {
      const auto& format = subject.spec.formats[subject.program.instructions[i].format];
      if (format.kind != isa::Kind::kLoad || random_() % 4) continue;
      const auto& memory = subject.spec.memories[format.memory];
      const auto decoded = isa::Decode(subject.spec, subject.program.instructions[i]);
      const auto& transfer = std::get<isa::Transfer>(decoded.body);
      Program mutant = subject.program;
      // Half the memory away: into what another thread or layer is using.
      const int64_t moved = (transfer.sram + memory.depth / 2) % memory.depth;
      if (moved + transfer.SramElements() > memory.depth) continue;
      mutant.instructions[i].values[format.FieldIndex("sram")] = moved;
      (Verifies(subject, mutant) ? survived : killed)++;
    }
  }
  // Survivors fall where nothing is in use at that time, as in layers that one virtual thread does best:
  // wrong results, but no race, and results are the golden model's to find.
  RecordProperty("killed", killed);
  RecordProperty("survived", survived);
  EXPECT_GT(2 * killed, survived);
}

TEST_F(VerifierMutation, WaitCyclesAreFound) {
  for (const Subject& subject : subjects_) {
    const auto tokens = TokensOf(subject.spec, subject.program);
    for (size_t q = 0; q < tokens.size(); ++q) {
      if (tokens[q].empty()) continue;
      // The pop moves before everything else its unit does, the push stays: both sides wait if the producer
      // follows the consumer.
      const Token token = tokens[q].back();
      const int unit = subject.spec.queues[q].to;
      size_t first = 0;
      while (subject.spec.formats[subject.program.instructions[first].format].unit != unit) ++first;
      if (first >= token.push || !Follows(subject.spec, subject.program, first, token.push)) continue;
      if (std::any_of(tokens[q].begin(), tokens[q].end(), [&](const Token& t) { return t.pop == first; }))
        continue;
      Program mutant = subject.program;
      // All other tokens of the queue go, so that it is this one the first instruction waits for.
      for (const Token& t : tokens[q]) {
        Flag(subject.spec, mutant.instructions[t.push], static_cast<int>(q), true, 0);
        Flag(subject.spec, mutant.instructions[t.pop], static_cast<int>(q), false, 0);
      }
      Flag(subject.spec, mutant.instructions[token.push], static_cast<int>(q), true, 1);
      Flag(subject.spec, mutant.instructions[first], static_cast<int>(q), false, 1);
      EXPECT_FALSE(Verifies(subject, mutant)) << subject.spec.queues[q].name;
    }
  }
}

}  // namespace
}  // namespace cosim::testing
