// SPDX-License-Identifier: Apache-2.0
// Several units with the same tensor instruction work at once. See passes.h.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/accel/capabilities.h"
#include "compiler/accel/passes.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

/// One copy of an on-chip buffer.
using Copy = std::pair<const tir::BufferNode*, int>;

class Sharer {
 public:
  Sharer(const isa::Spec& spec, Kernel& kernel, int units) : spec_(spec), kernel_(kernel), units_(units) {
    for (const OnChipBuffer& buffer : kernel.buffers) on_chip_[buffer.buffer.get()] = buffer;
  }

  void Run() {
    Visit(kernel_.body, [this](Node& node) { Give(node); });
    if (!shares_) return;
    Visit(kernel_.body, [this](Node& node) { NoteReads(node); });
    PlaceBuffers();
    kernel_.body = Moved(std::move(kernel_.body));
  }

 private:
  template <typename F>
  static void Visit(Nodes& nodes, const F& f) {
    for (Node& node : nodes) {
      f(node);
      if (auto* loop = std::get_if<Loop>(&node.node)) Visit(loop->body, f);
      if (auto* guard = std::get_if<Guard>(&node.node)) Visit(guard->body, f);
    }
  }

  // Threads in a round: the accumulators that are a thread's own tell which one it is.
  void Give(Node& node) {
    auto* leaf = std::get_if<GemmLeaf>(&node.node);
    if (!leaf || on_chip_.at(leaf->dst.buffer.get()).copies == 1) return;
    auto& same = same_[leaf->format];
    if (same.empty()) same = FindSameWork(spec_, leaf->format);
    COSIM_CHECK(units_ <= same.size(), "{} has {} units", leaf->name, same.size());
    const SameWork& work = same[static_cast<size_t>(leaf->dst.copy) % units_];
    if (work.format == leaf->format) return;
    shares_ = true;
    std::vector<Access> sources;
    for (const int s : work.sources) sources.push_back(leaf->sources[s]);
    leaf->sources = std::move(sources);
    leaf->format = work.format;
    leaf->name = spec_.formats[work.format].name;
  }

  void Note(const Access& access, int memory) {
    if (on_chip_.count(access.buffer.get())) memories_[{access.buffer.get(), access.copy}].insert(memory);
  }

  void NoteReads(Node& node) {
    if (const auto* leaf = std::get_if<GemmLeaf>(&node.node)) {
      const isa::Intrinsic& intrinsic = *spec_.formats[leaf->format].intrinsic;
      Note(leaf->dst, intrinsic.dst.memory);
      for (size_t s = 0; s < leaf->sources.size(); ++s) Note(leaf->sources[s], intrinsic.sources[s].memory);
    } else if (const auto* alu = std::get_if<AluLeaf>(&node.node)) {
      for (const Access& operand : alu->operands) Note(operand, on_chip_.at(operand.buffer.get()).memory);
      Note(alu->result, on_chip_.at(alu->result.buffer.get()).memory);
    } else if (const auto* transfer = std::get_if<TransferLeaf>(&node.node); transfer && transfer->is_store) {
      Note(transfer->sram, on_chip_.at(transfer->sram.buffer.get()).memory);
    }
  }

  // A buffer gets a place in each memory that it is read from, with the copies that are read there.
  void PlaceBuffers() {
    std::vector<OnChipBuffer> placed;
    for (const OnChipBuffer& buffer : kernel_.buffers) {
      std::map<int, std::vector<int>> copies;  // by memory
      for (int c = 0; c < buffer.copies; ++c)
        for (const int memory : memories_[{buffer.buffer.get(), c}]) copies[memory].push_back(c);
      if (copies.empty()) copies[buffer.memory] = {};  // nothing reads it
      for (const auto& [memory, list] : copies) {
        OnChipBuffer one = buffer;
        if (memory != buffer.memory) {
          const std::string& scope = spec_.memories[memory].name;
          one.buffer = tir::MakeBuffer(buffer.buffer->name + "." + scope, buffer.buffer->type,
                                       buffer.buffer->shape, scope);
          one.memory = memory;
        }
        if (copies.size() > 1) one.copies = static_cast<int>(list.size());
        for (size_t n = 0; n < list.size(); ++n)
          places_[{{buffer.buffer.get(), list[n]}, memory}] = {
              one.buffer, copies.size() > 1 ? static_cast<int>(n) : list[n]};
        placed.push_back(std::move(one));
      }
    }
    kernel_.buffers = std::move(placed);
  }

  void Move(Access& access, int memory) const {
    const auto place = places_.find({{access.buffer.get(), access.copy}, memory});
    if (place == places_.end()) return;
    std::tie(access.buffer, access.copy) = place->second;
  }

  Nodes Moved(Nodes nodes) {
    Nodes out;
    for (Node& node : nodes) {
      if (auto* loop = std::get_if<Loop>(&node.node)) {
        loop->body = Moved(std::move(loop->body));
      } else if (auto* guard = std::get_if<Guard>(&node.node)) {
        guard->body = Moved(std::move(guard->body));
      } else if (auto* gemm = std::get_if<GemmLeaf>(&node.node)) {
        const isa::Intrinsic& intrinsic = *spec_.formats[gemm->format].intrinsic;
        Move(gemm->dst, intrinsic.dst.memory);
        for (size_t s = 0; s < gemm->sources.size(); ++s) Move(gemm->sources[s], intrinsic.sources[s].memory);
      } else if (auto* alu = std::get_if<AluLeaf>(&node.node)) {
        for (Access& operand : alu->operands) Move(operand, on_chip_.at(operand.buffer.get()).memory);
        Move(alu->result, on_chip_.at(alu->result.buffer.get()).memory);
      } else if (auto* transfer = std::get_if<TransferLeaf>(&node.node); transfer->is_store) {
        Move(transfer->sram, on_chip_.at(transfer->sram.buffer.get()).memory);
      } else {
        const auto& memories = memories_[{transfer->sram.buffer.get(), transfer->sram.copy}];
        for (const int memory : memories) {
          TransferLeaf load = *transfer;
          Move(load.sram, memory);
          out.push_back({std::move(load)});
        }
        if (!memories.empty()) continue;
      }
      out.push_back(std::move(node));
    }
    return out;
  }

  const isa::Spec& spec_;
  Kernel& kernel_;
  const size_t units_;
  bool shares_ = false;
  std::map<const tir::BufferNode*, OnChipBuffer> on_chip_;  // as it was
  std::map<int, std::vector<SameWork>> same_;               // by format
  std::map<Copy, std::set<int>> memories_;                  // that a copy is read in
  std::map<std::pair<Copy, int>, std::pair<tir::Buffer, int>> places_;
};

}  // namespace

void ShareUnits(Kernel& kernel, const isa::Spec& spec, int units) {
  if (units > 1) Sharer(spec, kernel, units).Run();
}

}  // namespace cosim::accel
