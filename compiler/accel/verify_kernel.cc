// SPDX-License-Identifier: Apache-2.0
// See verify_kernel.h.
#include "compiler/accel/verify_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "compiler/tir/visitor.h"

namespace cosim::accel {
namespace {

class Verifier {
 public:
  Verifier(const Kernel& kernel, const isa::Spec& spec) : kernel_(kernel), spec_(spec) {
    for (const tir::Buffer& param : kernel.params) params_.insert(param.get());
    for (const OnChipBuffer& buffer : kernel.buffers) buffers_[buffer.buffer.get()] = &buffer;
  }

  std::string Run() {
    for (const OnChipBuffer& buffer : kernel_.buffers) Check(buffer);
    Check(kernel_.body);
    return wrong_;
  }

 private:
  template <typename... Args>
  void Expect(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds && wrong_.empty()) wrong_ = fmt::format(text, std::forward<Args>(args)...);
  }

  void Check(const OnChipBuffer& buffer) {
    const std::string& name = buffer.buffer->name;
    if (buffer.memory < 0 || buffer.memory >= static_cast<int>(spec_.memories.size()))
      return Expect(false, "buffer {} is in no memory", name);
    Expect(buffer.elements > 0 && buffer.copies > 0, "buffer {} has no elements", name);
    if (buffer.address < 0) return;
    const int64_t last = buffer.address + (buffer.copies - 1) * buffer.copy_stride;
    const int64_t end = std::max(buffer.address, last) + buffer.elements;
    Expect(last >= 0 && end <= spec_.memories[buffer.memory].depth, "buffer {} ends at {} of {}", name, end,
           spec_.memories[buffer.memory].depth);
  }

  void Check(const Nodes& nodes) {
    for (const Node& node : nodes) std::visit([this](const auto& n) { Check(n); }, node.node);
  }

  void Check(const Loop& loop) {
    CheckScope(loop.min, loop.var->name);
    CheckScope(loop.extent, loop.var->name);
    for (const tir::Buffer& buffer : loop.allocations)
      Expect(buffers_.count(buffer.get()) > 0, "loop {} allocates {}, which is no buffer", loop.var->name,
             buffer->name);
    vars_.push_back(loop.var.get());
    Check(loop.body);
    vars_.pop_back();
  }

  void Check(const Guard& guard) {
    CheckScope(guard.condition, "a guard");
    Check(guard.body);
  }

  void Check(const TransferLeaf& leaf) {
    CheckDims(leaf.dims, "a transfer");
    CheckOnChip(leaf.sram, leaf.dims.size(), -1);
    Expect(params_.count(leaf.dram.buffer.get()) > 0, "a transfer of {}, which is no parameter",
           leaf.dram.buffer->name);
    CheckAccess(leaf.dram, leaf.dims.size());
    for (const Bound& bound : leaf.bounds)
      Expect(bound.dim >= 0 && bound.dim < static_cast<int>(leaf.dims.size()),
             "a bound of dimension {} of {}", bound.dim, leaf.dims.size());
  }

  void Check(const GemmLeaf& leaf) {
    const auto& intrinsic = spec_.formats.at(leaf.format).intrinsic;
    if (!intrinsic || leaf.sources.size() != intrinsic->sources.size())
      return Expect(false, "'{}' takes other operands", spec_.formats.at(leaf.format).name);
    CheckDims(leaf.dims, "an intrinsic");
    CheckOnChip(leaf.dst, leaf.dims.size(), intrinsic->dst.memory);
    for (size_t s = 0; s < leaf.sources.size(); ++s)
      CheckOnChip(leaf.sources[s], leaf.dims.size(), intrinsic->sources[s].memory);
    for (const tir::Var& var : leaf.outer_reduction)
      Expect(InScope(var.get()), "a sum over {}, which is no loop around it", var->name);
  }

  void Check(const AluLeaf& leaf) {
    const isa::AluOp& op = spec_.alu_ops.at(leaf.op);
    if (leaf.operands.size() != op.operands.size())
      return Expect(false, "'{}' takes {} operands", op.name, op.operands.size());
    CheckDims(leaf.dims, op.name);
    CheckOnChip(leaf.result, leaf.dims.size(), op.result.memory);
    for (size_t o = 0; o < leaf.operands.size(); ++o)
      CheckOnChip(leaf.operands[o], leaf.dims.size(), op.operands[o].memory);
    if (leaf.tables.size() != op.program.tables.size())
      return Expect(false, "'{}' looks {} tables up", op.name, op.program.tables.size());
    for (size_t t = 0; t < leaf.tables.size(); ++t) CheckTable(leaf.tables[t], op.program.tables[t]);
  }

  void CheckTable(const tir::Buffer& buffer, const isa::ScalarTable& table) {
    const auto at = buffers_.find(buffer.get());
    const bool is_there = at != buffers_.end() && at->second->memory == table.memory;
    Expect(is_there && at->second->copies == 1 && at->second->elements == table.depth,
           "{} is not all of '{}'", buffer->name, table.name);
  }

  void CheckDims(const std::vector<Dim>& dims, const std::string& of) {
    for (const Dim& dim : dims) CheckScope(dim.extent, of);
  }

  /// `memory` -1: any.
  void CheckOnChip(const Access& access, size_t dims, int memory) {
    const auto at = buffers_.find(access.buffer.get());
    if (at == buffers_.end()) return Expect(false, "{} is not on chip", access.buffer->name);
    Expect(memory < 0 || at->second->memory == memory, "{} is not in '{}'", access.buffer->name,
           spec_.memories[std::max(memory, 0)].name);
    Expect(access.copy >= 0 && access.copy < at->second->copies, "copy {} of {} of {}", access.copy,
           at->second->copies, access.buffer->name);
    CheckAccess(access, dims);
  }

  void CheckAccess(const Access& access, size_t dims) {
    Expect(access.strides.size() == dims, "{} strides of {} for {} dimensions", access.strides.size(),
           access.buffer->name, dims);
    CheckScope(access.offset, access.buffer->name);
  }

  bool InScope(const tir::VarNode* var) const { return std::ranges::count(vars_, var) > 0; }

  void CheckScope(const tir::Expr& expr, const std::string& of) {
    if (!wrong_.empty()) return;
    tir::ForEachExpr(expr, [&](const tir::Expr& part) {
      const auto* ref = std::get_if<tir::VarRef>(&part->node);
      if (ref && !InScope(ref->var.get()))
        Expect(false, "{} mentions {}, which is no loop around it", of, ref->var->name);
    });
  }

  const Kernel& kernel_;
  const isa::Spec& spec_;
  std::set<const tir::BufferNode*> params_;
  std::map<const tir::BufferNode*, const OnChipBuffer*> buffers_;
  std::vector<const tir::VarNode*> vars_;
  std::string wrong_;
};

}  // namespace

std::string VerifyKernel(const Kernel& kernel, const isa::Spec& spec) { return Verifier(kernel, spec).Run(); }

}  // namespace cosim::accel
