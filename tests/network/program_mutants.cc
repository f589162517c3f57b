// SPDX-License-Identifier: Apache-2.0
// Each class is a few lines on the instruction's fields, which are found by their roles' names.
#include "tests/network/program_mutants.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "isa/check.h"
#include "isa/program/codec.h"

namespace cosim::testing {
namespace {

using isa::Instruction;
using isa::InstructionFormat;
using isa::Kind;
using isa::Program;

using Flags = std::vector<std::pair<int, int>>;  // (queue, field)

class Mutator {
 public:
  Mutator(const isa::Spec& spec, Program& program, isa::testing::Random& random)
      : spec_(spec), program_(program), random_(random) {}

  bool Apply(MutationClass what) {
    at_ = Below(program_.instructions.size());
    switch (what) {
      case MutationClass::kDropInstruction:
        return program_.instructions.erase(Here()), true;
      case MutationClass::kDuplicateInstruction: {
        const Instruction copy = *Here();
        return program_.instructions.insert(Here(), copy), true;
      }
      case MutationClass::kSwapInUnit:
        return Swap(NextInUnit());
      case MutationClass::kSwapInProgram:
        return Swap(at_ + 1);
      case MutationClass::kTruncate:
        return at_ > 0 && (program_.instructions.resize(at_), true);
      case MutationClass::kHollow:
        return Hollow();
      case MutationClass::kDropPop:
        return SetFlag(Format().pops, 1, 0);
      case MutationClass::kDropPush:
        return SetFlag(Format().pushes, 1, 0);
      case MutationClass::kDropToken:
        return DropToken();
      case MutationClass::kAddPop:
        return SetFlag(Format().pops, 0, 1);
      case MutationClass::kAddPush:
        return SetFlag(Format().pushes, 0, 1);
      case MutationClass::kMovePopLater:
        return MovePop();
      case MutationClass::kMovePushEarlier:
        return MovePush();
      case MutationClass::kChangeQueue:
        return ChangeQueue(random_.Percent(50) ? Format().pops : Format().pushes);
      case MutationClass::kSramAddress:
        return Shift({"sram"});
      case MutationClass::kDramAddress:
        return Shift({"dram"}, random_.Percent(90) && Format().memory >= 0
                                   ? spec_.memories[Format().memory].stored_bytes
                                   : 1);
      case MutationClass::kTransferStride:
        return Shift({"stride"});
      case MutationClass::kTransferShape:
        return Shift({"rows", "cols"});
      case MutationClass::kPadding:
        return Shift({"pad_top", "pad_bottom", "pad_left", "pad_right"});
      case MutationClass::kIndexBase:
        return Shift(IndexFields({"_base"}));
      case MutationClass::kIndexStride:
        return Shift(IndexFields({"_out", "_in"}));
      case MutationClass::kLoopCount:
        return Shift({"iter_out", "iter_in"});
      case MutationClass::kMicroOpRange:
        return Shift({"uop_begin", "uop_end"});
      case MutationClass::kMicroOpContent:
        return FlipMicroOp();
      case MutationClass::kLockBits:
        return FlipLock();
      case MutationClass::kSumMode:
        return FlipSumMode();
      case MutationClass::kAluOp:
        return ChangeOp();
      case MutationClass::kImmediate:
        return ChangeImmediate();
      case MutationClass::kWrongMemory:
        return ChangeMemory();
    }
    return false;
  }

 private:
  size_t Below(size_t count) {
    return static_cast<size_t>(random_.Uniform(0, static_cast<int64_t>(count) - 1));
  }
  std::vector<Instruction>::iterator Here() {
    return program_.instructions.begin() + static_cast<std::ptrdiff_t>(at_);
  }
  const InstructionFormat& FormatOf(size_t i) const { return spec_.formats[program_.instructions[i].format]; }
  const InstructionFormat& Format() const { return FormatOf(at_); }

  size_t NextInUnit() const {
    size_t next = at_ + 1;
    while (next < program_.instructions.size() && FormatOf(next).unit != Format().unit) ++next;
    return next;
  }

  bool Swap(size_t other) {
    if (other >= program_.instructions.size()) return false;
    std::swap(program_.instructions[at_], program_.instructions[other]);
    return true;
  }

