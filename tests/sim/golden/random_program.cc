// SPDX-License-Identifier: Apache-2.0
// Draws fields by the role they play, so that any ISA the spec language can state is covered.
#include "tests/sim/golden/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/check.h"
#include "isa/spec/loader.h"

namespace cosim::testing {
namespace {

constexpr uint64_t kDataBytes = 1 << 19;  ///< loads and stores stay below; micro-ops stand above

std::string RandomConfig(const std::string& isa, Random& random) {
  const auto block = [&] { return random.Of<int64_t>({1, 2, 4, 4, 8, 12, 16, 16, 20, 32, 64}); };
  const int64_t in = block();
  const int64_t out = random.OneIn(2) ? in : block();
  const int64_t inp_bits = random.Of<int64_t>({4, 8, 8, 8, 12, 16});
  const int64_t wgt_bits = random.Of<int64_t>({2, 4, 8, 8, 8, 16});
  const int64_t acc_bits = random.Of<int64_t>({16, 20, 24, 32, 32, 32});
  const int64_t batch = random.Between(1, 4);
  // Odd depths: so many elements, in bytes.
  const auto bytes = [&](int64_t lanes, int64_t bits) {
    return std::max<int64_t>(256, (lanes * bits * random.Between(9, 40) + 7) / 8);
  };
  std::string text = fmt::format(
      "isa: {}\ndoc: Random.\nboard: none\nclock_mhz: 100\nparameters:\n  batch: {}\n  block_in: {}\n"
      "  block_out: {}\n  inp_bits: {}\n  wgt_bits: {}\n  acc_bits: {}\n  inp_bytes: {}\n  wgt_bytes: {}\n"
      "  acc_bytes: {}\n  uop_bytes: 512\n",
      isa, batch, in, out, inp_bits, wgt_bits, acc_bits, bytes(batch * in, inp_bits),
      bytes(in * out, wgt_bits), bytes(batch * out, acc_bits));
  if (isa == "cosim") {
    text += fmt::format(
        "  out_bytes: {}\n  par_depth: {}\n  inp_banks: 1\n  acc_banks: 1\n  alu_lanes: {}\n  taps: {}\n",
        bytes(batch * out, inp_bits), random.Between(4, 20), random.Of<int64_t>({1, 2, 4, 16}),
        random.Of<int64_t>({1, 2, 3, 3, 4, 5}));
  }
  return text + fmt::format(
                    "memory:\n  port_bits: {}\n  burst_beats: 16\n  latency: 10\n  write_latency: 5\n"
                    "  outstanding: 4\n  jitter: 0\n  seed: 1\n",
                    random.Of<int64_t>({32, 64, 128}));
}

class ProgramMaker {
 public:
  ProgramMaker(const isa::Spec& spec, Random& random) : spec_(spec), random_(random) {
    isa::Segment data{.kind = isa::Segment::Kind::kConstants, .name = "data", .address = 0, .bytes = {}};
    for (uint64_t n = 0; n < kDataBytes; ++n) data.bytes.push_back(static_cast<uint8_t>(random_.Bits()));
    program_.segments.push_back(std::move(data));
    program_.fingerprint = spec.fingerprint;
    next_uops_ = kDataBytes;
  }

  isa::Program Make(int length) {
    while (static_cast<int>(program_.instructions.size()) < length) {
      const int format = static_cast<int>(random_.Between(0, static_cast<int64_t>(spec_.formats.size()) - 1));
      switch (spec_.formats[format].kind) {
        case isa::Kind::kLoad:
          if (!spec_.memories[spec_.formats[format].memory].is_micro_ops) AddTransfer(format);
          break;
        case isa::Kind::kStore:
          AddTransfer(format);
          break;
        case isa::Kind::kGemm:
          AddGemm(format);
          break;
        case isa::Kind::kAlu:
          AddAlu(format);
          break;
        case isa::Kind::kSync:
          break;
      }
    }
    program_.dram_bytes = next_uops_;
    return std::move(program_);
  }

