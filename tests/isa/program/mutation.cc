// SPDX-License-Identifier: Apache-2.0
// Faults, and the reference's verdict on them.
#include "tests/isa/program/mutation.h"

#include <algorithm>

#include "isa/check.h"
#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "tests/isa/program/reference.h"

namespace cosim::isa::testing {

std::string_view MutationName(Mutation mutation) {
  constexpr std::string_view kNames[kMutations] = {"drop token",     "flip pop", "flip push", "move token",
                                                   "backward token", "swap",     "move dram", "move sram",
                                                   "move index",     "widen",    "unlock"};
  return kNames[static_cast<int>(mutation)];
}

std::string_view VerdictName(Verdict verdict) {
  constexpr std::string_view kNames[kVerdicts] = {
      "deadlock", "tokens left", "out of bounds", "bank not named", "read too soon", "race", "clean"};
  return kNames[static_cast<int>(verdict)];
}

std::optional<Program> Mutator::Mutate(Program program, Mutation mutation) {
  std::erase_if(program.segments, [](const Segment& s) { return s.kind == Segment::Kind::kInstructions; });
  COSIM_CHECK(program.instructions.size() >= 2);
  const int64_t last = static_cast<int64_t>(program.instructions.size()) - 2;
  if (!Apply(program, static_cast<size_t>(random_.Uniform(0, last)), mutation)) return std::nullopt;
  return program;
}

bool Mutator::Apply(Program& program, size_t at, Mutation mutation) {
  Instruction& chosen = program.instructions[at];
  const InstructionFormat& format = spec_.formats[chosen.format];
  switch (mutation) {
    case Mutation::kDropToken:
      return DropToken(program);
    case Mutation::kFlipPop:
      return Flip(chosen, format.pops);
    case Mutation::kFlipPush:
      return Flip(chosen, format.pushes);
    case Mutation::kMoveToken:
      return MoveToken(program, at);
    case Mutation::kBackwardToken:
      return AddBackwardToken(program, at);
    case Mutation::kSwap:
      return Swap(program, at);
    case Mutation::kMoveDram:
      return format.memory >= 0 && Shift(chosen, "dram", spec_.memories[format.memory].stored_bytes);
    case Mutation::kMoveSram:
      return Shift(chosen, "sram", 1);
    case Mutation::kMoveIndex:
      return Shift(chosen, "dst_base", 1) || Shift(chosen, "dst_in", 1);
    case Mutation::kWiden:
      return Shift(chosen, "cols", 1) && (!format.Gathers() || FitRow(chosen));
    case Mutation::kUnlock:
      return Unlock(chosen);
  }
  return false;
}

bool Mutator::LoadsMicroOps(const Instruction& instruction) const {
  const InstructionFormat& format = spec_.formats[instruction.format];
  return format.kind == Kind::kLoad && spec_.memories[format.memory].is_micro_ops;
}

std::vector<Mutator::Use> Mutator::Users(const Program& program, int queue, bool pushes) const {
  std::vector<Use> users;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionFormat& format = spec_.formats[program.instructions[i].format];
    for (auto [q, field] : pushes ? format.pushes : format.pops) {
      if (q == queue && program.instructions[i].values[field] != 0) users.push_back({i, field});
    }
  }
  return users;
}

bool Mutator::DropToken(Program& program) {
  const int queue = static_cast<int>(random_.Uniform(0, static_cast<int64_t>(spec_.queues.size()) - 1));
  const std::vector<Use> pushes = Users(program, queue, true), pops = Users(program, queue, false);
  if (pushes.empty()) return false;
  const size_t k = static_cast<size_t>(random_.Uniform(0, static_cast<int64_t>(pushes.size()) - 1));
  for (const Use& use : {pushes[k], pops[k]}) program.instructions[use.instruction].values[use.field] = 0;
  return true;
}

bool Mutator::Flip(Instruction& chosen, const std::vector<std::pair<int, int>>& flags) {
  if (flags.empty()) return false;
  chosen.values[flags[random_.Uniform(0, static_cast<int64_t>(flags.size()) - 1)].second] ^= 1;
  return true;
}