  /// Copies what both formats have by name.
  Instruction As(int format) const {
    Instruction other = isa::BlankInstruction(spec_, format);
    const InstructionFormat& to = spec_.formats[format];
    for (size_t f = 1; f < to.fields.size(); ++f) {
      const int from = Format().FieldIndex(to.fields[f].name);
      const bool fixed =
          std::ranges::any_of(to.match, [&](auto& match) { return match.first == static_cast<int>(f); });
      if (from < 0 || fixed) continue;
      const int64_t value = program_.instructions[at_].values[from];
      other.values[f] = std::clamp(value, to.fields[f].type.Min(), to.fields[f].type.Max());
    }
    return other;
  }

  bool Hollow() {
    if (Format().kind == Kind::kSync) return false;
    for (size_t f = 0; f < spec_.formats.size(); ++f) {
      if (spec_.formats[f].kind != Kind::kSync || spec_.formats[f].unit != Format().unit) continue;
      *Here() = As(static_cast<int>(f));
      return true;
    }
    return false;
  }

  bool SetFlag(const Flags& flags, int64_t from, int64_t to) {
    std::vector<int> fields;
    for (auto [queue, field] : flags) {
      if (Here()->values[field] == from) fields.push_back(field);
    }
    if (fields.empty()) return false;
    Here()->values[fields[Below(fields.size())]] = to;
    return true;
  }

  bool DropToken() {
    const int queue = static_cast<int>(Below(spec_.queues.size()));
    std::vector<int64_t*> pushes, pops;
    for (Instruction& instruction : program_.instructions) {
      const InstructionFormat& format = spec_.formats[instruction.format];
      for (auto [q, field] : format.pushes)
        if (q == queue && instruction.values[field] != 0) pushes.push_back(&instruction.values[field]);
      for (auto [q, field] : format.pops)
        if (q == queue && instruction.values[field] != 0) pops.push_back(&instruction.values[field]);
    }
    if (pushes.empty()) return false;
    const size_t k = Below(pushes.size());
    *pushes[k] = *pops[k] = 0;
    return true;
  }

  /// Takes a flag from one instruction and gives it to another that has not got it.
  bool MoveFlag(size_t from, size_t to, bool pushes) {
    const auto& given = pushes ? FormatOf(from).pushes : FormatOf(from).pops;
    const auto& taken = pushes ? FormatOf(to).pushes : FormatOf(to).pops;
    for (auto [queue, field] : given) {
      if (program_.instructions[from].values[field] == 0) continue;
      for (auto [other, other_field] : taken) {
        if (other != queue || program_.instructions[to].values[other_field] != 0) continue;
        program_.instructions[from].values[field] = 0;
        program_.instructions[to].values[other_field] = 1;
        return true;
      }
    }
    return false;
  }

  bool MovePop() {
    const size_t next = NextInUnit();
    return next < program_.instructions.size() && MoveFlag(at_, next, false);
  }

  bool MovePush() {
    const size_t next = NextInUnit();
    return next < program_.instructions.size() && MoveFlag(next, at_, true);
  }

  bool ChangeQueue(const Flags& flags) {
    const size_t before = Below(std::max<size_t>(flags.size(), 1));
    if (flags.size() < 2 || Here()->values[flags[before].second] == 0) return false;
    return Here()->values[flags[before].second] = 0, SetFlag(flags, 0, 1);
  }

  std::vector<std::string> IndexFields(std::initializer_list<const char*> roles) const {
    std::vector<std::string> names;
    for (const isa::IndexFields& index : Format().indices) {
      for (const char* role : roles) names.push_back(index.index + role);
    }
    return names;
  }

  /// Another value for one of the fields: near, twice or half as much, an end of its range, or any.
  bool Shift(const std::vector<std::string>& names, int64_t unit = 1) {
    std::vector<int> fields;
    for (const std::string& name : names) {
      if (const int field = Format().FieldIndex(name); field >= 0) fields.push_back(field);
    }
    return !fields.empty() && ChangeField(fields[Below(fields.size())], unit);
  }

  bool ChangeField(int field, int64_t unit) {
    const isa::ScalarType type = Format().fields[field].type;
    int64_t& value = Here()->values[field];
    const std::array<int64_t, 9> others = {value + unit,
                                           value - unit,
                                           value + unit * random_.Uniform(2, 64),
                                           value - unit * random_.Uniform(2, 64),
                                           value * 2,
                                           value / 2,
                                           type.Min(),
                                           type.Max(),
                                           random_.Uniform(type.Min(), type.Max())};
    // Ends of the range are mostly out of bounds, which is soon seen.
    const int64_t other = others[Below(random_.Percent(80) ? 6 : others.size())];
    if (other == value || other < type.Min() || other > type.Max()) return false;
    value = other;
    return true;
  }

