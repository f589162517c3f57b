// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/scratch.h"

#include <sys/mman.h>

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

// Large blocks are mapped by themselves: what is freed goes back to the system whole.
constexpr uint64_t kMapped = 512 << 10;

Header* Make(uint64_t bytes) {
  const uint64_t whole = kBlockAlignment + bytes;
  if (whole < kMapped) return static_cast<Header*>(std::aligned_alloc(kBlockAlignment, whole));
  void* const pages = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<Header*>(pages);
}

void Release(Header* block) {
  const uint64_t whole = kBlockAlignment + block->bytes;
  if (whole < kMapped) return std::free(block);
  munmap(block, whole);
}

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
    for (Header* block : blocks_) Release(block);
    blocks_.clear();
    bytes_ = 0;
  }

  void Give(Header* block) {
    blocks_.insert(Place(block->bytes), block);
    bytes_ += block->bytes;
    while (bytes_ > kMostKeptScratch) {
      bytes_ -= blocks_.front()->bytes;
      Release(blocks_.front());
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
    header = Make(whole);
    COSIM_CHECK(header != nullptr, "a kernel's buffer of {} bytes", bytes);
    header->bytes = whole;
  }
  return reinterpret_cast<char*>(header) + kBlockAlignment;
}

void FreeScratch(void* block) { OfThisThread().Give(HeaderOf(block)); }

uint64_t KeptScratch() { return OfThisThread().bytes(); }

}  // namespace cosim::cpu
