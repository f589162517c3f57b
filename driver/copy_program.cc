// SPDX-License-Identifier: Apache-2.0
#include "driver/copy_program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "driver/copy_path.h"
#include "isa/program/codec.h"
#include "isa/program/microops.h"
#include "isa/verify/verify.h"

namespace cosim::driver {
namespace {

constexpr int64_t kMostElements = 1024;
constexpr uint64_t kPage = 4096;

uint64_t PageFrom(uint64_t address) { return (address + kPage - 1) / kPage * kPage; }

int64_t Wrap(int64_t value, isa::ScalarType type) {
  const int unused = 64 - type.width;
  const uint64_t bits = static_cast<uint64_t>(value) << unused;
  return type.is_signed ? static_cast<int64_t>(bits) >> unused : static_cast<int64_t>(bits >> unused);
}

/// SplitMix64 of a position: every byte of a pattern says where it belongs.
uint64_t Mix(uint64_t seed, uint64_t position) {
  uint64_t z = seed * 0x9E3779B97F4A7C15 + position + 1;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

class CopyWriter {
 public:
  CopyWriter(const isa::Spec& spec, const CopyPath& path, int64_t elements) : spec_(spec), path_(path) {
    counts_.assign(path.steps.size() + 1, elements);
    for (size_t i = path.steps.size(); i-- > 0;)
      counts_[i] = counts_[i + 1] * spec.alu_ops[path.steps[i].op].operands[0].parts;
  }

  /// Nothing when so many elements do not fit somewhere.
  std::optional<CopyProgram> Write(uint64_t seed) {
    MakePattern(seed);
    LayOut();
    int last = Add(Transfer(path_.load, copy_.from, counts_.front()), {});
    for (size_t i = 0; i < path_.steps.size(); ++i) {
      const int micro_ops = LoadMicroOps(path_.steps[i]);
      last = Add(Apply(path_.steps[i], counts_[i + 1]), {last, micro_ops});
    }
    Add(Transfer(path_.store, copy_.to, counts_.back()), {last});
    if (!fits_ || !GiveTokens()) return std::nullopt;
    std::vector<isa::CodecError> errors;
    const auto words = isa::EncodeProgram(spec_, copy_.program, errors);
    if (!words) return std::nullopt;
    copy_.program.segments.push_back(*words);
    copy_.way = PathText(spec_, path_);
    if (!isa::Verify(spec_, copy_.program).ok()) return std::nullopt;
    return copy_;
  }

 private:
  const isa::Memory& LoadedMemory() const { return spec_.memories[spec_.formats[path_.load].memory]; }
  const isa::Memory& StoredMemory() const { return spec_.memories[spec_.formats[path_.store].memory]; }

  void MakePattern(uint64_t seed) {
    const isa::Memory& loaded = LoadedMemory();
    const isa::Memory& stored = StoredMemory();
    std::vector<int64_t> values(static_cast<size_t>(counts_.front() * isa::ValuesPerElement(loaded)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = Wrap(static_cast<int64_t>(Mix(seed, i) >> 8), path_.values);
    copy_.pattern.resize(static_cast<size_t>(counts_.front() * loaded.stored_bytes));
    isa::PackElements(loaded, values, copy_.pattern);
    for (size_t i = 0; i < path_.steps.size(); ++i) values = HandedOn(path_.steps[i], values, counts_[i + 1]);
    for (int64_t& value : values) value = Wrap(value, stored.fields[0].type);
    copy_.expected.resize(static_cast<size_t>(counts_.back() * stored.stored_bytes));
    isa::PackElements(stored, values, copy_.expected);
  }

  /// Parts of an operand stand side by side in each row of the result; missing dimensions are repeated.
  std::vector<int64_t> HandedOn(const CopyStep& step, const std::vector<int64_t>& from, int64_t elements) {
    const isa::AluOp& op = spec_.alu_ops[step.op];
    const isa::Memory& memory = spec_.memories[op.operands[0].memory];
    const int64_t lanes = isa::ValuesPerElement(memory), parts = op.operands[0].parts,
                  row_lanes = memory.lanes.empty() ? 1 : memory.lanes.back(),
                  result_lanes = isa::ValuesPerElement(spec_.memories[op.result.memory]);
    std::vector<int64_t> to;
    for (int64_t element = 0; element < elements; ++element)
      for (int64_t done = 0; done < result_lanes; done += lanes * parts)
        for (int64_t row = 0; row < lanes; row += row_lanes)
          for (int64_t part = 0; part < parts; ++part)
            for (int64_t lane = 0; lane < row_lanes; ++lane)
              to.push_back(from[static_cast<size_t>((element * parts + part) * lanes + row + lane)]);
    return to;
  }

  /// Code, a page of micro-ops, the pattern, and where it goes.
  void LayOut() {
    const uint64_t instructions = 2 * path_.steps.size() + 2;
    copy_.program.fingerprint = spec_.fingerprint;
    micro_ops_ = PageFrom(instructions * static_cast<uint64_t>(spec_.word_bytes()));
    copy_.from = micro_ops_ + kPage;
    copy_.to = PageFrom(copy_.from + copy_.pattern.size() + kCopyGuard);
    copy_.program.dram_bytes = PageFrom(copy_.to + copy_.expected.size() + kCopyGuard);
  }

  int Add(isa::Instruction instruction, std::vector<int> after) {
    copy_.program.instructions.push_back(std::move(instruction));
    after_.push_back(std::move(after));
    return static_cast<int>(after_.size()) - 1;
  }

  const isa::InstructionFormat& FormatOf(const isa::Instruction& instruction) const {
    return spec_.formats[instruction.format];
  }
  void Set(isa::Instruction& instruction, int field, int64_t value) {
    if (field >= 0) instruction.values[field] = value;
  }
  void Set(isa::Instruction& instruction, std::string_view field, int64_t value) {
    Set(instruction, FormatOf(instruction).FieldIndex(field), value);
  }
  int64_t Most(const isa::Instruction& instruction, std::string_view field) const {
    const int number = FormatOf(instruction).FieldIndex(field);
    return number < 0 ? 0 : FormatOf(instruction).fields[number].type.Max();
  }
  /// `count` halved until it is at most `most`.
  int64_t Halved(int64_t count, int64_t most) {
    while (count > most && count % 2 == 0) count /= 2;
    fits_ &= count <= most;
    return count;
  }

  isa::Instruction Transfer(int format, uint64_t address, int64_t elements) {
    isa::Instruction transfer = isa::BlankInstruction(spec_, format);
    const int64_t cols = Halved(elements, std::min(Most(transfer, "cols"), Most(transfer, "stride")));
    Set(transfer, "dram", static_cast<int64_t>(address));
    Set(transfer, "rows", elements / cols);
    Set(transfer, "cols", cols);
    Set(transfer, "stride", cols);
    LockAll(transfer);
    return transfer;
  }

  /// Every bank that the instruction could touch.
  void LockAll(isa::Instruction& instruction) {
    for (const auto& [memory, field] : FormatOf(instruction).locks)
      Set(instruction, field, (int64_t{1} << spec_.memories[memory].LockBits()) - 1);
  }

  isa::Instruction Apply(const CopyStep& step, int64_t elements) {
    const isa::AluOp& op = spec_.alu_ops[step.op];
    isa::Instruction alu = isa::BlankInstruction(spec_, op.format);
    const int64_t inner = Halved(elements, Most(alu, "iter_in")), outer = elements / inner;
    Set(alu, "op", op.code);
    Set(alu, "uop_end", 1);
    Set(alu, "iter_out", outer);
    Set(alu, "iter_in", inner);
    for (const auto& [field, value] : step.immediates) Set(alu, field, value);
    for (const isa::IndexFields& index : FormatOf(alu).indices) {
      const bool is_operand = index.index == op.operands[0].index;
      if (!is_operand && index.index != op.result.index) continue;
      const int64_t stride = is_operand ? op.operands[0].parts : 1;
      Set(alu, index.inner, stride);
      Set(alu, index.outer, outer > 1 ? inner * stride : 0);
    }
    LockAll(alu);
    return alu;
  }

  /// The load of one micro-op, all zero, for that step; the same for all steps that take theirs from there.
  int LoadMicroOps(const CopyStep& step) {
    const int memory = spec_.formats[spec_.alu_ops[step.op].format].micro_ops;
    const auto [load, is_new] = micro_op_loads_.try_emplace(memory, -1);
    for (size_t f = 0; is_new && f < spec_.formats.size(); ++f) {
      if (spec_.formats[f].kind != isa::Kind::kLoad || spec_.formats[f].memory != memory) continue;
      const auto bytes = static_cast<size_t>(spec_.memories[memory].stored_bytes);
      copy_.program.segments.push_back(
          {isa::Segment::Kind::kMicroOps, "micro-ops", micro_ops_, std::vector<uint8_t>(bytes)});
      load->second = Add(Transfer(static_cast<int>(f), micro_ops_, 1), {});
      micro_ops_ += kPage / 16;
      break;
    }
    fits_ &= load->second >= 0;
    return load->second;
  }

  /// An instruction waits for those it comes after, where nothing that it waited for before came later.
  bool GiveTokens() {
    std::vector<isa::Instruction>& instructions = copy_.program.instructions;
    std::map<std::pair<int, int>, int> waited;  // (unit that waits, unit waited for): last instruction
    for (size_t i = 0; i < instructions.size(); ++i) {
      const int unit = FormatOf(instructions[i]).unit;
      std::ranges::sort(after_[i], std::greater<>());
      for (const int before : after_[i]) {
        const int from = FormatOf(instructions[before]).unit;
        const auto [last, is_first] = waited.try_emplace({unit, from}, -1);
        if (from == unit || last->second >= before) continue;
        last->second = before;
        if (!GiveToken(instructions[before], instructions[i], from, unit)) return false;
      }
    }
    return true;
  }

  bool GiveToken(isa::Instruction& giver, isa::Instruction& taker, int from, int to) {
    for (size_t q = 0; q < spec_.queues.size(); ++q) {
      if (spec_.queues[q].from != from || spec_.queues[q].to != to) continue;
      for (const auto& [queue, field] : FormatOf(giver).pushes)
        if (queue == static_cast<int>(q)) Set(giver, field, 1);
      for (const auto& [queue, field] : FormatOf(taker).pops)
        if (queue == static_cast<int>(q)) Set(taker, field, 1);
      return true;
    }
    return false;
  }

  const isa::Spec& spec_;
  const CopyPath& path_;
  std::vector<int64_t> counts_;  ///< elements before each step, and behind the last
  CopyProgram copy_;
  std::vector<std::vector<int>> after_;  ///< by instruction: others that have to be done
  std::map<int, int> micro_op_loads_;    ///< by memory
  uint64_t micro_ops_ = 0;               ///< address of the next one
  bool fits_ = true;
};

}  // namespace

std::optional<CopyProgram> MakeCopyProgram(const isa::Spec& spec, uint64_t seed) {
  const auto path = FindCopyPath(spec);
  for (int64_t elements = kMostElements; path && elements > 0; elements /= 2)
    if (auto copy = CopyWriter(spec, *path, elements).Write(seed)) return copy;
  return std::nullopt;
}

}  // namespace cosim::driver
