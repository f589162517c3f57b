// SPDX-License-Identifier: Apache-2.0
// From a lowered function to the accelerator's loop tree. See passes.h. What a leaf is, match_intrinsic.cc,
// pad_bounds.cc and select_alu.cc decide from the spec; this file walks the loops and puts the pieces
// together.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/accel/affine.h"
#include "compiler/accel/capabilities.h"
#include "compiler/accel/linear_access.h"
#include "compiler/accel/match_intrinsic.h"
#include "compiler/accel/nest_access.h"
#include "compiler/accel/pad_bounds.h"
#include "compiler/accel/passes.h"
#include "compiler/accel/select_alu.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

class Builder {
 public:
  Builder(const isa::Spec& spec, Kernel& kernel) : spec_(spec), kernel_(kernel) {
    std::string why;
    accumulators_ = FindContraction(spec, why).accumulators;
  }

  Refusal Run(const tir::Function& function) {
    std::vector<NestLoop> loops;
    FindTensorized(function.body, loops);
    if (refusal_) return refusal_;
    kernel_.name = function.name;
    kernel_.params = function.params;
    Build(function.body, kernel_.body, nullptr);
    return refusal_;
  }

 private:
  // Buffers that a tensor intrinsic accumulates into: their initialization becomes part of it. Refuses loops
  // that the schedule gives to an intrinsic and that none computes.
  void FindTensorized(const tir::Stmt& stmt, std::vector<NestLoop>& loops) {
    if (const auto* loop = std::get_if<tir::For>(&stmt->node)) {
      loops.push_back(LoopOf(*loop));
      FindTensorized(loop->body, loops);
      loops.pop_back();
    } else if (const auto* seq = std::get_if<tir::Seq>(&stmt->node)) {
      for (const auto& s : seq->stmts) FindTensorized(s, loops);
    } else if (const auto* allocate = std::get_if<tir::Allocate>(&stmt->node)) {
      FindTensorized(allocate->body, loops);
    } else if (const auto* stage = std::get_if<tir::Stage>(&stmt->node)) {
      std::vector<NestLoop> nest;  // loops around it stand still
      FindTensorized(stage->body, nest);
    } else if (const auto* store = std::get_if<tir::Store>(&stmt->node)) {
      if (!IsTensorized(loops) || std::holds_alternative<tir::IntImm>(store->value->node)) return;
      std::string why;
      if (MatchIntrinsic(spec_, loops, *store, why)) {
        tensorized_.insert(store->buffer.get());
      } else {
        Refuse(fmt::format("{}: {}", store->buffer->name, why));
      }
    }
  }

  static NestLoop LoopOf(const tir::For& loop) {
    return {loop.var, loop.min, loop.extent, loop.kind == tir::LoopKind::kTensorized};
  }
  static bool IsTensorized(const std::vector<NestLoop>& nest) {
    return std::ranges::any_of(nest, &NestLoop::tensorized);
  }

  void Refuse(std::string reason) {
    if (!refusal_) refusal_.reason = std::move(reason);
  }

  void Build(const tir::Stmt& stmt, Nodes& out, std::vector<tir::Buffer>* allocations) {
    if (refusal_) return;
    if (const auto* seq = std::get_if<tir::Seq>(&stmt->node)) {
      for (const auto& s : seq->stmts) Build(s, out, allocations);
    } else if (const auto* stage = std::get_if<tir::Stage>(&stmt->node)) {
      Build(stage->body, out, allocations);
    } else if (const auto* allocate = std::get_if<tir::Allocate>(&stmt->node)) {
      AddBuffer(allocate->buffer, allocations);
      Build(allocate->body, out, allocations);
    } else if (std::holds_alternative<tir::IfThen>(stmt->node)) {
      Refuse("a conditional part has no accelerator form");
    } else {
      BuildNest(stmt, out, allocations);
    }
  }

  void BuildNest(const tir::Stmt& stmt, Nodes& out, std::vector<tir::Buffer>* allocations) {
    std::vector<NestLoop> nest;
    if (const tir::Store* store = PerfectNest(stmt, nest)) {
      BuildLeaf(nest, *store, out, allocations);
      return;
    }
    const auto& loop = std::get<tir::For>(stmt->node);
    Loop node{loop.var, loop.min, loop.extent, loop.kind == tir::LoopKind::kVirtualThread, {}, {}};
    open_loops_.push_back(loop.var);
    Build(loop.body, node.body, &node.allocations);
    open_loops_.pop_back();
    out.push_back({std::move(node)});
  }

