// SPDX-License-Identifier: Apache-2.0
// Delta debugging: ever smaller pieces are taken out, and stay out when the program still fails without them.
#include "tests/isa/program/shrink.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "isa/check.h"
#include "isa/program/codec.h"
#include "isa/verify/verify.h"
#include "tests/isa/program/random_program.h"

namespace cosim::isa::testing {
namespace {

/// A token: who gives it and who takes it, by position and field.
struct Token {
  size_t giver = 0, taker = 0;
  int push_field = -1, pop_field = -1;
};

/// The k-th push of a queue meets its k-th pop.
std::vector<Token> TokensOf(const Spec& spec, const Program& program) {
  std::vector<Token> tokens;
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    std::vector<std::pair<size_t, int>> pushes, pops;
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction& instruction = program.instructions[i];
      const InstructionFormat& format = spec.formats[instruction.format];
      for (auto [queue, field] : format.pushes)
        if (queue == static_cast<int>(q) && instruction.values[field] != 0) pushes.emplace_back(i, field);
      for (auto [queue, field] : format.pops)
        if (queue == static_cast<int>(q) && instruction.values[field] != 0) pops.emplace_back(i, field);
    }
    for (size_t k = 0; k < std::min(pushes.size(), pops.size()); ++k)
      tokens.push_back({pushes[k].first, pops[k].first, pushes[k].second, pops[k].second});
  }
  return tokens;
}

void Drop(Program& program, const Token& token) {
  program.instructions[token.giver].values[token.push_field] = 0;
  program.instructions[token.taker].values[token.pop_field] = 0;
}

class Shrinker {
 public:
  Shrinker(const Spec& spec, Program program, const Fails& fails, int runs)
      : spec_(spec), best_(std::move(program)), fails_(fails), runs_(runs) {}

  Program Run() {
    size_t before = 0;
    do {
      before = best_.instructions.size();
      DropInstructions();
      DropTokens();
    } while (best_.instructions.size() < before && runs_ > 0);
    SimplifyValues();
    SimplifyData();
    return std::move(best_);
  }

 private:
  /// Takes the candidate if it is legal and fails.
  bool Try(Program candidate) {
    if (runs_ <= 0 || !Verify(spec_, candidate, OnWrittenMemories(1)).ok()) return false;
    --runs_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  /// From the end on, since what comes later depends on what comes earlier.
  void DropInstructions() {
    for (size_t piece = best_.instructions.size(); piece > 0; piece /= 2) {
      for (size_t begin = best_.instructions.size(); begin > 0;) {
        std::vector<bool> keep(best_.instructions.size(), true);
        const size_t end = std::min(begin, best_.instructions.size());
        begin = end > piece ? end - piece : 0;
        for (size_t i = begin; i < end; ++i) keep[i] = false;
        Try(Without(spec_, best_, keep));
      }
    }
  }

  void DropTokens() {
    for (size_t k = TokensOf(spec_, best_).size(); k-- > 0;) {
      Program candidate = best_;
      Drop(candidate, TokensOf(spec_, candidate)[k]);
      Reencode(spec_, candidate);
      Try(std::move(candidate));
    }
  }

  /// To 0, to 1, to half of what it was.
  void SimplifyValues() {
    for (size_t i = 0; i < best_.instructions.size(); ++i) {
      const InstructionFormat& format = spec_.formats[best_.instructions[i].format];
      for (size_t f = 1 + format.pops.size() + format.pushes.size(); f < format.fields.size(); ++f) {
        while (SimplifyValue(i, static_cast<int>(f))) {
        }
      }
    }
  }

  bool SimplifyValue(size_t instruction, int field) {
    const int64_t value = best_.instructions[instruction].values[field];
    for (int64_t simpler : {int64_t{0}, int64_t{1}, value / 2, value - 1}) {
      if (std::abs(simpler) >= std::abs(value)) continue;
      Program candidate = best_;
      candidate.instructions[instruction].values[field] = simpler;
      Reencode(spec_, candidate);
      if (Try(std::move(candidate))) return true;
    }
    return false;
  }

  /// Data from memory are 0 where no segment gives them.
  void SimplifyData() {
    for (size_t s = 0; s < best_.segments.size(); ++s) {
      if (best_.segments[s].kind == Segment::Kind::kInstructions) continue;
      for (size_t cut = best_.segments[s].bytes.size(); cut > 0; cut /= 2) {
        while (best_.segments[s].bytes.size() >= cut) {
          Program candidate = best_;
          candidate.segments[s].bytes.resize(candidate.segments[s].bytes.size() - cut);
          if (!Try(std::move(candidate))) break;
        }
      }
    }
  }

  const Spec& spec_;
  Program best_;
  const Fails& fails_;
  int runs_;
};

}  // namespace

Program Without(const Spec& spec, const Program& program, const std::vector<bool>& keep) {
  Program without = program;
  for (const Token& token : TokensOf(spec, program)) {
    if (!keep[token.giver] || !keep[token.taker]) Drop(without, token);
  }
  size_t kept = 0;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) std::swap(without.instructions[kept++], without.instructions[i]);
  }
  without.instructions.resize(kept);
  Reencode(spec, without);
  return without;
}

void Reencode(const Spec& spec, Program& program) {
  std::erase_if(program.segments,
                [](const Segment& segment) { return segment.kind == Segment::Kind::kInstructions; });
  std::vector<CodecError> errors;
  std::optional<Segment> code = EncodeProgram(spec, program, errors);
  COSIM_CHECK(code.has_value(), "{}", errors.empty() ? "" : errors.front().message);
  program.segments.push_back(std::move(*code));
}

Program Shrink(const Spec& spec, Program program, const Fails& fails, const ShrinkOptions& options) {
  return Shrinker(spec, std::move(program), fails, options.max_runs).Run();
}

}  // namespace cosim::isa::testing