bool Mutator::MoveToken(Program& program, size_t at) {
  Instruction& chosen = program.instructions[at];
  Instruction& other =
      program.instructions[random_.Uniform(0, static_cast<int64_t>(program.instructions.size()) - 1)];
  for (auto [queue, field] : spec_.formats[chosen.format].pushes) {
    if (chosen.values[field] == 0) continue;
    for (auto [other_queue, other_field] : spec_.formats[other.format].pushes) {
      if (other_queue != queue || other.values[other_field] != 0) continue;
      other.values[other_field] = 1;
      chosen.values[field] = 0;
      return true;
    }
  }
  return false;
}

bool Mutator::AddBackwardToken(Program& program, size_t at) {
  const int64_t first = static_cast<int64_t>(at) + 1, end = static_cast<int64_t>(program.instructions.size());
  Instruction& waiting = program.instructions[at];
  Instruction& giving = program.instructions[random_.Uniform(first, std::min(first + 8, end) - 1)];
  for (auto [queue, pop] : spec_.formats[waiting.format].pops) {
    for (auto [other_queue, push] : spec_.formats[giving.format].pushes) {
      if (queue != other_queue || waiting.values[pop] != 0 || giving.values[push] != 0) continue;
      waiting.values[pop] = giving.values[push] = 1;
      return true;
    }
  }
  return false;
}

bool Mutator::Swap(Program& program, size_t at) {
  Instruction &first = program.instructions[at], &second = program.instructions[at + 1];
  if (LoadsMicroOps(first) || LoadsMicroOps(second)) return false;
  std::swap(first, second);
  return true;
}

/// Adds 1 to 6 units to a field, rarely a hundred times that, if it is there and still fits.
bool Mutator::Shift(Instruction& chosen, const char* name, int64_t unit) {
  const InstructionFormat& format = spec_.formats[chosen.format];
  const int field = format.FieldIndex(name);
  if (field < 0 || LoadsMicroOps(chosen)) return false;
  const int64_t value = chosen.values[field] + unit * random_.Uniform(1, 6) * (random_.Percent(20) ? 100 : 1);
  if (value > format.fields[field].type.Max()) return false;
  chosen.values[field] = value;
  return true;
}

bool Mutator::FitRow(Instruction& chosen) {
  const InstructionFormat& format = spec_.formats[chosen.format];
  const auto value = [&](const char* name) { return chosen.values[format.FieldIndex(name)]; };
  const int64_t bytes = (value("cols") - 1) * value("piece_step") + value("piece_bytes");
  const int field = format.FieldIndex("row_bytes");
  if (bytes > format.fields[field].type.Max()) return false;
  chosen.values[field] = bytes;
  return true;
}

bool Mutator::Unlock(Instruction& chosen) {
  const auto& locks = spec_.formats[chosen.format].locks;
  if (locks.empty()) return false;
  auto [memory, field] = locks[random_.Uniform(0, static_cast<int64_t>(locks.size()) - 1)];
  const int64_t without = chosen.values[field] & (chosen.values[field] - 1);
  if (without == chosen.values[field]) return false;
  chosen.values[field] = without;
  return true;
}

Verdict Judge(const Spec& spec, const Program& program) {
  if (Deadlocks(spec, program)) return Verdict::kDeadlock;
  if (LeavesTokens(spec, program)) return Verdict::kTokensLeft;
  if (!InBounds(spec, program)) return Verdict::kOutOfBounds;
  MicroOpMemories micro_ops(spec, program);
  bool named = true, too_soon = false;
  for (const Instruction& instruction : program.instructions) {
    const Decoded decoded = Decode(spec, instruction);
    named &= NamesItsBanks(spec, decoded, micro_ops);
    too_soon |= ReadsTooSoon(spec, decoded, micro_ops);
    micro_ops.Execute(decoded);
  }
  if (!named) return Verdict::kBankNotNamed;
  if (too_soon) return Verdict::kReadTooSoon;
  return Races(spec, program).empty() ? Verdict::kClean : Verdict::kRace;
}

}  // namespace cosim::isa::testing