  bool FlipMicroOp() {
    std::vector<isa::Segment*> segments;
    for (isa::Segment& segment : program_.segments) {
      if (segment.kind == isa::Segment::Kind::kMicroOps && !segment.bytes.empty())
        segments.push_back(&segment);
    }
    if (segments.empty()) return false;
    std::vector<uint8_t>& bytes = segments[Below(segments.size())]->bytes;
    bytes[Below(bytes.size())] ^= static_cast<uint8_t>(1 << random_.Uniform(0, 7));
    return true;
  }

  bool FlipLock() {
    if (Format().locks.empty()) return false;
    const auto [memory, field] = Format().locks[Below(Format().locks.size())];
    Here()->values[field] ^= int64_t{1} << random_.Uniform(0, spec_.memories[memory].LockBits() - 1);
    return true;
  }

  bool FlipSumMode() {
    std::vector<int> fields;
    for (const char* name : {"overwrite", "reset"}) {
      if (const int field = Format().FieldIndex(name); Format().kind == Kind::kGemm && field >= 0)
        fields.push_back(field);
    }
    if (fields.empty()) return false;
    Here()->values[fields[Below(fields.size())]] ^= 1;
    return true;
  }

  bool ChangeOp() {
    const int field = Format().kind == Kind::kAlu ? Format().FieldIndex("op") : -1;
    return field >= 0 && ChangeField(field, 1);
  }

  /// What is no index, loop, lock or flag of an alu is an immediate; of a load, what pads hold.
  bool ChangeImmediate() {
    if (Format().kind != Kind::kAlu) return Shift({"pad_value"});
    std::vector<std::string> roles = IndexFields({"_base", "_out", "_in"}), names;
    roles.insert(roles.end(), {"op", "uop_begin", "uop_end", "iter_out", "iter_in"});
    const size_t own = 1 + Format().pops.size() + Format().pushes.size();
    for (size_t f = own; f < Format().fields.size(); ++f) {
      const std::string& name = Format().fields[f].name;
      if (!name.starts_with("lock_") && std::ranges::find(roles, name) == roles.end()) names.push_back(name);
    }
    return Shift(names);
  }

  bool ChangeMemory() {
    if (Format().kind != Kind::kLoad) return false;
    std::vector<int> others;
    for (size_t f = 0; f < spec_.formats.size(); ++f) {
      const InstructionFormat& other = spec_.formats[f];
      if (other.kind == Kind::kLoad && other.unit == Format().unit && other.memory != Format().memory)
        others.push_back(static_cast<int>(f));
    }
    if (others.empty()) return false;
    *Here() = As(others[Below(others.size())]);
    return true;
  }

  const isa::Spec& spec_;
  Program& program_;
  isa::testing::Random& random_;
  size_t at_ = 0;
};

}  // namespace

std::string_view Name(MutationClass what) {
  constexpr std::array<std::string_view, kMutationClasses> kNames = {"drop instruction",
                                                                     "duplicate instruction",
                                                                     "swap in unit",
                                                                     "swap in program",
                                                                     "truncate program",
                                                                     "hollow out",
                                                                     "drop pop",
                                                                     "drop push",
                                                                     "drop token",
                                                                     "add pop",
                                                                     "add push",
                                                                     "move pop later",
                                                                     "move push earlier",
                                                                     "change queue",
                                                                     "on-chip address",
                                                                     "DRAM address",
                                                                     "transfer stride",
                                                                     "transfer shape",
                                                                     "padding",
                                                                     "index base",
                                                                     "index stride",
                                                                     "loop count",
                                                                     "micro-op range",
                                                                     "micro-op content",
                                                                     "lock bits",
                                                                     "sum mode",
                                                                     "ALU op",
                                                                     "immediate",
                                                                     "wrong memory"};
  return kNames[static_cast<size_t>(what)];
}

std::optional<Program> Mutate(const isa::Spec& spec, Program program, MutationClass what,
                              isa::testing::Random& random) {
  COSIM_CHECK(!program.instructions.empty());
  std::erase_if(program.segments,
                [](const isa::Segment& s) { return s.kind == isa::Segment::Kind::kInstructions; });
  if (!Mutator(spec, program, random).Apply(what)) return std::nullopt;
  return program;
}

}  // namespace cosim::testing
