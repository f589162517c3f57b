// SPDX-License-Identifier: Apache-2.0
// Draws configurations and programs. Sizes are small, so that the reference ticks fast, and chosen so that
// every bound (room, places, outstanding bursts, 4 KiB pages) is met often.
#include "tests/sim/cycle/testing/random_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "tests/sim/cycle/testing/spec_builder.h"

namespace cosim::sim::testing {
namespace {

isa::Spec RandomIsa(Random& random) {
  isa::Spec spec = EmptySpec();
  const int memories = static_cast<int>(random.In(1, 4));
  for (int m = 0; m < memories; ++m) {
    AddMemory(spec, fmt::format("m{}", m), random.Of<int64_t>({1, 2, 4, 8, 32, 96, 256}),
              static_cast<int>(random.In(1, 8)));
  }
  const int units = static_cast<int>(random.In(1, 5));
  for (int u = 0; u < units; ++u) {
    std::vector<isa::Kind> kinds;
    const std::vector<isa::Kind> all = {isa::Kind::kLoad, isa::Kind::kStore, isa::Kind::kGemm,
                                        isa::Kind::kAlu};
    kinds.push_back(random.Of(all));
    for (const isa::Kind kind : all) {
      if (kind != kinds[0] && random.Chance(10)) kinds.push_back(kind);
    }
    AddUnit(spec, fmt::format("u{}", u), kinds, random.Chance(60), 2);
  }
  const int queues = units > 1 ? static_cast<int>(random.In(0, 8)) : 0;
  for (int q = 0; q < queues; ++q) {
    const int from = static_cast<int>(random.In(0, units - 1));
    const int to = (from + static_cast<int>(random.In(1, units - 1))) % units;
    AddQueue(spec, fmt::format("q{}", q), from, to, 1);
  }
  AddAluOp(spec, 1);
  AddAluOp(spec, 3);
  return spec;
}

/// Pieces of any length and distance that fill parts of t's elements from bytes anywhere.
void Gather(const isa::Spec& spec, isa::Transfer& t, Random& random) {
  const isa::Memory& memory = spec.memories[static_cast<size_t>(t.memory)];
  t.gathers = true;
  t.piece_bytes = random.In(1, isa::LongestPiece(spec, memory));
  t.piece_first = random.In(0, memory.stored_bytes - t.piece_bytes);
  t.piece_step = random.In(0, random.Chance(30) ? 5 * spec.dram.beat_bytes() : spec.dram.beat_bytes());
  t.row_bytes = t.cols == 0 ? 0 : (t.cols - 1) * t.piece_step + t.piece_bytes;
  t.stride = random.In(0, random.Chance(50) ? 40 : 3000);
  t.dram += static_cast<uint64_t>(random.In(0, 2 * spec.dram.beat_bytes()));
}

isa::Transfer RandomTransfer(const isa::Spec& spec, bool is_store, Random& random) {
  isa::Transfer t;
  t.memory = static_cast<int>(random.In(0, static_cast<int64_t>(spec.memories.size()) - 1));
  t.is_store = is_store;
  const int64_t stored = spec.memories[static_cast<size_t>(t.memory)].stored_bytes;
  t.rows = random.Chance(60) ? 1 : random.In(0, 5);
  const int64_t longest = std::max<int64_t>(2, 2048 / stored);
  t.cols = random.Chance(10) ? random.In(0, longest)
                             : random.In(random.Chance(5) ? 0 : 1, std::min<int64_t>(longest, 12));
  t.stride = random.In(0, longest);
  const uint64_t page = 4096;
  const int64_t near = static_cast<int64_t>(page) * random.In(1, 4) + random.In(-300, 100);
  t.dram = static_cast<uint64_t>((random.Chance(50) ? near : random.In(0, 40000)) / stored * stored);
  if (!is_store && random.Chance(30)) {
    Gather(spec, t, random);
  } else if (!is_store && random.Chance(40)) {
    t.pad_top = random.In(0, 2);
    t.pad_bottom = random.In(0, 2);
    t.pad_left = random.In(0, 3);
    t.pad_right = random.In(0, 3);
  }
  return t;
}

isa::Decoded RandomInstruction(const isa::Spec& spec, Random& random) {
  const auto format = static_cast<size_t>(random.In(0, static_cast<int64_t>(spec.formats.size()) - 1));
  const isa::Kind kind = spec.formats[format].kind;
  isa::Decoded decoded;
  decoded.format = static_cast<int>(format);
  decoded.unit = spec.formats[format].unit;
  const isa::Nest nest{.uop_begin = 3,
                       .uop_end = 3 + random.In(random.Chance(5) ? 0 : 1, 4),
                       .iter_out = random.In(random.Chance(5) ? 0 : 1, 3),
                       .iter_in = random.Chance(20) ? random.In(1, 40) : random.In(1, 4)};
  if (kind == isa::Kind::kGemm) {
    isa::Gemm gemm;
    gemm.nest = nest;
    if (random.Chance(40)) {  // along rows
      gemm.taps = static_cast<int>(random.In(1, 5));
      gemm.sources.push_back({.inner = random.In(1, gemm.taps)});
      gemm.row_source = 0;
    }
    decoded.body = gemm;
  } else if (kind == isa::Kind::kAlu) {
    isa::Alu alu;
    alu.nest = nest;
    alu.op = static_cast<int>(random.In(-1, static_cast<int64_t>(spec.alu_ops.size()) - 1));
    decoded.body = alu;
  } else if (kind != isa::Kind::kSync) {
    decoded.body = RandomTransfer(spec, kind == isa::Kind::kStore, random);
  }
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const int banks = spec.memories[m].LockBits();
    if (banks == 1 || kind == isa::Kind::kSync || !random.Chance(50)) continue;
    const uint32_t all = (uint32_t{1} << banks) - 1;
    decoded.locks.emplace_back(static_cast<int>(m), static_cast<uint32_t>(random.Next()) & all);
  }
  return decoded;
}

}  // namespace