  // The store at the bottom of loops without anything in between, or null.
  static const tir::Store* PerfectNest(const tir::Stmt& stmt, std::vector<NestLoop>& nest) {
    const tir::StmtNode* at = stmt.get();
    while (true) {
      if (const auto* stage = std::get_if<tir::Stage>(&at->node)) {
        at = stage->body.get();
      } else if (const auto* seq = std::get_if<tir::Seq>(&at->node)) {
        if (seq->stmts.size() != 1) return nullptr;
        at = seq->stmts[0].get();
      } else if (const auto* loop = std::get_if<tir::For>(&at->node)) {
        if (loop->kind == tir::LoopKind::kVirtualThread) return nullptr;
        for (const NestLoop& outer : nest)
          if (Mentions(loop->extent, outer.var) || Mentions(loop->min, outer.var)) return nullptr;
        nest.push_back(LoopOf(*loop));
        at = loop->body.get();
      } else {
        return std::get_if<tir::Store>(&at->node);
      }
    }
  }

  void AddBuffer(const tir::Buffer& buffer, std::vector<tir::Buffer>* allocations) {
    const int memory = spec_.MemoryIndex(buffer->scope);
    if (memory < 0)
      return Refuse(
          fmt::format("isa '{}' has no memory '{}' for {}", spec_.isa, buffer->scope, buffer->name));
    int64_t elements = PartsOf(buffer, spec_.memories[memory]);
    for (size_t i = 0; i + LaneDims(spec_.memories[memory]) < buffer->shape.size(); ++i)
      elements *= buffer->shape[i];
    OnChipBuffer on_chip;
    on_chip.buffer = buffer;
    on_chip.memory = memory;
    on_chip.elements = on_chip.copy_stride = elements;
    kernel_.buffers.push_back(std::move(on_chip));
    if (allocations) allocations->push_back(buffer);
  }

  int MemoryOf(const tir::Buffer& buffer) const {
    return buffer->scope.empty() ? -1 : spec_.MemoryIndex(buffer->scope);
  }

  void BuildLeaf(const std::vector<NestLoop>& nest, const tir::Store& store, Nodes& out,
                 std::vector<tir::Buffer>* allocations) {
    if (BuildTransfer(nest, store, out) || BuildGemm(nest, store, out)) return;
    if (MemoryOf(store.buffer) < 0)
      return Refuse(fmt::format("{} is not a copy from on-chip memory", store.buffer->name));
    if (tensorized_.count(store.buffer.get()) && std::holds_alternative<tir::IntImm>(store.value->node)) {
      // its initialization: the intrinsic overwrites instead
      init_depth_[store.buffer.get()] = open_loops_.size();
      return;
    }
    BuildAlu(nest, store, out, allocations);
  }

  bool BuildTransfer(const std::vector<NestLoop>& nest, const tir::Store& store, Nodes& out) {
    TransferLeaf leaf;
    tir::Expr value = store.value;
    std::vector<Bound> bounds;
    if (const auto* select = std::get_if<tir::Select>(&value->node)) {
      const auto* pad = std::get_if<tir::IntImm>(&select->b->node);
      if (!pad || !CollectBounds(select->condition, nest, bounds)) return false;
      leaf.pad_value = pad->value;
      value = select->a;
    }
    const bool to_dram = MemoryOf(store.buffer) < 0;
    if (const auto* cast = std::get_if<tir::Cast>(&value->node); cast && to_dram) value = cast->value;
    const auto* load = std::get_if<tir::Load>(&value->node);
    if (!load || (MemoryOf(load->buffer) < 0) == to_dram) return false;
    leaf.is_store = to_dram;
    const tir::Buffer& on_chip = to_dram ? load->buffer : store.buffer;
    const isa::Memory& memory = spec_.memories[MemoryOf(on_chip)];
    const int64_t parts = PartsOf(on_chip, memory);
    const auto stored = LinearAccess(store.buffer, store.indices, LaneDims(memory), nest);
    std::vector<tir::Expr> from = load->indices;
    if (!to_dram && bounds.empty()) {
      for (tir::Expr& index : from) {
        const auto unclamped = Unclamped(index, nest, bounds);
        if (!unclamped) return false;
        index = *unclamped;
      }
      leaf.repeats = !bounds.empty();
    }
    const auto loaded = LinearAccess(load->buffer, from, LaneDims(memory), nest);
    if (!stored || !loaded || !SameLanes(*stored, *loaded)) return false;
    const std::vector<int64_t> extents = LaneExtents(memory, parts);
    for (const auto* access : {&*stored, &*loaded}) {
      const auto& shape = access->buffer->shape;
      if (!WalksWholeElements(*access, extents, nest) ||
          !std::equal(extents.begin(), extents.end(), shape.end() - static_cast<int64_t>(extents.size())))
        return false;
    }
    const std::vector<size_t> kept = KeptLoops(nest, *stored);
    leaf.dims = DimsOf(nest, kept);
    leaf.sram = Keep(InParts(to_dram ? *loaded : *stored, parts), kept);
    leaf.dram = Keep(InParts(to_dram ? *stored : *loaded, parts), kept);
    if (parts > 1) {
      leaf.dims.push_back({tir::MakeVar("part"), tir::Int(parts)});
      for (Access* access : {&leaf.sram, &leaf.dram}) access->strides.push_back(1);
    }
    for (Bound& bound : bounds) {
      const auto at = std::find(kept.begin(), kept.end(), static_cast<size_t>(bound.dim));
      if (at == kept.end()) return false;
      bound.dim = static_cast<int>(at - kept.begin());
    }
    leaf.bounds = std::move(bounds);
    out.push_back({std::move(leaf)});
    return true;
  }

