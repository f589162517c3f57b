// SPDX-License-Identifier: Apache-2.0
// Random programs: instruction by instruction, first the fields, then what it must follow because both touch
// one thing.
#include "tests/isa/program/random_program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "isa/check.h"
#include "isa/program/codec.h"
#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/verify/footprint.h"
#include "tests/isa/program/orderer.h"
#include "tests/isa/program/random_gather.h"
#include "tests/isa/program/reference.h"

namespace cosim::isa::testing {
namespace {

constexpr uint64_t kPage = 4096;
constexpr int kAttempts = 40;

int64_t RoundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

class Generator {
 public:
  Generator(const Spec& spec, const RandomProgramOptions& options)
      : spec_(spec), options_(options), random_(options.seed), decoder_(spec) {
    MakeSegments();
    micro_ops_.emplace(spec_, program_);
    orderer_.emplace(spec_, program_);
  }

  Program Make() {
    std::vector<int> formats, syncs;
    for (size_t f = 0; f < spec_.formats.size(); ++f) {
      (spec_.formats[f].kind == Kind::kSync ? syncs : formats).push_back(static_cast<int>(f));
    }
    for (int made = 0; made < options_.instructions; ++made) {
      const bool sync = !syncs.empty() && random_.Percent(options_.sync);
      AddOne(Pick(sync ? syncs : formats));
    }
    return Finish();
  }

 private:
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[random_.Uniform(0, static_cast<int64_t>(from.size()) - 1)];
  }

  std::vector<uint8_t> RandomMicroOps(const Memory& memory) {
    const int64_t count = std::min<int64_t>(memory.depth * 2, 256);
    std::vector<int64_t> values;
    std::vector<int64_t> centre(memory.fields.size(), 0);
    for (int64_t u = 0; u < count; ++u) {
      for (size_t f = 0; f < memory.fields.size(); ++f) {
        const int64_t top = memory.fields[f].type.Max();
        if (random_.Percent(15)) centre[f] = random_.Percent(50) ? 0 : random_.Uniform(0, top);
        values.push_back(std::min(top, centre[f] + random_.Uniform(0, 5)));
      }
    }
    std::vector<uint8_t> bytes(count * memory.stored_bytes);
    PackElements(memory, values, bytes);
    return bytes;
  }

  void MakeSegments() {
    uint64_t address = kPage;
    auto add = [&](Segment::Kind kind, std::string name, std::vector<uint8_t> bytes) {
      program_.segments.push_back({kind, std::move(name), address, std::move(bytes)});
      address = RoundUp(address + program_.segments.back().bytes.size(), kPage);
    };
    program_.fingerprint = spec_.fingerprint;
    for (const Memory& memory : spec_.memories) {
      if (memory.is_micro_ops) add(Segment::Kind::kMicroOps, memory.name, RandomMicroOps(memory));
    }
    data_begin_ = static_cast<int64_t>(address);
    std::vector<uint8_t> constants(options_.data_bytes);
    for (uint8_t& byte : constants) byte = static_cast<uint8_t>(random_.Next());
    add(Segment::Kind::kConstants, "constants", std::move(constants));
    stored_begin_ = static_cast<int64_t>(address);
    data_end_ = stored_begin_ + RoundUp(options_.data_bytes, kPage);
    program_.dram_bytes = data_end_;
  }

  Program Finish() {
    program_.code_address = static_cast<uint64_t>(data_end_);
    program_.dram_bytes = data_end_ + RoundUp(program_.instructions.size() * spec_.word_bytes(), kPage);
    std::vector<CodecError> errors;
    std::optional<Segment> code = EncodeProgram(spec_, program_, errors);
    COSIM_CHECK(code.has_value(), "{}", errors.empty() ? "" : errors.front().message);
    program_.segments.push_back(std::move(*code));
    return std::move(program_);
  }

  void Set(Instruction& instruction, std::string_view name, int64_t value) {
    const int field = spec_.formats[instruction.format].FieldIndex(name);
    if (field >= 0) instruction.values[field] = value;
  }
  int64_t FieldMax(int format, std::string_view name) const {
    const int field = spec_.formats[format].FieldIndex(name);
    return field < 0 ? 0 : spec_.formats[format].fields[field].type.Max();
  }

  /// Values for everything that has no role to keep: immediates, flags.
  void FillFreely(Instruction& instruction) {
    const InstructionFormat& format = spec_.formats[instruction.format];
    const size_t own = 1 + format.pops.size() + format.pushes.size();
    for (size_t f = own; f < format.fields.size(); ++f) {
      const bool fixed =
          std::ranges::any_of(format.match, [&](auto& match) { return match.first == static_cast<int>(f); });
      if (fixed) continue;
      const ScalarType type = format.fields[f].type;
      const int64_t low = type.Min(), high = type.Max();
      const bool small = random_.Percent(50);
      instruction.values[f] = random_.Uniform(small ? std::max<int64_t>(low, -8) : low,
                                              small ? std::min<int64_t>(high, 8) : high);
    }
    Set(instruction, "reset", random_.Percent(10));
    for (auto [memory, field] : format.locks) instruction.values[field] = 0;
  }

