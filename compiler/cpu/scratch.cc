// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "isa/check.h"

namespace cosim::cpu {
namespace {

constexpr uint64_t kBlockAlignment = 64;

/// Stands before a block, in an alignment's bytes of its own.
struct Header {
  uint64_t bytes;
};

Header* HeaderOf(void* block) {
  return reinterpret_cast<Header*>(static_cast<char*>(block) - kBlockAlignment);
}

/// Blocks that wait for a kernel, least first.
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { Clear(); }

  /// The least that is large enough, which is kept no longer.
  Header* Take(uint64_t bytes) {
    const auto at = Place(bytes);
    if (at == blocks_.end()) return nullptr;
    Header* const block = *at;
    blocks_.erase(at);
    bytes_ -= block->bytes;
    return block;
  }

  void Clear() {
    for (Header* block : blocks_) std::free(block);
    blocks_.clear();
    bytes_ = 0;
  }

  void Give(Header* block) {
    blocks_.insert(Place(block->bytes), block);
    bytes_ += block->bytes;
    while (bytes_ > kMostKeptScratch) {
      bytes_ -= blocks_.front()->bytes;
      std::free(blocks_.front());
      blocks_.erase(blocks_.begin());
    }
  }

  uint64_t bytes() const { return bytes_; }

 private:
  std::vector<Header*>::iterator Place(uint64_t bytes) {
    return std::lower_bound(blocks_.begin(), blocks_.end(), bytes,
                            [](const Header* block, uint64_t wanted) { return block->bytes < wanted; });
  }

  std::vector<Header*> blocks_;
  uint64_t bytes_ = 0;
};

Kept& OfThisThread() {
  static thread_local Kept kept;
  return kept;
}

}  // namespace

void* AllocateScratch(uint64_t bytes) {
  Header* header = OfThisThread().Take(bytes);
  if (!header) {
    OfThisThread().Clear();  // a larger one does what these did
    const uint64_t whole = (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
    header = static_cast<Header*>(std::aligned_alloc(kBlockAlignment, kBlockAlignment + whole));
    COSIM_CHECK(header != nullptr, "a kernel's buffer of {} bytes", bytes);
    header->bytes = whole;
  }
  return reinterpret_cast<char*>(header) + kBlockAlignment;
}

void FreeScratch(void* block) { OfThisThread().Give(HeaderOf(block)); }

uint64_t KeptScratch() { return OfThisThread().bytes(); }

}  // namespace cosim::cpu