 private:
  /// Random values everywhere but in the flags of tokens, which are 0, and where the format fixes them.
  isa::Instruction RandomFields(int format) {
    const isa::InstructionFormat& info = spec_.formats[format];
    isa::Instruction instruction{.format = format, .values = {}};
    for (const isa::Field& field : info.fields) instruction.values.push_back(random_.Value(field.type));
    for (const auto& flags : {info.pops, info.pushes}) {
      for (const auto& [queue, field] : flags) instruction.values[field] = 0;
    }
    for (const auto& [field, value] : info.match) instruction.values[field] = value;
    return instruction;
  }

  void SetField(isa::Instruction& instruction, const char* name, int64_t value) {
    const int field = spec_.formats[instruction.format].FieldIndex(name);
    if (field >= 0) instruction.values[field] = value;
  }

  /// The most a field can hold; 0 for one that is not there.
  int64_t FieldMax(int format, int field) const {
    return field < 0 ? 0 : spec_.formats[format].fields[field].type.Max();
  }

  void AddTransfer(int format) {
    const isa::InstructionFormat& info = spec_.formats[format];
    if (info.Gathers()) return AddGather(format);
    const isa::Memory& memory = spec_.memories[info.memory];
    isa::Instruction instruction = RandomFields(format);
    int64_t room = memory.depth;
    const int64_t rows = random_.Between(1, std::min<int64_t>(room, 5));
    const int64_t cols = random_.Between(1, std::min<int64_t>(room / rows, 6));
    int64_t height = rows, width = cols;
    const auto pad = [&](const char* name, int64_t& extent, int64_t other) {
      const int field = info.FieldIndex(name);
      const int64_t most = std::min({room / other - extent, FieldMax(format, field), int64_t{3}});
      const int64_t value = field < 0 || random_.OneIn(2) ? 0 : random_.Between(0, most);
      SetField(instruction, name, value);
      extent += value;
    };
    pad("pad_top", height, width);
    pad("pad_bottom", height, width);
    pad("pad_left", width, height);
    pad("pad_right", width, height);
    room -= height * width;
    const int64_t stride = random_.OneIn(3) ? cols : random_.Between(cols, cols + 3);
    const int64_t reach = ((rows - 1) * stride + cols) * memory.stored_bytes;
    SetField(instruction, "rows", rows);
    SetField(instruction, "cols", cols);
    SetField(instruction, "stride", stride);
    SetField(instruction, "sram", random_.Between(0, room));
    const int64_t places = (static_cast<int64_t>(kDataBytes) - reach) / memory.stored_bytes;
    SetField(instruction, "dram", random_.Between(0, places) * memory.stored_bytes);
    program_.instructions.push_back(std::move(instruction));
  }

  void AddGather(int format) {
    const isa::InstructionFormat& info = spec_.formats[format];
    const isa::Memory& memory = spec_.memories[info.memory];
    isa::Instruction instruction = RandomFields(format);
    const int64_t rows = random_.Between(1, std::min<int64_t>(memory.depth, 5));
    const int64_t cols = random_.Between(1, std::min<int64_t>(memory.depth / rows, 9));
    const int64_t bytes = random_.Between(1, isa::LongestPiece(spec_, memory));
    const int64_t step = random_.Between(
        0, std::min(FieldMax(format, info.FieldIndex("piece_step")), random_.OneIn(3) ? int64_t{63} : bytes));
    const int64_t row = (cols - 1) * step + bytes, stride = random_.Between(0, row + 9);
    SetField(instruction, "rows", rows);
    SetField(instruction, "cols", cols);
    SetField(instruction, "stride", stride);
    SetField(instruction, "row_bytes", row);
    SetField(instruction, "piece_bytes", bytes);
    SetField(instruction, "piece_first", random_.Between(0, memory.stored_bytes - bytes));
    SetField(instruction, "piece_step", step);
    SetField(instruction, "sram", random_.Between(0, memory.depth - rows * cols));
    const int64_t reach = (rows - 1) * stride + row;
    SetField(instruction, "dram", random_.Between(0, static_cast<int64_t>(kDataBytes) - reach));
    program_.instructions.push_back(std::move(instruction));
  }

