// SPDX-License-Identifier: Apache-2.0
// Packs and unpacks elements, and follows the micro-op memories through a program.
#include "isa/program/microops.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/check.h"

namespace cosim::isa {
namespace {

static_assert(std::endian::native == std::endian::little, "lanes are copied as the host stores them");

uint64_t LowBits(int width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

int64_t SignExtend(uint64_t bits, ScalarType type) {
  if (!type.is_signed || type.width >= 64) return static_cast<int64_t>(bits);
  const int shift = 64 - type.width;
  return static_cast<int64_t>(bits << shift) >> shift;
}

/// True when lanes are whole host integers that follow each other without gaps, so that no bit has to be
/// moved.
bool IsPlain(const Memory& memory) {
  if (memory.fields.size() != 1 || memory.element_bits != memory.stored_bytes * 8) return false;
  const int width = memory.record_bits;
  return width == 8 || width == 16 || width == 32;
}

template <typename T>
void PackPlain(std::span<const int64_t> values, uint8_t* bytes) {
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
  }
}

template <typename T>
void UnpackPlain(const uint8_t* bytes, std::span<int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
}

void CheckSizes(const Memory& memory, size_t values, size_t bytes) {
  const size_t per_element = static_cast<size_t>(ValuesPerElement(memory));
  COSIM_CHECK(
      values % per_element == 0 && bytes == values / per_element * static_cast<size_t>(memory.stored_bytes),
      "{} values in {} bytes of '{}'", values, bytes, memory.name);
}

}  // namespace

int64_t ValuesPerElement(const Memory& memory) {
  int64_t lanes = 1;
  for (int extent : memory.lanes) lanes *= extent;
  return lanes * static_cast<int64_t>(memory.fields.size());
}

bool Fits(int64_t value, ScalarType type) {
  if (type.is_signed) return type.width >= 64 || SignExtend(static_cast<uint64_t>(value), type) == value;
  return value >= 0 && (type.width >= 63 || value >> type.width == 0);
}

void PutBits(std::span<uint8_t> bytes, int64_t offset, int width, uint64_t value) {
  value &= LowBits(width);
  while (width > 0) {
    const int shift = static_cast<int>(offset % 8);
    const int count = std::min(8 - shift, width);
    const uint8_t mask = static_cast<uint8_t>(LowBits(count) << shift);
    uint8_t& byte = bytes[offset / 8];
    byte = static_cast<uint8_t>((byte & ~mask) | ((value << shift) & mask));
    value >>= count;
    offset += count;
    width -= count;
  }
}

uint64_t TakeBits(std::span<const uint8_t> bytes, int64_t offset, int width) {
  uint64_t value = 0;
  for (int done = 0; done < width;) {
    const int shift = static_cast<int>((offset + done) % 8);
    const int count = std::min(8 - shift, width - done);
    value |= ((uint64_t{bytes[(offset + done) / 8]} >> shift) & LowBits(count)) << done;
    done += count;
  }
  return value;
}

int64_t TakeValue(std::span<const uint8_t> bytes, int64_t offset, ScalarType type) {
  return SignExtend(TakeBits(bytes, offset, type.width), type);
}

void PackElements(const Memory& memory, std::span<const int64_t> values, std::span<uint8_t> bytes) {
  CheckSizes(memory, values.size(), bytes.size());
  const size_t fields = memory.fields.size();
  for (size_t f = 0; f < fields; ++f) {
    const ScalarType type = memory.fields[f].type;
    for (size_t i = f; i < values.size(); i += fields)
      COSIM_CHECK(Fits(values[i], type), "{} does not fit a lane of '{}'", values[i], memory.name);
  }
  if (IsPlain(memory)) {
    if (memory.record_bits == 8) return PackPlain<uint8_t>(values, bytes.data());
    if (memory.record_bits == 16) return PackPlain<uint16_t>(values, bytes.data());
    return PackPlain<uint32_t>(values, bytes.data());
  }
  std::ranges::fill(bytes, 0);
  const size_t per_element = static_cast<size_t>(ValuesPerElement(memory));
  for (size_t first = 0; first < values.size(); first += per_element) {
    const std::span<uint8_t> element =
        bytes.subspan(first / per_element * memory.stored_bytes, memory.stored_bytes);
    for (size_t i = 0; i < per_element; ++i) {
      const Field& field = memory.fields[i % fields];
      const int64_t offset = static_cast<int64_t>(i / fields) * memory.record_bits + field.offset;
      PutBits(element, offset, field.type.width, static_cast<uint64_t>(values[first + i]));
    }
  }
}

void UnpackElements(const Memory& memory, std::span<const uint8_t> bytes, std::span<int64_t> values) {
  CheckSizes(memory, values.size(), bytes.size());
  const size_t fields = memory.fields.size();
  if (IsPlain(memory)) {
    const bool is_signed = memory.fields[0].type.is_signed;
    if (memory.record_bits == 8) {
      return is_signed ? UnpackPlain<int8_t>(bytes.data(), values)
                       : UnpackPlain<uint8_t>(bytes.data(), values);
    }
    if (memory.record_bits == 16) {
      return is_signed ? UnpackPlain<int16_t>(bytes.data(), values)
                       : UnpackPlain<uint16_t>(bytes.data(), values);
    }
    return is_signed ? UnpackPlain<int32_t>(bytes.data(), values)
                     : UnpackPlain<uint32_t>(bytes.data(), values);
  }
  const size_t per_element = static_cast<size_t>(ValuesPerElement(memory));
  for (size_t first = 0; first < values.size(); first += per_element) {
    const auto element = bytes.subspan(first / per_element * memory.stored_bytes, memory.stored_bytes);
    for (size_t i = 0; i < per_element; ++i) {
      const Field& field = memory.fields[i % fields];
      const int64_t offset = static_cast<int64_t>(i / fields) * memory.record_bits + field.offset;
      values[first + i] = TakeValue(element, offset, field.type);
    }
  }
}

MicroOpMemories::MicroOpMemories(const Spec& spec, const Program& program)
    : spec_(&spec), contents_(spec.memories.size()) {
  for (const Segment& segment : program.segments) segments_.push_back(&segment);
  std::ranges::sort(segments_, {}, &Segment::address);
  for (size_t i = 0; i < spec.memories.size(); ++i) {
    const Memory& memory = spec.memories[i];
    if (!memory.is_micro_ops) continue;
    contents_[i].columns.assign(memory.fields.size(), std::vector<int64_t>(memory.depth, 0));
    contents_[i].known.assign(memory.depth, 0);
  }
}

std::span<const uint8_t> MicroOpMemories::Bytes(uint64_t address, uint64_t size) const {
  auto after = std::ranges::upper_bound(segments_, address, {}, &Segment::address);
  if (after == segments_.begin()) return {};
  const Segment& segment = **std::prev(after);
  const uint64_t offset = address - segment.address;
  if (offset > segment.bytes.size() || size > segment.bytes.size() - offset) return {};
  return std::span(segment.bytes).subspan(offset, size);
}

void MicroOpMemories::Set(Contents& contents, const Memory& memory, int64_t element,
                          std::span<const uint8_t> bytes) {
  if (element < 0 || element >= memory.depth) return;
  contents.known[element] = !bytes.empty();
  for (size_t f = 0; f < memory.fields.size(); ++f) {
    const Field& field = memory.fields[f];
    contents.columns[f][element] = bytes.empty() ? 0 : TakeValue(bytes, field.offset, field.type);
  }
}

void MicroOpMemories::Fill(Contents& contents, const Memory& memory, int64_t element, int64_t value) {
  if (element < 0 || element >= memory.depth) return;
  contents.known[element] = 1;
  for (size_t f = 0; f < memory.fields.size(); ++f) {
    const ScalarType type = memory.fields[f].type;
    contents.columns[f][element] = SignExtend(static_cast<uint64_t>(value) & LowBits(type.width), type);
  }
}

void MicroOpMemories::Execute(const Decoded& decoded) {
  const auto* load = std::get_if<Transfer>(&decoded.body);
  if (load == nullptr || load->is_store || !spec_->memories[load->memory].is_micro_ops) return;
  const Memory& memory = spec_->memories[load->memory];
  Contents& contents = contents_[load->memory];
  ++contents.version;
  int64_t element = load->sram;
  auto pad = [&](int64_t count) {
    const int64_t end = element + count;
    for (; element < end && element < memory.depth; ++element)
      Fill(contents, memory, element, load->pad_value);
    element = end;
  };
  pad(load->pad_top * load->SramCols());
  for (int64_t row = 0; row < load->rows && element < memory.depth; ++row) {
    pad(load->pad_left);
    const uint64_t start = load->dram + static_cast<uint64_t>(row) * load->stride * memory.stored_bytes;
    for (int64_t col = 0; col < load->cols && element < memory.depth; ++col, ++element) {
      Set(contents, memory, element, Bytes(start + col * memory.stored_bytes, memory.stored_bytes));
    }
    pad(load->pad_right);
  }
  pad(load->pad_bottom * load->SramCols());
}

}  // namespace cosim::isa
