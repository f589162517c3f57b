// SPDX-License-Identifier: Apache-2.0
// The slow second implementation of footprints and races.
#include "tests/isa/program/reference.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <variant>

namespace cosim::isa::testing {
namespace {

/// Calls function(u, i, j) for every step in order.
template <typename Function>
void ForEachStep(const Nest& nest, Function function) {
  for (int64_t i = 0; i < nest.iter_out; ++i) {
    for (int64_t j = 0; j < nest.iter_in; ++j) {
      for (int64_t u = nest.uop_begin; u < nest.uop_end; ++u) function(u, i, j);
    }
  }
}

int64_t ElementAt(const Nest& nest, const Index& index, const MicroOpMemories& micro_ops, int64_t u,
                  int64_t i, int64_t j) {
  const int64_t offset = index.uop_field < 0 ? 0 : micro_ops.Values(nest.micro_ops, index.uop_field)[u];
  return index.base + offset + i * index.outer + j * index.inner;
}

int StorageOf(const Spec& spec, int memory) {
  const int mirrors = spec.memories[memory].mirrors;
  return mirrors >= 0 ? mirrors : memory;
}

void TouchTransfer(const Spec& spec, const Transfer& transfer, std::vector<Touch>& touches) {
  const int64_t bytes = spec.memories[transfer.memory].stored_bytes;
  const int memory = StorageOf(spec, transfer.memory);
  const int64_t elements = transfer.is_store ? transfer.rows * transfer.cols : transfer.SramElements();
  for (int64_t e = 0; e < elements; ++e) touches.push_back({memory, transfer.sram + e, !transfer.is_store});
  for (int64_t row = 0; row < transfer.rows; ++row) {
    const int64_t start =
        static_cast<int64_t>(transfer.dram) + row * transfer.stride * (transfer.gathers ? 1 : bytes);
    const int64_t end = transfer.gathers ? (transfer.cols - 1) * transfer.piece_step + transfer.piece_bytes
                                         : transfer.cols * bytes;
    for (int64_t b = 0; b < end; ++b) touches.push_back({-1, start + b, transfer.is_store});
  }
}

/// Issue and retirement of every instruction as nodes 2i and 2i + 1; edges lead to what comes later.
using Graph = std::vector<std::vector<int64_t>>;

std::vector<bool> Reachable(const Graph& graph, int64_t from) {
  std::vector<bool> seen(graph.size());
  std::vector<int64_t> open{from};
  while (!open.empty()) {
    const int64_t node = open.back();
    open.pop_back();
    for (int64_t next : graph[node]) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return seen;
}

struct Flags {
  std::vector<std::vector<int64_t>> pushes, pops;  // by queue: instructions
};

Flags CollectFlags(const Spec& spec, std::span<const Decoded> decoded) {
  Flags flags{std::vector<std::vector<int64_t>>(spec.queues.size()),
              std::vector<std::vector<int64_t>>(spec.queues.size())};
  for (int64_t i = 0; i < static_cast<int64_t>(decoded.size()); ++i) {
    for (size_t q = 0; q < spec.queues.size(); ++q) {
      if (decoded[i].pushes >> q & 1) flags.pushes[q].push_back(i);
      if (decoded[i].pops >> q & 1) flags.pops[q].push_back(i);
    }
  }
  return flags;
}

Graph OrderGraph(const Spec& spec, std::span<const Decoded> decoded) {
  Graph graph(decoded.size() * 2);
  std::vector<int64_t> last(spec.units.size(), -1);
  for (int64_t i = 0; i < static_cast<int64_t>(decoded.size()); ++i) {
    const int unit = decoded[i].unit;
    graph[2 * i].push_back(2 * i + 1);
    if (const int64_t before = last[unit]; before >= 0) {
      graph[2 * before].push_back(2 * i);
      graph[2 * before + 1].push_back(2 * i + 1);
      if (!spec.units[unit].overlap) graph[2 * before + 1].push_back(2 * i);
    }
    last[unit] = i;
  }
  const Flags flags = CollectFlags(spec, decoded);
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    const size_t pairs = std::min(flags.pushes[q].size(), flags.pops[q].size());
    for (size_t k = 0; k < pairs; ++k) graph[2 * flags.pushes[q][k] + 1].push_back(2 * flags.pops[q][k]);
  }
  return graph;
}

std::vector<Decoded> DecodeAll(const Spec& spec, const Program& program) {
  std::vector<Decoded> decoded;
  for (const Instruction& instruction : program.instructions) decoded.push_back(Decode(spec, instruction));
  return decoded;
}

bool HasCircle(const Graph& graph) {
  std::vector<int64_t> before(graph.size(), 0), open;
  for (const auto& nexts : graph) {
    for (int64_t next : nexts) ++before[next];
  }
  for (size_t node = 0; node < graph.size(); ++node) {
    if (before[node] == 0) open.push_back(static_cast<int64_t>(node));
  }
  size_t done = 0;
  for (; !open.empty(); ++done) {
    const int64_t node = open.back();
    open.pop_back();
    for (int64_t next : graph[node]) {
      if (--before[next] == 0) open.push_back(next);
    }
  }
  return done != graph.size();
}

}  // namespace

bool Deadlocks(const Spec& spec, const Program& program) {
  const std::vector<Decoded> decoded = DecodeAll(spec, program);
  const Flags flags = CollectFlags(spec, decoded);
  const int64_t count = static_cast<int64_t>(decoded.size());
  Graph graph(2 * count);  // issue of i, dispatch of i
  std::vector<std::vector<int64_t>> of_unit(spec.units.size());
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t>& before = of_unit[decoded[i].unit];
    const int64_t commands = spec.units[decoded[i].unit].commands;
    graph[count + i].push_back(i);
    if (i > 0) graph[count + i - 1].push_back(count + i);
    if (!before.empty()) graph[before.back()].push_back(i);
    if (static_cast<int64_t>(before.size()) >= commands)
      graph[before[before.size() - commands]].push_back(count + i);
    before.push_back(i);
  }
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    const auto &pushes = flags.pushes[q], &pops = flags.pops[q];
    const size_t capacity = static_cast<size_t>(spec.queues[q].capacity);
    if (pops.size() > pushes.size() || pushes.size() > pops.size() + capacity) return true;
    for (size_t k = 0; k < pops.size(); ++k) graph[pushes[k]].push_back(pops[k]);
    for (size_t k = capacity; k < pushes.size(); ++k) graph[pops[k - capacity]].push_back(pushes[k]);
  }
  return HasCircle(graph);
}

