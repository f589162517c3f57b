// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking of elements with fields of every width, against bit-by-bit arithmetic.
#include "sim/functional/element_codec.h"

#include <gmock/gmock.h>

#include "tests/sim/golden/random.h"

namespace cosim::sim {
namespace {

using cosim::testing::Random;
using ::testing::ElementsAre;

/// A memory of records with these field types; elements take `spare` bytes more than they need.
isa::Memory MakeMemory(const std::vector<isa::ScalarType>& types, int lanes, int64_t depth, int64_t spare) {
  isa::Memory memory{.name = "m", .lanes = {lanes}, .depth = depth};
  for (const isa::ScalarType& type : types) {
    memory.fields.push_back({.name = "f", .type = type, .offset = memory.record_bits});
    memory.record_bits += type.width;
  }
  memory.element_bits = int64_t{memory.record_bits} * lanes;
  memory.stored_bytes = (memory.element_bits + 7) / 8 + spare;
  return memory;
}

MemoryStore MakeStore(const isa::Memory& memory) {
  MemoryStore store{.depth = memory.depth, .lanes = memory.LaneCount()};
  for (const isa::Field& field : memory.fields)
    store.fields.emplace_back(field.type, store.depth * store.lanes);
  return store;
}

bool Bit(const std::vector<uint8_t>& bytes, int64_t at) { return (bytes[at / 8] >> (at % 8) & 1) != 0; }

/// Every bit of `bytes` is the bit of the lane that the layout puts there, or 0.
void ExpectPacked(const isa::Memory& memory, const MemoryStore& store, const std::vector<uint8_t>& bytes) {
  for (int64_t element = 0; element < memory.depth; ++element) {
    for (int64_t at = 0; at < memory.stored_bytes * 8; ++at) {
      bool expected = false;
      const int64_t lane = at / memory.record_bits;
      for (size_t f = 0; f < memory.fields.size() && lane < store.lanes; ++f) {
        const int64_t bit = at % memory.record_bits - memory.fields[f].offset;
        if (bit < 0 || bit >= memory.fields[f].type.width) continue;
        expected = (store.fields[f].Get(element * store.lanes + lane) >> bit & 1) != 0;
      }
      ASSERT_EQ(Bit(bytes, element * memory.stored_bytes * 8 + at), expected)
          << "element " << element << " bit " << at;
    }
  }
}

void ExpectRoundTrip(const isa::Memory& memory, Random& random) {
  MemoryStore store = MakeStore(memory);
  for (LaneArray& array : store.fields) {
    for (int64_t i = 0; i < array.count(); ++i) {
      const int64_t value = random.Value(array.type());
      array.Set(i, value);
      ASSERT_EQ(array.Get(i), value);
    }
  }
  const ElementCodec codec(memory, store);
  std::vector<uint8_t> bytes(memory.depth * memory.stored_bytes, 0xa5);
  codec.Pack(store, 0, memory.depth, bytes.data());
  ASSERT_NO_FATAL_FAILURE(ExpectPacked(memory, store, bytes));
  MemoryStore back = MakeStore(memory);
  codec.Unpack(bytes.data(), back, 0, memory.depth);
  for (size_t f = 0; f < store.fields.size(); ++f) {
    for (int64_t i = 0; i < store.fields[f].count(); ++i)
      ASSERT_EQ(back.fields[f].Get(i), store.fields[f].Get(i));
  }
}

TEST(ElementCodec, PacksRecordsOfAnyWidthsLowestBitsFirst) {
  Random random(21);
  for (int n = 0; n < 300; ++n) {
    std::vector<isa::ScalarType> types;
    const int64_t fields = random.Between(1, 4);
    for (int64_t f = 0; f < fields; ++f)
      types.push_back({static_cast<int>(random.Between(1, 63)), random.OneIn(2)});
    const isa::Memory memory =
        MakeMemory(types, static_cast<int>(random.Between(1, 9)), random.Between(1, 4), random.Between(0, 3));
    ASSERT_NO_FATAL_FAILURE(ExpectRoundTrip(memory, random));
  }
}

TEST(ElementCodec, CopiesLanesOfWholeBytes) {
  Random random(22);
  for (const int width : {8, 16, 32, 64}) {
    for (const int64_t spare : {0, 5}) {
      for (const bool is_signed : {false, true}) {
        if (width == 64 && !is_signed) continue;  // not a type
        SCOPED_TRACE(width);
        ASSERT_NO_FATAL_FAILURE(ExpectRoundTrip(MakeMemory({{width, is_signed}}, 7, 3, spare), random));
      }
    }
  }
}

TEST(ElementCodec, PacksAMirrorsLowBits) {
  const isa::Memory acc = MakeMemory({{32, true}}, 2, 1, 0);
  const isa::Memory out = MakeMemory({{8, true}}, 2, 1, 0);
  MemoryStore store = MakeStore(acc);
  store.fields[0].Set(0, 0x12345);
  store.fields[0].Set(1, -2);
  std::vector<uint8_t> bytes(2);
  ElementCodec(out, store).Pack(store, 0, 1, bytes.data());
  EXPECT_THAT(bytes, ElementsAre(0x45, 0xfe));
}

}  // namespace
}  // namespace cosim::sim