  std::optional<Instruction> MakeTransfer(int f) {
    const InstructionFormat& format = spec_.formats[f];
    const Memory& memory = spec_.memories[format.memory];
    const int64_t depth = spec_.memories[Storage(spec_, format.memory)].depth;
    if (format.Gathers()) return MakeGather(f);
    Instruction instruction = BlankInstruction(spec_, f);
    FillFreely(instruction);
    for (const char* pad : {"pad_top", "pad_bottom", "pad_left", "pad_right"}) {
      Set(instruction, pad,
          random_.Percent(25) ? random_.Uniform(0, std::min(options_.max_pad, FieldMax(f, pad))) : 0);
    }
    const int64_t rows = random_.Uniform(1, std::min(options_.max_rows, FieldMax(f, "rows")));
    const int64_t most_cols = FieldMax(f, "cols"), most_stride = FieldMax(f, "stride");
    int64_t cols = random_.Uniform(1, std::min(options_.max_cols, most_cols));
    int64_t stride = std::min(cols + random_.Uniform(-2, 6), most_stride);
    if (memory.is_micro_ops) cols = stride = std::min({cols * 4, most_cols, most_stride});
    Set(instruction, "rows", rows);
    Set(instruction, "cols", cols);
    Set(instruction, "stride", std::max<int64_t>(0, stride));
    Set(instruction, "sram", 0);
    const Decoded shape = decoder_(instruction);
    const auto& transfer = std::get<Transfer>(shape.body);
    const int64_t elements = transfer.is_store ? transfer.rows * transfer.cols : transfer.SramElements();
    if (elements > depth) return std::nullopt;
    Set(instruction, "sram", random_.Uniform(0, depth - elements));
    const int64_t bytes = ((transfer.rows - 1) * transfer.stride + transfer.cols) * memory.stored_bytes;
    int64_t begin = transfer.is_store ? stored_begin_ : data_begin_, end = data_end_;
    if (memory.is_micro_ops) {
      const auto segment = std::ranges::find(program_.segments, memory.name, &Segment::name);
      begin = static_cast<int64_t>(segment->address);
      end = begin + static_cast<int64_t>(segment->bytes.size());
    }
    const int64_t first = RoundUp(begin, memory.stored_bytes) / memory.stored_bytes;
    const int64_t last = (end - bytes) / memory.stored_bytes;
    if (last < first) return std::nullopt;
    Set(instruction, "dram", random_.Uniform(first, last) * memory.stored_bytes);
    return instruction;
  }

  /// Half of them at the end of a page.
  std::optional<Instruction> MakeGather(int f) {
    Instruction instruction = BlankInstruction(spec_, f);
    FillFreely(instruction);
    Set(instruction, "sram", 0);
    DrawGather(spec_, options_, random_, instruction);
    const Decoded shape = decoder_(instruction);
    const auto& transfer = std::get<Transfer>(shape.body);
    const int64_t depth = spec_.memories[transfer.memory].depth;
    const int64_t bytes = (transfer.rows - 1) * transfer.stride + transfer.row_bytes;
    if (transfer.SramElements() > depth || data_begin_ + bytes > data_end_) return std::nullopt;
    Set(instruction, "sram", random_.Uniform(0, depth - transfer.SramElements()));
    int64_t dram = random_.Uniform(data_begin_, data_end_ - bytes);
    if (random_.Percent(50)) dram = RoundUp(dram, kPage) - random_.Uniform(0, transfer.row_bytes);
    Set(instruction, "dram", std::clamp(dram, data_begin_, data_end_ - bytes));
    return instruction;
  }

  /// Chooses loops and a run of known micro-ops.
  bool FillNest(Instruction& instruction) {
    const int micro_ops = spec_.formats[instruction.format].micro_ops;
    std::vector<int64_t> known;
    for (int64_t u = 0; u < spec_.memories[micro_ops].depth; ++u) {
      if (micro_ops_->Known(micro_ops, u)) known.push_back(u);
    }
    if (known.empty()) return false;
    const int64_t begin = Pick(known), most = random_.Uniform(1, 8);
    int64_t end = begin;
    while (end < spec_.memories[micro_ops].depth && end - begin < most && micro_ops_->Known(micro_ops, end))
      ++end;
    Set(instruction, "uop_begin", begin);
    Set(instruction, "uop_end", end);
    const int64_t loops = std::max<int64_t>(1, options_.max_steps / std::max<int64_t>(1, end - begin));
    const int64_t out =
        random_.Percent(40)
            ? 1
            : random_.Uniform(1, std::min({loops, int64_t{8}, FieldMax(instruction.format, "iter_out")}));
    Set(instruction, "iter_out", out);
    Set(instruction, "iter_in",
        random_.Uniform(1, std::min(loops / out, FieldMax(instruction.format, "iter_in"))));
    return true;
  }

