// SPDX-License-Identifier: Apache-2.0
// Places on-chip buffers. See passes.h.
#include <algorithm>
#include <optional>

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

// Places the first copies of the first `forward` buffers in the first banks, the second ones in the next, and
// so on, and those of the others the other way round; false if they do not fit so.
bool Spread(std::vector<OnChipBuffer*>& buffers, const isa::Memory& memory, size_t forward) {
  const int copies = buffers.front()->copies;
  if (copies == 1 || memory.banks < copies) return false;
  const int64_t bank = memory.depth / memory.banks, span = memory.banks / copies * bank;
  for (const bool aligned : {true, false}) {
    int64_t next = 0;
    bool fits = true;
    for (size_t b = 0; b < buffers.size(); ++b) {
      OnChipBuffer* const buffer = buffers[b];
      const int64_t first = aligned ? tir::RoundUp(next, bank) : next;
      buffer->address = b < forward ? first : first + (copies - 1) * span;
      buffer->copy_stride = b < forward ? span : -span;
      next = first + buffer->elements;
      fits = fits && next <= span && buffer->copies == copies;
    }
    if (fits) return true;
  }
  return false;
}

// `forward`: of the buffers, if they are of two kernels, those of the first.
Refusal Assign(Kernel& kernel, const isa::Spec& spec, StorageCursor& cursor, std::optional<size_t> forward) {
  cursor.next.resize(spec.memories.size(), 0);
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const isa::Memory& memory = spec.memories[m];
    std::vector<OnChipBuffer*> buffers;
    int64_t total = 0;
    size_t of_first = 0;
    for (size_t b = 0; b < kernel.buffers.size(); ++b) {
      OnChipBuffer& buffer = kernel.buffers[b];
      if (buffer.memory != static_cast<int>(m)) continue;
      buffers.push_back(&buffer);
      total += buffer.elements * buffer.copies;
      of_first += forward && b < *forward;
    }
    if (buffers.empty()) continue;
    const int64_t from = cursor.next[m] % memory.depth;
    bool placed = forward && Spread(buffers, memory, of_first);
    for (Alignment alignment : {Alignment::kCopies, Alignment::kBuffers, Alignment::kNone})
      for (int64_t start : {from, int64_t{0}})
        placed = placed || Place(buffers, memory, alignment, start, cursor.next[m]);
    if (!placed)
      return {fmt::format("{} needs {} elements of '{}', which has {}", kernel.name, total, memory.name,
                          memory.depth)};
  }
  return {};
}

}  // namespace

Refusal AssignStorage(Kernel& kernel, const isa::Spec& spec, StorageCursor& cursor) {
  return Assign(kernel, spec, cursor, std::nullopt);
}

Refusal AssignStorageOfBoth(Kernel& first, Kernel& second, const isa::Spec& spec) {
  Kernel both;
  both.name = fmt::format("{} and {}", first.name, second.name);
  for (const Kernel* kernel : {&first, &second})
    both.buffers.insert(both.buffers.end(), kernel->buffers.begin(), kernel->buffers.end());
  StorageCursor cursor;
  if (Refusal refusal = Assign(both, spec, cursor, first.buffers.size())) return refusal;
  const auto middle = both.buffers.begin() + static_cast<std::ptrdiff_t>(first.buffers.size());
  first.buffers.assign(both.buffers.begin(), middle);
  second.buffers.assign(middle, both.buffers.end());
  return {};
}

}  // namespace cosim::accel