  void AddGemm(int format) {
    const isa::Intrinsic& intrinsic = *spec_.formats[format].intrinsic;
    std::map<std::string, int64_t> depths;
    isa::Instruction instruction = RandomFields(format);
    Limit(depths, intrinsic.dst);
    for (const isa::Operand& source : intrinsic.sources) Limit(depths, source, Pitch(instruction, source));
    AddNest(std::move(instruction), depths);
  }

  /// Chooses how far rows lie apart that a step reads: elements from the first to the last one.
  int64_t Pitch(isa::Instruction& instruction, const isa::Operand& source) {
    if (source.pitch_field < 0) return 0;
    const int64_t room = spec_.memories[source.memory].depth - source.parts;
    const int64_t most = source.lines > 1 ? room / 2 / (source.lines - 1) : room;
    const int64_t pitch = random_.Between(0, random_.OneIn(3) ? most : std::min<int64_t>(most, 9));
    instruction.values[source.pitch_field] = pitch;
    return (source.lines - 1) * pitch;
  }

  void AddAlu(int format) {
    std::vector<const isa::AluOp*> ops;
    for (const isa::AluOp& op : spec_.alu_ops) {
      if (op.format == format && op.available) ops.push_back(&op);
    }
    const isa::AluOp& op = *random_.Of(ops);
    std::map<std::string, int64_t> depths;
    Limit(depths, op.result);
    for (const isa::Operand& operand : op.operands) Limit(depths, operand);
    isa::Instruction instruction = RandomFields(format);
    SetField(instruction, "op", op.code);
    AddNest(std::move(instruction), depths);
  }

  /// Elements that an index may reach: those of the smallest memory it is used with. `below`: from the first
  /// row of a step to its last one.
  void Limit(std::map<std::string, int64_t>& depths, const isa::Operand& operand, int64_t below = 0) const {
    const int64_t depth = spec_.memories[operand.memory].depth - (operand.parts - 1) - below;
    const auto [at, added] = depths.emplace(operand.index, depth);
    if (!added) at->second = std::min(at->second, depth);
  }

  /// The index whose elements are read along rows; empty: none is.
  std::string RowIndex(const isa::InstructionFormat& format, int64_t& taps) const {
    const int row = format.intrinsic ? format.intrinsic->RowSource() : -1;
    if (row < 0) return {};
    taps = format.intrinsic->sources[row].parts;
    return format.intrinsic->sources[row].index;
  }

  /// Loop counts, strides and micro-ops such that every index stays within its depth; then the instruction.
  void AddNest(isa::Instruction instruction, const std::map<std::string, int64_t>& depths) {
    const isa::InstructionFormat& info = spec_.formats[instruction.format];
    const isa::Memory& uop_memory = spec_.memories[info.micro_ops];
    const int64_t uops = random_.Between(1, std::min<int64_t>(6, uop_memory.depth));
    const int64_t begin = random_.Between(0, uop_memory.depth - uops);
    int64_t taps = 0;
    const std::string row = RowIndex(info, taps);
    const auto deep = depths.find(row);
    const int64_t most_in = row.empty() ? 4 : std::min<int64_t>(9, deep->second);
    const int64_t out = random_.Between(1, 4), in = random_.Between(1, most_in);
    SetField(instruction, "uop_begin", begin);
    SetField(instruction, "uop_end", begin + uops);
    SetField(instruction, "iter_out", out);
    SetField(instruction, "iter_in", in);
    std::vector<std::vector<int64_t>> contents(uops, std::vector<int64_t>(uop_memory.fields.size(), 0));
    for (const isa::IndexFields& index : info.indices) {
      const auto found = depths.find(index.index);
      int64_t left = found == depths.end() ? 0 : found->second - 1;
      // Often small, so that steps meet each other's elements.
      const auto take = [&](int field, int64_t times) {
        if (field < 0 || times == 0) return;
        const int64_t most = std::min(left / times, FieldMax(instruction.format, field));
        const int64_t value = random_.Between(0, random_.OneIn(3) ? most : std::min<int64_t>(most, 2));
        instruction.values[field] = value;
        left -= value * times;
      };
      if (index.index == row && in > 1) {  // apart by one element at least
        const int64_t most = std::min({left / (in - 1), taps, FieldMax(instruction.format, index.inner)});
        const int64_t value = random_.Between(1, most);
        instruction.values[index.inner] = value;
        left -= value * (in - 1);
        take(index.outer, out - 1);
      } else {
        take(index.outer, out - 1);
        take(index.inner, in - 1);
      }
      take(index.base, 1);
      if (index.uop < 0) continue;
      const int64_t most = std::min(left, uop_memory.fields[index.uop].type.Max());
      for (std::vector<int64_t>& uop : contents) {
        uop[index.uop] = random_.Between(0, random_.OneIn(3) ? most : std::min<int64_t>(most, 2));
      }
    }
    AddMicroOpLoad(info.micro_ops, begin, contents);
    program_.instructions.push_back(std::move(instruction));
  }