  /// Chooses how far the rows lie apart that a step reads; returns elements from the first to the last one.
  int64_t FillPitch(Instruction& instruction, const Operand& source) {
    if (source.pitch_field < 0) return 0;
    const int64_t last = source.lines - 1, depth = spec_.memories[source.memory].depth;
    const int64_t most = last == 0 ? depth - 1 : (depth - source.parts) / (2 * last);
    const int64_t pitch = random_.Percent(20) ? 0 : random_.Uniform(0, std::min<int64_t>(most, 40));
    instruction.values[source.pitch_field] = pitch;
    return last * pitch;
  }

  /// Chooses base and strides of one index so that it stays below `depth`.
  /// `taps`: of an index that is read along rows, else 0.
  bool FillIndex(Instruction& instruction, const Nest& nest, const IndexFields& fields, int64_t depth,
                 int64_t taps) {
    auto limit = [&](int field) {
      return field < 0 ? 0 : spec_.formats[instruction.format].fields[field].type.Max();
    };
    int64_t room = depth - 1 - BoundsOf(nest, {.uop_field = fields.uop}, *micro_ops_).high;
    if (room < 0) return false;
    auto take = [&](int field, int64_t times) {
      if (field < 0) return;
      const int64_t most = std::min(limit(field), times == 0 ? limit(field) : room / times);
      const int64_t value = random_.Percent(30)
                                ? 0
                                : random_.Uniform(0, random_.Percent(70) ? std::min<int64_t>(most, 8) : most);
      instruction.values[field] = value;
      room -= value * times;
    };
    if (taps > 0 && nest.iter_in > 1) {
      const int64_t most = std::min({limit(fields.inner), taps, room / (nest.iter_in - 1)});
      if (most < 1) return false;
      const int64_t value = random_.Uniform(1, most);
      instruction.values[fields.inner] = value;
      room -= value * (nest.iter_in - 1);
    } else {
      take(fields.inner, nest.iter_in - 1);
    }
    take(fields.outer, nest.iter_out - 1);
    if (fields.base >= 0)
      instruction.values[fields.base] = random_.Uniform(0, std::min(room, limit(fields.base)));
    return true;
  }

  std::optional<Instruction> MakeCompute(int f) {
    const InstructionFormat& format = spec_.formats[f];
    Instruction instruction = BlankInstruction(spec_, f);
    FillFreely(instruction);
    std::vector<const Operand*> used;
    if (format.kind == Kind::kAlu) {
      std::vector<const AluOp*> ops;
      for (const AluOp& op : spec_.alu_ops) {
        if (op.format == f && op.available) ops.push_back(&op);
      }
      if (ops.empty()) return std::nullopt;
      const AluOp& op = *Pick(ops);
      Set(instruction, "op", op.code);
      used.push_back(&op.result);
      for (const Operand& operand : op.operands) used.push_back(&operand);
    } else {
      used.push_back(&format.intrinsic->dst);
      // A reset reads no tiles: the indices of its sources lead anywhere.
      const int reset = format.FieldIndex("reset");
      const bool reads = reset < 0 || instruction.values[reset] == 0;
      for (size_t s = 0; s < format.intrinsic->sources.size() && reads; ++s)
        used.push_back(&format.intrinsic->sources[s]);
    }
    if (!FillNest(instruction)) return std::nullopt;
    const Decoded shape = decoder_(instruction);
    const Nest nest =
        format.kind == Kind::kAlu ? std::get<Alu>(shape.body).nest : std::get<Gemm>(shape.body).nest;
    for (const IndexFields& fields : format.indices) {
      int64_t depth = -1;
      for (const Operand* operand : used) {
        if (operand->index != fields.index) continue;
        const int64_t own = spec_.memories[Storage(spec_, operand->memory)].depth - (operand->parts - 1);
        depth = depth < 0 ? own : std::min(depth, own);
      }
      const int row = format.intrinsic ? format.intrinsic->RowSource() : -1;
      const bool along_rows = row >= 0 && format.intrinsic->sources[row].index == fields.index;
      const int64_t taps = along_rows ? format.intrinsic->sources[row].parts : 0;
      const int64_t below = along_rows ? FillPitch(instruction, format.intrinsic->sources[row]) : 0;
      // A reset reads nothing, and goes along rows all the same.
      if (depth < 0 && along_rows)
        depth = spec_.memories[format.intrinsic->sources[row].memory].depth - (taps - 1);
      if (depth >= 0) depth -= below;
      if (depth >= 0 && !FillIndex(instruction, nest, fields, depth, taps)) return std::nullopt;
    }
    if (ReadsTooSoon(spec_, decoder_(instruction), *micro_ops_)) return std::nullopt;
    return instruction;
  }

