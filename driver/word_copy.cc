// SPDX-License-Identifier: Apache-2.0
#include "driver/word_copy.h"

#include <algorithm>
#include <cstring>

namespace cosim::driver {
namespace {

constexpr uint64_t kWholeWord = 4;

/// Calls `part(word, first byte in it, bytes of it, their place in the range)` for each word of a range.
template <typename Part>
void ForEachWord(uint64_t address, uint64_t bytes, Part part) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t in_word = (address + done) % kWholeWord;
    const uint64_t count = std::min(kWholeWord - in_word, bytes - done);
    part((address + done) / kWholeWord, in_word, count, done);
    done += count;
  }
}

}  // namespace

void WriteWords(volatile uint32_t* words, uint64_t address, std::span<const uint8_t> bytes) {
  ForEachWord(address, bytes.size(), [&](uint64_t word, uint64_t first, uint64_t count, uint64_t at) {
    uint32_t value = count == kWholeWord ? 0 : words[word];
    std::memcpy(reinterpret_cast<uint8_t*>(&value) + first, bytes.data() + at, count);
    words[word] = value;
  });
}

void ReadWords(const volatile uint32_t* words, uint64_t address, std::span<uint8_t> bytes) {
  ForEachWord(address, bytes.size(), [&](uint64_t word, uint64_t first, uint64_t count, uint64_t at) {
    const uint32_t value = words[word];
    std::memcpy(bytes.data() + at, reinterpret_cast<const uint8_t*>(&value) + first, count);
  });
}

}  // namespace cosim::driver