  void AddMicroOpLoad(int memory, int64_t first, const std::vector<std::vector<int64_t>>& uops) {
    const isa::Memory& info = spec_.memories[memory];
    const auto alignment = static_cast<uint64_t>(isa::DramAlignment(spec_, info));
    next_uops_ = (next_uops_ + alignment - 1) / alignment * alignment;
    isa::Segment segment{
        .kind = isa::Segment::Kind::kMicroOps, .name = "micro-ops", .address = next_uops_, .bytes = {}};
    segment.bytes.resize(uops.size() * info.stored_bytes);
    for (size_t u = 0; u < uops.size(); ++u) {
      for (size_t f = 0; f < info.fields.size(); ++f) {
        for (int bit = 0; bit < info.fields[f].type.width; ++bit) {
          const int64_t at = static_cast<int64_t>(u) * info.stored_bytes * 8 + info.fields[f].offset + bit;
          segment.bytes[at / 8] |= static_cast<uint8_t>(((uops[u][f] >> bit) & 1) << (at % 8));
        }
      }
    }
    const auto loads = [&](const isa::InstructionFormat& f) {
      return f.kind == isa::Kind::kLoad && f.memory == memory;
    };
    const auto format = std::ranges::find_if(spec_.formats, loads);
    COSIM_CHECK(format != spec_.formats.end(), "nothing loads '{}'", info.name);
    isa::Instruction load = RandomFields(static_cast<int>(format - spec_.formats.begin()));
    SetField(load, "sram", first);
    SetField(load, "dram", static_cast<int64_t>(next_uops_));
    SetField(load, "rows", 1);
    SetField(load, "cols", static_cast<int64_t>(uops.size()));
    SetField(load, "stride", static_cast<int64_t>(uops.size()));
    program_.instructions.push_back(std::move(load));
    next_uops_ += segment.bytes.size();
    program_.segments.push_back(std::move(segment));
  }

  const isa::Spec& spec_;
  Random& random_;
  isa::Program program_;
  uint64_t next_uops_ = 0;
};

}  // namespace

isa::Spec RandomSpec(const std::string& isa, Random& random) {
  std::string rendered;
  for (int tries = 0; tries < 50; ++tries) {
    Diagnostics diags;
    const auto path = isa::FindFile(isa, "isa", diags);
    COSIM_CHECK(path.has_value(), "{}", diags.Render());
    const auto source = isa::ReadSource(*path, diags);
    COSIM_CHECK(source.has_value(), "{}", diags.Render());
    auto spec = isa::Elaborate(*source, {"random.yaml", RandomConfig(isa, random)}, {}, diags);
    if (spec) return std::move(*spec);
    rendered = diags.Render();
  }
  COSIM_CHECK(false, "no configuration of 50 is accepted; the last one:\n{}", rendered);
}

isa::Program RandomProgram(const isa::Spec& spec, int length, Random& random) {
  return ProgramMaker(spec, random).Make(length);
}

}  // namespace cosim::testing