bool LeavesTokens(const Spec& spec, const Program& program) {
  const Flags flags = CollectFlags(spec, DecodeAll(spec, program));
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    if (flags.pushes[q].size() > flags.pops[q].size()) return true;
  }
  return false;
}

bool InBounds(const Spec& spec, const Program& program) {
  MicroOpMemories micro_ops(spec, program);
  for (const Decoded& decoded : DecodeAll(spec, program)) {
    for (const Touch& touch : Touches(spec, decoded, micro_ops)) {
      const int64_t end =
          touch.memory < 0 ? static_cast<int64_t>(program.dram_bytes) : spec.memories[touch.memory].depth;
      if (touch.element < 0 || touch.element >= end) return false;
      if (touch.memory >= 0 || !touch.is_write) continue;
      const int64_t code = touch.element - static_cast<int64_t>(program.code_address);
      if (code >= 0 && code < static_cast<int64_t>(program.instructions.size()) * spec.word_bytes())
        return false;
      for (const Segment& segment : program.segments) {
        const int64_t offset = touch.element - static_cast<int64_t>(segment.address);
        if (offset >= 0 && offset < static_cast<int64_t>(segment.bytes.size())) return false;
      }
    }
    micro_ops.Execute(decoded);
  }
  return true;
}

std::vector<Touch> Touches(const Spec& spec, const Decoded& decoded, const MicroOpMemories& micro_ops) {
  std::vector<Touch> touches;
  auto touch_nest = [&](const Nest& nest, int memory, bool is_write, const Index& index, int parts = 1,
                        int lines = 1, int64_t pitch = 0) {
    ForEachStep(nest, [&](int64_t u, int64_t i, int64_t j) {
      for (int64_t line = 0; line < lines; ++line)
        for (int64_t part = 0; part < parts; ++part)
          touches.push_back({StorageOf(spec, memory),
                             ElementAt(nest, index, micro_ops, u, i, j) + line * pitch + part, is_write});
    });
  };
  auto touch_micro_ops = [&](const Nest& nest) {
    for (int64_t u = nest.uop_begin; u < nest.uop_end; ++u) touches.push_back({nest.micro_ops, u, false});
  };
  if (const auto* transfer = std::get_if<Transfer>(&decoded.body)) {
    TouchTransfer(spec, *transfer, touches);
  } else if (const auto* gemm = std::get_if<Gemm>(&decoded.body)) {
    const Intrinsic& intrinsic = *spec.formats[decoded.format].intrinsic;
    touch_micro_ops(gemm->nest);
    touch_nest(gemm->nest, intrinsic.dst.memory, true, gemm->dst);
    if (!gemm->overwrite && !gemm->reset) touch_nest(gemm->nest, intrinsic.dst.memory, false, gemm->dst);
    for (size_t s = 0; s < gemm->sources.size() && !gemm->reset; ++s) {
      touch_nest(gemm->nest, intrinsic.sources[s].memory, false, gemm->sources[s], intrinsic.sources[s].parts,
                 intrinsic.sources[s].lines, gemm->pitch);
    }
  } else if (const auto* alu = std::get_if<Alu>(&decoded.body)) {
    const AluOp& op = spec.alu_ops[alu->op];
    touch_micro_ops(alu->nest);
    touch_nest(alu->nest, op.result.memory, true, alu->result);
    for (size_t s = 0; s < alu->operands.size(); ++s) {
      touch_nest(alu->nest, op.operands[s].memory, false, alu->operands[s], op.operands[s].parts);
    }
    for (const ScalarTable& table : op.program.tables)
      for (int64_t e = 0; e < spec.memories[table.memory].depth; ++e)
        touches.push_back({table.memory, e, false});
  }
  std::ranges::sort(touches);
  const auto repeated = std::ranges::unique(touches);
  touches.erase(repeated.begin(), repeated.end());
  return touches;
}