  bool BuildGemm(const std::vector<NestLoop>& nest, const tir::Store& store, Nodes& out) {
    std::string why;
    if (!IsTensorized(nest)) return false;
    const auto match = MatchIntrinsic(spec_, nest, store, why);
    if (!match) return false;
    std::vector<size_t> kept;
    for (size_t d = 0; d < nest.size(); ++d)
      if (!std::count(match->axes.begin(), match->axes.end(), nest[d].var)) kept.push_back(d);
    GemmLeaf leaf;
    leaf.format = match->format;
    leaf.name = spec_.formats[match->format].name;
    leaf.dims = DimsOf(nest, kept);
    leaf.dst = Keep(match->dst, kept);
    for (const auto& source : match->sources) leaf.sources.push_back(Keep(source, kept));
    leaf.pitch = match->pitch;
    const auto depth = init_depth_.find(store.buffer.get());
    if (depth != init_depth_.end()) {
      leaf.initialize = true;
      leaf.outer_reduction.assign(open_loops_.begin() + static_cast<int64_t>(depth->second),
                                  open_loops_.end());
    }
    out.push_back({std::move(leaf)});
    return true;
  }

  // What is stored where the stored element does not stay as it is; the loops are cut to that part.
  static std::optional<tir::Expr> ValueWhereChanged(const tir::Store& store, std::vector<NestLoop>& nest) {
    const auto* select = std::get_if<tir::Select>(&store.value->node);
    const auto* kept = select ? std::get_if<tir::Load>(&select->b->node) : nullptr;
    if (!kept || !SameElement(kept->buffer, kept->indices, store.buffer, store.indices)) return store.value;
    if (!KeepWhere(select->condition, nest)) return std::nullopt;
    return select->a;
  }