  void FillLocks(Instruction& instruction, const std::vector<Touch>& touches) {
    for (auto [memory, field] : spec_.formats[instruction.format].locks) {
      const Memory& what = spec_.memories[memory];
      int64_t mask = random_.Percent(10) ? random_.Uniform(0, (int64_t{1} << what.LockBits()) - 1) : 0;
      for (const Touch& touch : touches) {
        if (touch.memory != memory) continue;
        mask |=
            static_cast<int64_t>(what.LockMask(touch.element / (what.depth / what.banks), touch.is_write));
      }
      instruction.values[field] = mask;
    }
  }

  void AddOne(int f) {
    const Kind kind = spec_.formats[f].kind;
    std::optional<Instruction> made;
    if (kind == Kind::kSync) made = BlankInstruction(spec_, f);
    for (int attempt = 0; attempt < kAttempts && !made; ++attempt) {
      made = kind == Kind::kLoad || kind == Kind::kStore ? MakeTransfer(f) : MakeCompute(f);
    }
    if (!made) return;
    const Decoded decoded = decoder_(*made);
    const std::vector<Touch> touches = Touches(spec_, decoded, *micro_ops_);
    FillLocks(*made, touches);

    std::vector<int64_t> needed(spec_.units.size(), 0);
    for (const Touch& touch : touches) Require(touch, decoded.unit, kind, needed);
    for (int unit = 0; unit < static_cast<int>(needed.size()); ++unit) {
      const bool known = orderer_->Known(unit, decoded.unit) >= needed[unit];
      if (!known && !orderer_->CanOrder(unit, decoded.unit)) return;
    }
    if (random_.Percent(options_.extra_tokens)) {
      const int unit = static_cast<int>(random_.Uniform(0, static_cast<int64_t>(spec_.units.size()) - 1));
      if (unit != decoded.unit && orderer_->Issued(unit) > 0 && orderer_->CanOrder(unit, decoded.unit)) {
        needed[unit] = std::max(needed[unit], random_.Uniform(1, orderer_->Issued(unit)));
      }
    }
    for (int unit = 0; unit < static_cast<int>(needed.size()); ++unit) {
      if (needed[unit] > 0) orderer_->Order(unit, needed[unit], decoded.unit);
    }
    const int64_t number = orderer_->Append(std::move(*made));
    for (const Touch& touch : touches) {
      History& history = histories_[{touch.memory, touch.element}];
      (touch.is_write ? history.written : history.read)[decoded.unit] = number;
    }
    micro_ops_->Execute(decoded);
  }

  /// Raises `needed` (by unit: number of the instruction to follow) to what one touch conflicts with.
  void Require(const Touch& touch, int unit, Kind kind, std::vector<int64_t>& needed) {
    const auto history = histories_.find({touch.memory, touch.element});
    if (history == histories_.end()) return;
    auto require = [&](const std::map<int, int64_t>& last, bool is_write) {
      if (!touch.is_write && !is_write) return;
      for (auto [other, number] : last) {
        if (other == unit && OverlapIsHarmless(kind, is_write, touch.is_write)) continue;
        needed[other] = std::max(needed[other], number);
      }
    };
    require(history->second.written, true);
    require(history->second.read, false);
  }

  struct History {
    std::map<int, int64_t> read, written;  // by unit: number of the last instruction
  };

  const Spec& spec_;
  const RandomProgramOptions& options_;
  Random random_;
  Decoder decoder_;
  Program program_;
  std::optional<MicroOpMemories> micro_ops_;
  std::optional<Orderer> orderer_;
  std::map<std::pair<int, int64_t>, History> histories_;
  int64_t data_begin_ = 0, stored_begin_ = 0, data_end_ = 0;
};

}  // namespace

uint64_t Random::Next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

int64_t Random::Uniform(int64_t low, int64_t high) {
  COSIM_CHECK(low <= high);
  return low + static_cast<int64_t>(Next() % (static_cast<uint64_t>(high - low) + 1));
}

Program RandomProgram(const Spec& spec, const RandomProgramOptions& options) {
  return Generator(spec, options).Make();
}

}  // namespace cosim::isa::testing