uint64_t Random::Next() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_ * 0x9E3779B97F4A7C15u >> 11;
}

int64_t Random::In(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
}

void Randomize(isa::Spec& spec, Random& random) {
  isa::MemorySystem& dram = spec.dram;
  dram.port_bits = random.Of<int>({32, 64, 128, 256});
  dram.burst_beats =
      random.Chance(50) ? random.Of<int>({1, 2, 4, 8, 16}) : static_cast<int>(random.In(1, 256));
  dram.latency = static_cast<int>(random.Chance(20) ? random.In(0, 3) : random.In(0, 100));
  dram.write_latency = static_cast<int>(random.Chance(20) ? random.In(0, 2) : random.In(0, 60));
  dram.outstanding = static_cast<int>(random.In(1, 8));
  dram.jitter = random.Chance(50) ? static_cast<int>(random.In(1, 50)) : 0;
  dram.seed = random.Next();
  if (random.Chance(30)) {
    constexpr int kSteps = isa::MemorySystem::kDramSteps;
    dram.dram_bytes = random.Chance(50)
                          ? static_cast<double>(random.In(1, 3 * dram.port_bits / 8))
                          : static_cast<double>(random.In(kSteps, kSteps * 3 * dram.port_bits / 8)) / kSteps;
    dram.write_latency = std::max(1, dram.write_latency);
  }
  spec.ports = random.Chance(50) ? 1 : static_cast<int>(random.In(2, isa::kMaxPorts));
  spec.word_bits = random.Of<int>({64, 128, 256});
  spec.fetch_words = static_cast<int>(std::max<int64_t>(random.In(4, 40), dram.port_bits / spec.word_bits));
  for (isa::Unit& unit : spec.units) {
    unit.commands = static_cast<int>(random.Chance(50) ? random.In(1, 4) : random.In(1, 40));
    unit.latency = static_cast<int>(random.In(random.Chance(10) ? 0 : 1, 20));
    unit.buffer_beats =
        dram.burst_beats + static_cast<int>(random.Of<int64_t>({0, 1, random.In(0, 64), 600}));
    if (random.Chance(10)) unit.overlap = !unit.overlap;
    unit.port = static_cast<int>(random.In(0, spec.ports - 1));
  }
  for (isa::Queue& queue : spec.queues)
    queue.capacity = static_cast<int>(random.In(1, random.Chance(50) ? 2 : 8));
  for (isa::AluOp& op : spec.alu_ops) op.initiation_interval = static_cast<int>(random.In(1, 4));
}