  void BuildAlu(std::vector<NestLoop> nest, const tir::Store& store, Nodes& out,
                std::vector<tir::Buffer>* allocations) {
    const std::optional<tir::Expr> value = ValueWhereChanged(store, nest);
    if (!value)
      return Refuse(fmt::format("{} depends on more than the bounds of its loops", store.buffer->name));
    const int memory = MemoryOf(store.buffer);
    const auto result = LinearAccess(store.buffer, store.indices, LaneDims(spec_.memories[memory]), nest);
    if (!result || !WalksWholeElements(*result, LaneExtents(spec_.memories[memory]), nest))
      return Refuse(fmt::format("{} is not written element by element", store.buffer->name));
    const std::vector<size_t> kept = KeptLoops(nest, *result);

    std::vector<tir::Expr> loads;
    CollectLoads(*value, loads);
    std::map<const tir::ExprNode*, ElementAccess> accesses;
    for (const auto& load : loads) {
      const auto& node = std::get<tir::Load>(load->node);
      const int from = MemoryOf(node.buffer);
      if (from < 0)
        return Refuse(fmt::format("{} reads {} straight from DRAM", store.buffer->name, node.buffer->name));
      auto access = LinearAccess(node.buffer, node.indices, LaneDims(spec_.memories[from]), nest);
      if (!access || !LanesFollow(*access, *result, spec_.memories[from]))
        return Refuse(fmt::format("{} reads {} across lanes", store.buffer->name, node.buffer->name));
      const int64_t parts = PartsOf(node.buffer, spec_.memories[from]);
      accesses.emplace(load.get(), InParts(std::move(*access), parts));
    }
    Access intermediate = memory == accumulators_ ? Keep(*result, kept) : Access{};
    tir::Expr intermediate_load;
    for (const auto& load : loads)
      if (!intermediate.buffer && MovesWithAll(accesses.at(load.get()), nest, kept) &&
          MemoryOf(std::get<tir::Load>(load->node).buffer) == accumulators_) {
        intermediate = Keep(accesses.at(load.get()), kept);
        intermediate_load = load;
      }

    const auto same = [this](const tir::Expr& a, const tir::Expr& b) {
      const auto &la = std::get<tir::Load>(a->node), &lb = std::get<tir::Load>(b->node);
      return SameElement(la.buffer, ElementIndices(la), lb.buffer, ElementIndices(lb));
    };
    AluTarget target;
    target.memory = memory;
    target.intermediate_memory = accumulators_;
    target.info = [&](const tir::Expr& load) { return InfoOf(load); };
    target.same_element = same;
    target.is_result = [&](const tir::Expr& load) {
      const auto& node = std::get<tir::Load>(load->node);
      return SameElement(node.buffer, node.indices, store.buffer, store.indices);
    };
    target.is_intermediate = [&](const tir::Expr& load) {
      return memory == accumulators_ ? target.is_result(load)
                                     : intermediate_load && same(load, intermediate_load);
    };
    std::string why;
    const auto ops = SelectAluOps(spec_, FromLowered(*value), target, why);
    if (ops.empty()) return Refuse(fmt::format("{}: {}", store.buffer->name, why));
    if (ops.size() > 1 && !intermediate.buffer)
      intermediate = AddIntermediate(store.buffer, *result, kept, allocations);
    for (size_t i = 0; i < ops.size(); ++i) {
      AluLeaf leaf;
      leaf.op = ops[i].op;
      leaf.dims = DimsOf(nest, kept);
      leaf.result = i + 1 == ops.size() ? Keep(*result, kept) : intermediate;
      for (const AluSource& source : ops[i].operands)
        leaf.operands.push_back(source.load ? Keep(accesses.at(source.load.get()), kept) : intermediate);
      leaf.immediates = ops[i].immediates;
      leaf.tables = ops[i].tables;
      out.push_back({std::move(leaf)});
    }
  }

  // Accumulators for a result that reads none: laid out as the result is.
  Access AddIntermediate(const tir::Buffer& like, const ElementAccess& result,
                         const std::vector<size_t>& kept, std::vector<tir::Buffer>* allocations) {
    std::vector<int64_t> shape(like->shape.begin(), like->shape.end());
    const auto buffer = tir::MakeBuffer(like->name + ".acc", tir::DataType::Int(32), shape,
                                        spec_.memories[accumulators_].name);
    AddBuffer(buffer, allocations);
    Access access = Keep(result, kept);
    access.buffer = buffer;
    return access;
  }

  // The indices of a load without the one that picks a record's field.
  std::vector<tir::Expr> ElementIndices(const tir::Load& load) const {
    std::vector<tir::Expr> indices = load.indices;
    if (spec_.memories[MemoryOf(load.buffer)].fields.size() > 1) indices.pop_back();
    return indices;
  }

  LoadInfo InfoOf(const tir::Expr& load) const {
    const auto& node = std::get<tir::Load>(load->node);
    const int memory = MemoryOf(node.buffer);
    if (spec_.memories[memory].fields.size() <= 1) return {memory, -1};
    const auto* field = std::get_if<tir::IntImm>(&node.indices.back()->node);
    return {memory, field ? static_cast<int>(field->value) : -1};
  }

  const isa::Spec& spec_;
  Kernel& kernel_;
  Refusal refusal_;
  int accumulators_ = -1;
  std::set<const tir::BufferNode*> tensorized_;
  std::map<const tir::BufferNode*, size_t> init_depth_;
  std::vector<tir::Var> open_loops_;
};

}  // namespace

Refusal Tensorize(const tir::Function& function, const isa::Spec& spec, Kernel& kernel) {
  return Builder(spec, kernel).Run(function);
}

}  // namespace cosim::accel