bool ReadsTooSoon(const Spec& spec, const Decoded& decoded, const MicroOpMemories& micro_ops) {
  const auto* alu = std::get_if<Alu>(&decoded.body);
  if (alu == nullptr) return false;
  const AluOp& op = spec.alu_ops[alu->op];
  std::map<int64_t, int64_t> written;  // element -> step
  int64_t step = 0;
  bool too_soon = false;
  ForEachStep(alu->nest, [&](int64_t u, int64_t i, int64_t j) {
    for (size_t s = 0; s < alu->operands.size(); ++s) {
      if (StorageOf(spec, op.operands[s].memory) != StorageOf(spec, op.result.memory)) continue;
      const auto last = written.find(ElementAt(alu->nest, alu->operands[s], micro_ops, u, i, j));
      too_soon |= last != written.end() && step - last->second < op.min_distance;
    }
    written[ElementAt(alu->nest, alu->result, micro_ops, u, i, j)] = step++;
  });
  return too_soon;
}

bool NamesItsBanks(const Spec& spec, const Decoded& decoded, const MicroOpMemories& micro_ops) {
  const std::vector<Touch> touches = Touches(spec, decoded, micro_ops);
  return std::ranges::all_of(touches, [&](const Touch& touch) {
    for (auto [memory, mask] : decoded.locks) {
      if (touch.memory != memory) continue;
      const Memory& what = spec.memories[memory];
      int64_t bit = touch.element / (what.depth / what.banks);
      if (what.locks_ports) {  // first the read ports, then the write ports; one that one unit uses is
                               // nobody's
        if ((touch.is_write ? what.writers : what.readers).size() == 1) continue;
        if (touch.is_write) bit += what.banks;
      }
      if ((mask >> bit & 1) == 0) return false;
    }
    return true;
  });
}

bool OverlapIsHarmless(Kind kind, bool is_first_write, bool is_second_write) {
  switch (kind) {
    case Kind::kGemm:
      return true;
    case Kind::kAlu:
      return !is_first_write || is_second_write;
    case Kind::kLoad:
    case Kind::kStore:
      return is_first_write && is_second_write;
    case Kind::kSync:
      return true;
  }
  return false;
}