std::vector<isa::Decoded> RandomProgram(const isa::Spec& spec, bool token_correct, int instructions,
                                        Random& random) {
  std::vector<int> occupancy(spec.queues.size(), 0);
  const int eagerness = static_cast<int>(random.In(5, 60));
  std::vector<isa::Decoded> program;
  for (int i = 0; i < instructions; ++i) {
    isa::Decoded decoded = RandomInstruction(spec, random);
    for (size_t q = 0; q < spec.queues.size(); ++q) {
      const isa::Queue& queue = spec.queues[q];
      const bool may_pop = !token_correct || occupancy[q] > 0;
      if (queue.to == decoded.unit && may_pop && random.Chance(token_correct ? 70 : eagerness)) {
        decoded.pops |= uint64_t{1} << q;
        --occupancy[q];
      }
      const bool may_push = !token_correct || occupancy[q] < queue.capacity;
      if (queue.from == decoded.unit && may_push && random.Chance(eagerness)) {
        decoded.pushes |= uint64_t{1} << q;
        ++occupancy[q];
      }
    }
    program.push_back(std::move(decoded));
  }
  return program;
}

Case RandomCase(Shape shape, bool token_correct, int instructions, uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < 8; ++i) random.Next();
  Case c;
  c.spec = shape == Shape::kCosim ? CosimLike() : shape == Shape::kVta ? VtaLike() : RandomIsa(random);
  Randomize(c.spec, random);
  c.program = RandomProgram(c.spec, token_correct, instructions, random);
  c.code_address = static_cast<uint64_t>(random.In(0, 3)) * 4096;
  return c;
}

std::string Describe(const Case& c) {
  const isa::MemorySystem& d = c.spec.dram;
  std::string text = fmt::format(
      "dram: port_bits {} burst_beats {} latency {} write_latency {} outstanding {} jitter {} seed {} "
      "dram_bytes {}; words "
      "of {} "
      "bits, {} in the fetch buffer, code at {}\n",
      d.port_bits, d.burst_beats, d.latency, d.write_latency, d.outstanding, d.jitter, d.seed, d.dram_bytes,
      c.spec.word_bits, c.spec.fetch_words, c.code_address);
  for (const isa::Unit& u : c.spec.units) {
    text += fmt::format("unit {}: commands {} overlap {} latency {} buffer_beats {} port {}\n", u.name,
                        u.commands, u.overlap, u.latency, u.buffer_beats, u.port);
  }
  for (size_t i = 0; i < c.program.size(); ++i) {
    const isa::Decoded& instruction = c.program[i];
    text += fmt::format("#{} {}", i, c.spec.formats[static_cast<size_t>(instruction.format)].name);
    for (size_t q = 0; q < c.spec.queues.size(); ++q) {
      const isa::Queue& queue = c.spec.queues[q];
      if ((instruction.pops >> q) & 1) text += fmt::format(" pop {}({})", queue.name, queue.capacity);
      if ((instruction.pushes >> q) & 1) text += fmt::format(" push {}({})", queue.name, queue.capacity);
    }
    for (const auto& [memory, mask] : instruction.locks) text += fmt::format(" lock m{}:{:b}", memory, mask);
    if (const auto* t = std::get_if<isa::Transfer>(&instruction.body)) {
      text += fmt::format(" {} bytes each from {}: {} x {} stride {} pads {} {} {} {}",
                          c.spec.memories[static_cast<size_t>(t->memory)].stored_bytes, t->dram, t->rows,
                          t->cols, t->stride, t->pad_top, t->pad_bottom, t->pad_left, t->pad_right);
      if (t->gathers) text += fmt::format(" pieces of {} bytes, step {}", t->piece_bytes, t->piece_step);
    } else if (const auto* gemm = std::get_if<isa::Gemm>(&instruction.body)) {
      text += fmt::format(" {} steps", gemm->nest.Steps());
      if (gemm->row_source >= 0)
        text += fmt::format(" along rows, {} of {} taps {} apart", gemm->nest.iter_in, gemm->taps,
                            gemm->sources[0].inner);
    } else if (const auto* alu = std::get_if<isa::Alu>(&instruction.body)) {
      text += fmt::format(" op {} {} steps", alu->op, alu->nest.Steps());
    }
    text += "\n";
  }
  return text;
}

}  // namespace cosim::sim::testing
