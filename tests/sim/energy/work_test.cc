// SPDX-License-Identifier: Apache-2.0
// Counts in closed form against counting, one step and one lane after the other, what the fields of an
// instruction say.
#include "sim/energy/work.h"

#include <gtest/gtest.h>

#include "isa/program/decode.h"
#include "tests/sim/golden/random_program.h"

namespace cosim::sim {
namespace {

using cosim::testing::Random;

/// Counts by walking, by names of fields.
class Walker {
 public:
  explicit Walker(const isa::Spec& spec) : spec_(spec) {
    work_.macs.resize(spec.formats.size());
    work_.lane_ops.resize(spec.alu_ops.size());
    work_.memories.resize(spec.memories.size());
  }

  void Walk(const isa::Instruction& instruction) {
    const isa::InstructionFormat& format = spec_.formats[static_cast<size_t>(instruction.format)];
    ++work_.instructions;
    const auto field = [&](const char* name) -> int64_t {
      const int at = format.FieldIndex(name);
      return at < 0 ? 0 : static_cast<int64_t>(instruction.values[static_cast<size_t>(at)]);
    };
    if (format.kind == isa::Kind::kLoad || format.kind == isa::Kind::kStore) {
      for (int64_t r = 0; r < field("pad_top") + field("rows") + field("pad_bottom"); ++r)
        for (int64_t c = 0; c < field("pad_left") + field("cols") + field("pad_right"); ++c)
          format.kind == isa::Kind::kStore ? Read(format.memory) : Write(format.memory);
    }
    if (format.kind != isa::Kind::kGemm && format.kind != isa::Kind::kAlu) return;
    if (format.kind == isa::Kind::kGemm && format.intrinsic->RowSource() >= 0) {
      const isa::Operand& row = format.intrinsic->sources[static_cast<size_t>(format.intrinsic->RowSource())];
      for (int64_t i = 0; i < field("iter_out"); ++i)
        for (int64_t u = field("uop_begin"); u < field("uop_end"); ++u)
          AlongRow(static_cast<size_t>(instruction.format), field("iter_in"),
                   field((row.index + "_in").c_str()), row, field("reset") != 0, field("overwrite") != 0);
      return;
    }
    for (int64_t i = 0; i < field("iter_out"); ++i)
      for (int64_t j = 0; j < field("iter_in"); ++j)
        for (int64_t u = field("uop_begin"); u < field("uop_end"); ++u) {
          Read(format.micro_ops);
          if (format.kind == isa::Kind::kGemm)
            Gemm(static_cast<size_t>(instruction.format), field("reset") != 0, field("overwrite") != 0);
          else
            Alu(field("op"), instruction.format);
        }
  }
  const Work& work() const { return work_; }

 private:
  void Read(int memory) { ++work_.memories[static_cast<size_t>(memory)].reads; }
  void Write(int memory) {
    for (size_t m = 0; m < spec_.memories.size(); ++m)
      if (static_cast<int>(m) == memory || spec_.memories[m].mirrors == memory) ++work_.memories[m].writes;
  }
  /// Elements of the row one after the other; the last one of an iteration brings its products.
  void AlongRow(size_t format, int64_t iterations, int64_t apart, const isa::Operand& row, bool reset,
                bool overwrite) {
    int64_t next = row.parts - 1, left = iterations;
    for (int64_t element = 0; left > 0; ++element) {
      Read(spec_.formats[format].micro_ops);
      for (int line = 0; line < row.lines && !reset; ++line) Read(row.memory);
      if (element != next) continue;
      Gemm(format, reset, overwrite, &row);
      next += apart;
      --left;
    }
  }
  void Gemm(size_t format, bool reset, bool overwrite, const isa::Operand* along = nullptr) {
    const isa::Intrinsic& intrinsic = *spec_.formats[format].intrinsic;
    if (!reset) {
      for (const isa::Operand& source : intrinsic.sources)
        if (&source != along) Read(source.memory);
      if (!overwrite) Read(intrinsic.dst.memory);
      Multiply(format, 0);
    }
    Write(intrinsic.dst.memory);
  }
  /// One for each point of the axes.
  void Multiply(size_t format, size_t axis) {
    const auto& axes = spec_.formats[format].intrinsic->axes;
    if (axis == axes.size()) {
      ++work_.macs[format];
      return;
    }
    for (int i = 0; i < axes[axis].extent; ++i) Multiply(format, axis + 1);
  }
  void Alu(int64_t code, int format) {
    for (size_t o = 0; o < spec_.alu_ops.size(); ++o) {
      const isa::AluOp& op = spec_.alu_ops[o];
      if (op.code != code || op.format != format) continue;
      for (const isa::Operand& operand : op.operands)
        for (int part = 0; part < operand.parts; ++part) Read(operand.memory);
      Write(op.result.memory);
      int64_t lanes = 1;
      for (const int extent : spec_.memories[static_cast<size_t>(op.result.memory)].lanes) lanes *= extent;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        ++work_.lane_ops[o];
        for (const isa::ScalarNode& node : op.program.nodes)
          if (node.op == isa::ScalarOp::kLookup) Read(op.program.tables[node.input].memory);
      }
    }
  }

  const isa::Spec& spec_;
  Work work_;
};

TEST(Work, IsWhatWalkingCounts) {
  Random random(11);
  uint64_t macs = 0, lanes = 0, mirrored = 0;
  for (int round = 0; round < 24; ++round) {
    const isa::Spec spec = cosim::testing::RandomSpec(round % 4 == 0 ? "vta" : "cosim", random);
    const isa::Program program = cosim::testing::RandomProgram(spec, 40, random);
    Walker walker(spec);
    for (const isa::Instruction& instruction : program.instructions) walker.Walk(instruction);
    const Work work = WorkOf(spec, isa::Decoder(spec).All(program.instructions));
    ASSERT_EQ(work.macs, walker.work().macs);
    ASSERT_EQ(work.lane_ops, walker.work().lane_ops);
    for (size_t m = 0; m < spec.memories.size(); ++m) {
      ASSERT_EQ(work.memories[m].reads, walker.work().memories[m].reads) << spec.memories[m].name;
      ASSERT_EQ(work.memories[m].writes, walker.work().memories[m].writes) << spec.memories[m].name;
      if (spec.memories[m].mirrors >= 0) mirrored += work.memories[m].writes;
    }
    ASSERT_EQ(work.instructions, program.instructions.size());
    for (const uint64_t each : work.macs) macs += each;
    for (const uint64_t each : work.lane_ops) lanes += each;
  }
  EXPECT_GT(macs, 1000u);
  EXPECT_GT(lanes, 1000u);
  EXPECT_GT(mirrored, 0u);
}

TEST(Work, AddsUp) {
  Random random(3);
  const isa::Spec spec = cosim::testing::RandomSpec("cosim", random);
  const auto program = isa::Decoder(spec).All(cosim::testing::RandomProgram(spec, 60, random).instructions);
  const std::span<const isa::Decoded> all = program;
  Work sum = WorkOf(spec, all.first(20));
  sum += WorkOf(spec, all.subspan(20));
  EXPECT_EQ(sum, WorkOf(spec, all));
  EXPECT_EQ(WorkOf(spec, {}).memories.size(), spec.memories.size());
}

}  // namespace
}  // namespace cosim::sim
