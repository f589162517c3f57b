// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/instruction_fields.h"

#include "compiler/accel/capabilities.h"
#include "isa/program/codec.h"

namespace cosim::accel {
namespace {

constexpr std::array<std::string_view, kFieldRoles> kNames = {
    "sram",      "dram",      "rows",      "cols",      "stride",      "pad_top",     "pad_bottom",
    "pad_left",  "pad_right", "pad_value", "row_bytes", "piece_bytes", "piece_first", "piece_step",
    "uop_begin", "uop_end",   "iter_out",  "iter_in",   "op",          "overwrite",   "reset",
};

}  // namespace

std::string_view NameOf(FieldRole role) { return kNames[static_cast<size_t>(role)]; }

void InstructionFields::Fill(Table& table, int format) const {
  const isa::InstructionFormat& f = spec_->formats[format];
  for (size_t role = 0; role < kFieldRoles; ++role) table.index[role] = f.FieldIndex(kNames[role]);
  for (const isa::Field& field : f.fields) table.ranges.push_back({field.type.Min(), field.type.Max()});
  table.blank = isa::BlankInstruction(*spec_, format);
}

int64_t InstructionFields::MostOf(int format, FieldRole role) {
  const Table& table = TableOf(format);
  const int index = table.index[static_cast<size_t>(role)];
  return index < 0 ? 0 : table.ranges[index].most;
}

int InstructionFields::TransferOf(int memory, bool is_store, int lane_bits) {
  const auto [known, is_new] = transfers_.try_emplace({memory, is_store, lane_bits}, -1);
  if (is_new) known->second = FindTransfer(*spec_, memory, is_store, lane_bits);
  return known->second;
}

int InstructionFields::GatherOf(int memory) {
  const auto [known, is_new] = gathers_.try_emplace(memory, -1);
  if (is_new) known->second = FindGather(*spec_, memory);
  return known->second;
}

}  // namespace cosim::accel
