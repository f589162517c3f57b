// SPDX-License-Identifier: Apache-2.0
// The row loops of loads and stores, and the bounds that make them safe.
#include "sim/functional/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/wide.h"

namespace cosim::sim {
namespace {

bool IsNegative(const isa::Transfer& t) {
  return t.sram < 0 || t.rows < 0 || t.cols < 0 || t.stride < 0 || t.pad_top < 0 || t.pad_bottom < 0 ||
         t.pad_left < 0 || t.pad_right < 0 || t.piece_bytes < 0 || t.piece_first < 0 || t.piece_step < 0 ||
         t.row_bytes < 0;
}

void LoadPieces(const isa::Transfer& transfer, const ElementCodec& codec, std::span<const uint8_t> dram,
                MemoryStore& store) {
  int64_t element = transfer.sram;
  for (int64_t r = 0; r < transfer.rows; ++r) {
    const uint8_t* piece = dram.data() + transfer.dram + r * transfer.stride;
    for (int64_t c = 0; c < transfer.cols; ++c, ++element, piece += transfer.piece_step)
      codec.Patch({piece, static_cast<size_t>(transfer.piece_bytes)}, transfer.piece_first, store, element);
  }
}

void FillElements(MemoryStore& store, int64_t element, int64_t count, int64_t value) {
  for (LaneArray& array : store.fields) {
    WithStorage(array, [&](auto* values) {
      const auto lane = static_cast<std::remove_reference_t<decltype(*values)>>(WrapTo(value, array.type()));
      std::fill_n(values + element * store.lanes, count * store.lanes, lane);
    });
  }
}

}  // namespace

std::string TransferError(const isa::Spec& spec, const isa::Transfer& transfer, int64_t depth,
                          uint64_t dram_bytes) {
  const isa::Memory& memory = spec.memories[transfer.memory];
  if (IsNegative(transfer)) return "a field is negative";
  // Products of instruction fields, whatever their widths, stay exact in this.
  const Wide rows = Wide{transfer.rows} + transfer.pad_top + transfer.pad_bottom;
  const Wide cols = Wide{transfer.cols} + transfer.pad_left + transfer.pad_right;
  const Wide elements_end =
      transfer.sram + (transfer.is_store ? Wide{transfer.rows} * transfer.cols : rows * cols);
  if (elements_end > depth) {
    return fmt::format("touches elements {} to {} of '{}', which has {}", transfer.sram,
                       static_cast<int64_t>(elements_end - 1), memory.name, depth);
  }
  if (transfer.rows == 0 || transfer.cols == 0) return {};
  if (std::string wrong = isa::PieceError(spec, transfer); !wrong.empty()) return wrong;
  const int64_t alignment = isa::DramAlignment(spec, memory);
  if (!transfer.gathers && transfer.dram % static_cast<uint64_t>(alignment) != 0)
    return fmt::format("has the DRAM address {}, which is not a multiple of {}", transfer.dram, alignment);
  const Wide reach = isa::ReachOf(transfer, memory.stored_bytes);
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  const auto end = static_cast<int64_t>(std::min(dram_bytes, kMost));  // of DRAM without a bound too
  if (transfer.dram > kMost || Wide{static_cast<int64_t>(transfer.dram)} + reach > end) {
    return fmt::format("touches DRAM bytes {} to {}, but there are {}", transfer.dram,
                       transfer.dram + static_cast<uint64_t>(static_cast<int64_t>(reach)) - 1, dram_bytes);
  }
  return {};
}

void Load(const isa::Transfer& transfer, const ElementCodec& codec, std::span<const uint8_t> dram,
          MemoryStore& store) {
  if (transfer.gathers) return LoadPieces(transfer, codec, dram, store);
  const int64_t row = transfer.SramCols();
  const int64_t top = transfer.pad_top * row;
  const int64_t bottom = transfer.pad_bottom * row;
  int64_t element = transfer.sram;
  FillElements(store, element, top, transfer.pad_value);
  element += top;
  if (row == transfer.cols && transfer.stride == transfer.cols) {
    codec.Unpack(dram.data() + transfer.dram, store, element, transfer.rows * transfer.cols);
    element += transfer.rows * row;
  } else {
    for (int64_t r = 0; r < transfer.rows; ++r, element += row) {
      FillElements(store, element, transfer.pad_left, transfer.pad_value);
      if (transfer.cols > 0) {
        const uint8_t* from = dram.data() + transfer.dram + r * transfer.stride * codec.stored_bytes();
        codec.Unpack(from, store, element + transfer.pad_left, transfer.cols);
      }
      FillElements(store, element + transfer.pad_left + transfer.cols, transfer.pad_right,
                   transfer.pad_value);
    }
  }
  FillElements(store, element, bottom, transfer.pad_value);
}

void Store(const isa::Transfer& transfer, const ElementCodec& codec, const MemoryStore& store,
           std::span<uint8_t> dram) {
  if (transfer.cols == 0) return;
  for (int64_t r = 0; r < transfer.rows; ++r) {
    uint8_t* to = dram.data() + transfer.dram + r * transfer.stride * codec.stored_bytes();
    codec.Pack(store, transfer.sram + r * transfer.cols, transfer.cols, to);
  }
}

uint64_t TransferBytes(const isa::Transfer& transfer, int64_t stored_bytes, int beat_bytes) {
  if (transfer.cols == 0) return 0;
  const uint64_t beat = beat_bytes;
  uint64_t beats = 0;
  for (int64_t r = 0; r < transfer.rows; ++r) {
    const uint64_t first = transfer.dram + r * transfer.StrideBytes(stored_bytes);
    beats += (first + transfer.RowBytes(stored_bytes) - 1) / beat - first / beat + 1;
  }
  return beats * beat;
}

}  // namespace cosim::sim
