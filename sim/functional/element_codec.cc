// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking of elements: copies where a lane is a signed integer of whole bytes, bit by bit
// elsewhere.
#include "sim/functional/element_codec.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "isa/check.h"

namespace cosim::sim {
namespace {

/// The host's integers stand in memory as the accelerator's do: lowest byte first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

int BytesCovering(int64_t first_bit, int bits) { return static_cast<int>((first_bit % 8 + bits + 7) / 8); }

/// `bits` <= 64 bits of `data` from bit `at` on.
uint64_t ReadBits(const uint8_t* data, int64_t at, int bits) {
  uint64_t value = 0;
  const uint8_t* from = data + at / 8;
  const int shift = static_cast<int>(at % 8);
  const int bytes = BytesCovering(at, bits);
  std::memcpy(&value, from, bytes < 8 ? bytes : 8);
  value >>= shift;
  if (bytes > 8) value |= static_cast<uint64_t>(from[8]) << (64 - shift);
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

/// Sets bits of `data`, which must be 0.
void OrBits(uint8_t* data, int64_t at, int bits, uint64_t value) {
  if (bits < 64) value &= (uint64_t{1} << bits) - 1;
  uint8_t* to = data + at / 8;
  const int shift = static_cast<int>(at % 8);
  const int bytes = BytesCovering(at, bits);
  uint64_t word = 0;
  std::memcpy(&word, to, bytes < 8 ? bytes : 8);
  word |= value << shift;
  std::memcpy(to, &word, bytes < 8 ? bytes : 8);
  if (bytes > 8) to[8] = static_cast<uint8_t>(to[8] | value >> (64 - shift));
}

/// Lanes of `From`, wrapped to as many whole bytes as `bytes`.
template <class From>
void Narrow(const From* from, int64_t count, int bytes, uint8_t* to) {
  if (bytes == static_cast<int>(sizeof(From))) {
    std::memcpy(to, from, count * bytes);
  } else if (bytes == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<uint8_t>(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const auto wide = static_cast<int64_t>(from[i]);
      std::memcpy(to + i * bytes, &wide, bytes);
    }
  }
}

}  // namespace

ElementCodec::ElementCodec(const isa::Memory& memory, const MemoryStore& store)
    : fields_(memory.fields),
      stored_bytes_(memory.stored_bytes),
      lanes_(store.lanes),
      record_bits_(memory.record_bits) {
  const int width = fields_[0].type.width;
  whole_bytes_ = fields_.size() == 1 && fields_[0].type.is_signed && record_bits_ == width &&
                 (width == 8 || width == 16 || width == 32 || width == 64);
  COSIM_CHECK(fields_.size() == store.fields.size(), "memory '{}' mirrors a record", memory.name);
  COSIM_CHECK((lanes_ * record_bits_ + 7) / 8 <= stored_bytes_, "memory '{}'", memory.name);
}

void ElementCodec::Unpack(const uint8_t* dram, MemoryStore& store, int64_t element, int64_t count) const {
  if (whole_bytes_) {
    const int64_t bytes = lanes_ * record_bits_ / 8;
    WithStorage(store.fields[0], [&](auto* values) {
      auto* to = reinterpret_cast<uint8_t*>(values) + element * bytes;
      if (bytes == stored_bytes_) {
        std::memcpy(to, dram, count * bytes);
      } else {
        for (int64_t e = 0; e < count; ++e) std::memcpy(to + e * bytes, dram + e * stored_bytes_, bytes);
      }
    });
    return;
  }
  for (size_t f = 0; f < fields_.size(); ++f) {
    const isa::Field& field = fields_[f];
    WithStorage(store.fields[f], [&](auto* values) {
      for (int64_t e = 0; e < count; ++e) {
        for (int64_t lane = 0; lane < lanes_; ++lane) {
          const int64_t at = lane * record_bits_ + field.offset;
          const uint64_t bits = ReadBits(dram + e * stored_bytes_, at, field.type.width);
          values[(element + e) * lanes_ + lane] = static_cast<std::remove_reference_t<decltype(*values)>>(
              WrapTo(static_cast<int64_t>(bits), field.type));
        }
      }
    });
  }
}

void ElementCodec::Patch(std::span<const uint8_t> bytes, int64_t first, MemoryStore& store,
                         int64_t element) const {
  if (whole_bytes_) {
    const int64_t whole = lanes_ * record_bits_ / 8;
    const int64_t count = std::min<int64_t>(static_cast<int64_t>(bytes.size()), whole - first);
    WithStorage(store.fields[0], [&](auto* values) {
      if (count > 0)
        std::memcpy(reinterpret_cast<uint8_t*>(values) + element * whole + first, bytes.data(), count);
    });
    return;
  }
  std::vector<uint8_t> packed(stored_bytes_);
  Pack(store, element, 1, packed.data());
  std::ranges::copy(bytes, packed.begin() + first);
  Unpack(packed.data(), store, element, 1);
}

void ElementCodec::Pack(const MemoryStore& store, int64_t element, int64_t count, uint8_t* dram) const {
  if (whole_bytes_) {
    const int64_t bytes = lanes_ * record_bits_ / 8;
    WithStorage(store.fields[0], [&](const auto* values) {
      const auto* from = values + element * lanes_;
      if (bytes == stored_bytes_) {
        Narrow(from, count * lanes_, record_bits_ / 8, dram);
        return;
      }
      std::memset(dram, 0, count * stored_bytes_);
      for (int64_t e = 0; e < count; ++e)
        Narrow(from + e * lanes_, lanes_, record_bits_ / 8, dram + e * stored_bytes_);
    });
    return;
  }
  std::memset(dram, 0, count * stored_bytes_);
  for (size_t f = 0; f < fields_.size(); ++f) {
    const isa::Field& field = fields_[f];
    WithStorage(store.fields[f], [&](const auto* values) {
      for (int64_t e = 0; e < count; ++e) {
        for (int64_t lane = 0; lane < lanes_; ++lane) {
          const auto value = static_cast<int64_t>(values[(element + e) * lanes_ + lane]);
          OrBits(dram + e * stored_bytes_, lane * record_bits_ + field.offset, field.type.width,
                 static_cast<uint64_t>(value));
        }
      }
    });
  }
}

}  // namespace cosim::sim