std::set<UnwrittenRead> UnwrittenReads(const Spec& spec, const Program& program) {
  std::set<std::pair<int, int64_t>> written;
  std::set<std::tuple<int, int64_t, int64_t>> bytes;  // of elements that pieces fill
  std::map<std::pair<int64_t, int>, int64_t> least;
  MicroOpMemories micro_ops(spec, program);
  int64_t number = 0;
  auto read = [&](int memory, int64_t element) {
    memory = StorageOf(spec, memory);
    if (!written.insert({memory, element}).second) return;
    const auto [found, is_new] = least.insert({{number, memory}, element});
    found->second = std::min(found->second, element);
  };
  auto write = [&](int memory, int64_t element) { written.insert({StorageOf(spec, memory), element}); };
  auto fill = [&](const Transfer& load, int64_t element) {
    const int64_t bits = spec.memories[load.memory].element_bits;
    for (int64_t b = 0; b < load.piece_bytes; ++b) bytes.insert({load.memory, element, load.piece_first + b});
    bool whole = true;
    for (int64_t b = 0; b * 8 < bits; ++b) whole &= bytes.contains({load.memory, element, b});
    if (whole) write(load.memory, element);
  };
  for (const Decoded& decoded : DecodeAll(spec, program)) {
    if (const auto* transfer = std::get_if<Transfer>(&decoded.body);
        transfer != nullptr && transfer->gathers) {
      for (int64_t e = 0; e < transfer->rows * transfer->cols; ++e) fill(*transfer, transfer->sram + e);
    } else if (transfer != nullptr) {
      const int64_t count = transfer->is_store ? transfer->rows * transfer->cols : transfer->SramElements();
      for (int64_t e = transfer->sram; e < transfer->sram + count; ++e) {
        transfer->is_store ? read(transfer->memory, e) : write(transfer->memory, e);
      }
    } else if (const auto* gemm = std::get_if<Gemm>(&decoded.body)) {
      const Intrinsic& intrinsic = *spec.formats[decoded.format].intrinsic;
      ForEachStep(gemm->nest, [&](int64_t u, int64_t i, int64_t j) {
        const int64_t sum = ElementAt(gemm->nest, gemm->dst, micro_ops, u, i, j);
        if (!gemm->reset && !gemm->overwrite) read(intrinsic.dst.memory, sum);
        for (size_t s = 0; s < gemm->sources.size() && !gemm->reset; ++s) {
          const int64_t first = ElementAt(gemm->nest, gemm->sources[s], micro_ops, u, i, j);
          for (int64_t line = 0; line < intrinsic.sources[s].lines; ++line)
            for (int64_t part = 0; part < intrinsic.sources[s].parts; ++part)
              read(intrinsic.sources[s].memory, first + line * gemm->pitch + part);
        }
        write(intrinsic.dst.memory, sum);
      });
    } else if (const auto* alu = std::get_if<Alu>(&decoded.body)) {
      const AluOp& op = spec.alu_ops[alu->op];
      ForEachStep(alu->nest, [&](int64_t u, int64_t i, int64_t j) {
        for (size_t s = 0; s < alu->operands.size(); ++s) {
          const int64_t first = ElementAt(alu->nest, alu->operands[s], micro_ops, u, i, j);
          for (int64_t part = 0; part < op.operands[s].parts; ++part)
            read(op.operands[s].memory, first + part);
        }
        for (const ScalarTable& table : op.program.tables)
          for (int64_t e = 0; e < spec.memories[table.memory].depth; ++e) read(table.memory, e);
        write(op.result.memory, ElementAt(alu->nest, alu->result, micro_ops, u, i, j));
      });
    }
    micro_ops.Execute(decoded);
    ++number;
  }
  std::set<UnwrittenRead> reads;
  for (const auto& [where, element] : least) reads.insert({where.first, where.second, element});
  return reads;
}

std::set<std::pair<int64_t, int64_t>> Races(const Spec& spec, const Program& program) {
  const std::vector<Decoded> decoded = DecodeAll(spec, program);
  const Graph graph = OrderGraph(spec, decoded);
  std::vector<std::vector<bool>> after;  // by instruction: nodes that follow its retirement
  for (size_t i = 0; i < decoded.size(); ++i)
    after.push_back(Reachable(graph, static_cast<int64_t>(2 * i + 1)));

  struct Toucher {
    int64_t instruction;
    bool is_write;
  };
  std::map<std::pair<int, int64_t>, std::vector<Toucher>> touchers;
  MicroOpMemories micro_ops(spec, program);
  for (size_t i = 0; i < decoded.size(); ++i) {
    for (const Touch& touch : Touches(spec, decoded[i], micro_ops)) {
      touchers[{touch.memory, touch.element}].push_back({static_cast<int64_t>(i), touch.is_write});
    }
    micro_ops.Execute(decoded[i]);
  }
  std::set<std::pair<int64_t, int64_t>> races;
  for (const auto& [where, all] : touchers) {
    for (size_t a = 0; a < all.size(); ++a) {
      for (size_t b = a + 1; b < all.size(); ++b) {
        const int64_t first = all[a].instruction, second = all[b].instruction;
        if (first == second || (!all[a].is_write && !all[b].is_write)) continue;
        if (after[first][2 * second] || after[second][2 * first]) continue;
        const bool same_unit = decoded[first].unit == decoded[second].unit;
        const Kind kind = spec.formats[decoded[first].format].kind;
        if (same_unit && kind == spec.formats[decoded[second].format].kind &&
            OverlapIsHarmless(kind, all[a].is_write, all[b].is_write)) {
          continue;
        }
        races.insert({first, second});
      }
    }
  }
  return races;
}

}  // namespace cosim::isa::testing
