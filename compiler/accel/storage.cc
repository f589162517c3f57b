// SPDX-License-Identifier: Apache-2.0
// Places on-chip buffers. See passes.h.
#include <algorithm>

#include "compiler/accel/passes.h"
#include "compiler/tir/rounding.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

enum class Alignment { kCopies, kBuffers, kNone };  // what starts on a bank of its own

// Places all buffers of one memory from `start` on, wrapping to 0 once; false if they do not fit.
bool Place(std::vector<OnChipBuffer*>& buffers, const isa::Memory& memory, Alignment alignment, int64_t start,
           int64_t& end) {
  const int64_t bank = memory.banks > 1 ? memory.depth / memory.banks : 1;
  int64_t next = start, limit = memory.depth;
  bool wrapped = start == 0;
  for (OnChipBuffer* buffer : buffers) {
    buffer->copy_stride =
        alignment == Alignment::kCopies ? tir::RoundUp(buffer->elements, bank) : buffer->elements;
    const int64_t size = (buffer->copies - 1) * buffer->copy_stride + buffer->elements;
    if (alignment != Alignment::kNone) next = tir::RoundUp(next, bank);
    if (next + size > limit) {
      if (wrapped) return false;
      wrapped = true;
      next = 0;
      limit = start;
      if (size > limit) return false;
    }
    buffer->address = next;
    next += size;
  }
  end = next;
  return true;
}

}  // namespace

Refusal AssignStorage(Kernel& kernel, const isa::Spec& spec, StorageCursor& cursor) {
  cursor.next.resize(spec.memories.size(), 0);
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const isa::Memory& memory = spec.memories[m];
    std::vector<OnChipBuffer*> buffers;
    int64_t total = 0;
    for (OnChipBuffer& buffer : kernel.buffers)
      if (buffer.memory == static_cast<int>(m)) {
        buffers.push_back(&buffer);
        total += buffer.elements * buffer.copies;
      }
    if (buffers.empty()) continue;
    const int64_t from = cursor.next[m] % memory.depth;
    bool placed = false;
    for (Alignment alignment : {Alignment::kCopies, Alignment::kBuffers, Alignment::kNone})
      for (int64_t start : {from, int64_t{0}})
        placed = placed || Place(buffers, memory, alignment, start, cursor.next[m]);
    if (!placed)
      return {fmt::format("{} needs {} elements of '{}', which has {}", kernel.name, total, memory.name,
                          memory.depth)};
  }
  return {};
}

}  // namespace cosim::accel
