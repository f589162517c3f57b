// SPDX-License-Identifier: Apache-2.0
// Virtual threads to interleaved leaves. See passes.h.
#include <algorithm>
#include <set>

#include "compiler/accel/affine.h"
#include "compiler/accel/passes.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

enum class Lane { kLoad, kGemm, kAlu, kStore, kOther };

Lane LaneOf(const Node& node) {
  if (const auto* transfer = std::get_if<TransferLeaf>(&node.node))
    return transfer->is_store ? Lane::kStore : Lane::kLoad;
  if (std::holds_alternative<GemmLeaf>(node.node)) return Lane::kGemm;
  if (std::holds_alternative<AluLeaf>(node.node)) return Lane::kAlu;
  return Lane::kOther;
}

struct Thread {
  tir::Var var;
  tir::Expr value;
  int index = 0;
  const std::set<const tir::BufferNode*>* own = nullptr;

  tir::Expr operator()(const tir::Expr& expr) const { return Substitute(expr, var, value); }
  void Apply(Access& access) const {
    access.offset = (*this)(access.offset);
    if (own->count(access.buffer.get())) access.copy = index;
  }
  void Apply(std::vector<Dim>& dims) const {
    for (Dim& dim : dims) dim.extent = (*this)(dim.extent);
  }
};

Node Instantiate(Node node, const Thread& thread);

Nodes Instantiate(Nodes nodes, const Thread& thread) {
  for (Node& node : nodes) node = Instantiate(std::move(node), thread);
  return nodes;
}

Node Instantiate(Node node, const Thread& thread) {
  if (auto* transfer = std::get_if<TransferLeaf>(&node.node)) {
    thread.Apply(transfer->dims);
    thread.Apply(transfer->dram);
    thread.Apply(transfer->sram);
    for (Bound& bound : transfer->bounds) {
      bound.low = thread(bound.low);
      bound.high = thread(bound.high);
    }
  } else if (auto* gemm = std::get_if<GemmLeaf>(&node.node)) {
    thread.Apply(gemm->dims);
    thread.Apply(gemm->dst);
    for (Access& source : gemm->sources) thread.Apply(source);
  } else if (auto* alu = std::get_if<AluLeaf>(&node.node)) {
    thread.Apply(alu->dims);
    thread.Apply(alu->result);
    for (Access& operand : alu->operands) thread.Apply(operand);
  } else if (auto* loop = std::get_if<Loop>(&node.node)) {
    loop->min = thread(loop->min);
    loop->extent = thread(loop->extent);
    loop->body = Instantiate(std::move(loop->body), thread);
  } else if (auto* guard = std::get_if<Guard>(&node.node)) {
    guard->condition = thread(guard->condition);
    guard->body = Instantiate(std::move(guard->body), thread);
  }
  return node;
}

void CollectAllocations(const Loop& loop, std::set<const tir::BufferNode*>& out) {
  for (const auto& buffer : loop.allocations) out.insert(buffer.get());
  for (const Node& node : loop.body)
    if (const auto* inner = std::get_if<Loop>(&node.node)) CollectAllocations(*inner, out);
}

class Interleaver {
 public:
  explicit Interleaver(Kernel& kernel) : kernel_(kernel) {}

  Nodes Run(Nodes nodes) {
    Nodes out;
    for (Node& node : nodes) {
      auto* loop = std::get_if<Loop>(&node.node);
      if (!loop) {
        out.push_back(std::move(node));
        continue;
      }
      loop->body = Run(std::move(loop->body));
      if (!loop->virtual_thread) {
        out.push_back(std::move(node));
        continue;
      }
      for (Node& replaced : Replace(*loop)) out.push_back(std::move(replaced));
    }
    return out;
  }

 private:
  // The largest number of threads the extent allows: a constant, or min(constant, rest).
  static int64_t Threads(const tir::Expr& extent) {
    if (const auto* imm = std::get_if<tir::IntImm>(&extent->node)) return imm->value;
    const auto* binary = std::get_if<tir::Binary>(&extent->node);
    COSIM_CHECK(binary && binary->op == tir::BinaryOp::kMin, "virtual-thread extent {}",
                tir::ToString(extent));
    for (const auto& side : {binary->a, binary->b})
      if (const auto* imm = std::get_if<tir::IntImm>(&side->node)) return imm->value;
    COSIM_CHECK(false, "virtual-thread extent {}", tir::ToString(extent));
  }

  Nodes Replace(const Loop& loop) {
    std::set<const tir::BufferNode*> own;
    CollectAllocations(loop, own);
    const int threads = static_cast<int>(Threads(loop.extent));
    for (OnChipBuffer& buffer : kernel_.buffers)
      if (own.count(buffer.buffer.get())) {
        COSIM_CHECK(buffer.copies == 1, "nested virtual threads share buffer {}", buffer.buffer->name);
        buffer.copies = threads;
        buffer.copy_stride = buffer.elements;
      }
    return Interleave(loop.body, loop, threads, own);
  }

  Nodes Interleave(const Nodes& nodes, const Loop& loop, int threads,
                   const std::set<const tir::BufferNode*>& own) {
    Nodes out;
    for (size_t begin = 0; begin < nodes.size();) {
      const auto* inner = std::get_if<Loop>(&nodes[begin].node);
      if (inner && !Mentions(inner->extent, loop.var) && !Mentions(inner->min, loop.var)) {
        Loop shared = *inner;
        shared.body = Interleave(inner->body, loop, threads, own);
        out.push_back({std::move(shared)});
        ++begin;
        continue;
      }
      size_t end = begin + 1;  // a run of leaves of one kind stays together
      while (end < nodes.size() && LaneOf(nodes[end]) != Lane::kOther &&
             LaneOf(nodes[end]) == LaneOf(nodes[begin]))
        ++end;
      const Nodes run(nodes.begin() + begin, nodes.begin() + end);
      for (int t = 0; t < threads; ++t) {
        Nodes copy = Instantiate(run, {loop.var, loop.min + tir::Int(t), t, &own});
        if (std::holds_alternative<tir::IntImm>(loop.extent->node)) {
          out.insert(out.end(), copy.begin(), copy.end());
        } else {
          out.push_back({Guard{MakeBinary(tir::BinaryOp::kLt, tir::Int(t), loop.extent), std::move(copy)}});
        }
      }
      begin = end;
    }
    return out;
  }

  Kernel& kernel_;
};

}  // namespace

void InterleaveVirtualThreads(Kernel& kernel) {
  Interleaver interleaver(kernel);
  kernel.body = interleaver.Run(std::move(kernel.body));
}

}  // namespace cosim::accel
