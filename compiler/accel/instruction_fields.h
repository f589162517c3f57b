// SPDX-License-Identifier: Apache-2.0
// The fields of a spec's instructions by the part they play, and which instruction moves what, each looked up
// once: a program has many thousands of instructions.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

enum class FieldRole {
  kSram,
  kDram,
  kRows,
  kCols,
  kStride,
  kPadTop,
  kPadBottom,
  kPadLeft,
  kPadRight,
  kPadValue,
  kRowBytes,
  kPieceBytes,
  kPieceFirst,
  kPieceStep,
  kUopBegin,
  kUopEnd,
  kIterOut,
  kIterIn,
  kOp,
  kOverwrite,
  kReset,
};
inline constexpr size_t kFieldRoles = static_cast<size_t>(FieldRole::kReset) + 1;

/// What the spec calls such a field.
std::string_view NameOf(FieldRole role);

class InstructionFields {
 public:
  /// Keeps a pointer to `spec`.
  explicit InstructionFields(const isa::Spec& spec) : spec_(&spec), tables_(spec.formats.size()) {}

  /// -1: the format has none.
  int IndexOf(int format, FieldRole role) { return TableOf(format).index[static_cast<size_t>(role)]; }
  /// The most such a field holds; 0 if there is none.
  int64_t MostOf(int format, FieldRole role);
  bool Holds(int format, int field, int64_t value) {
    const Range& range = TableOf(format).ranges[field];
    return range.least <= value && value <= range.most;
  }
  /// An instruction with its opcode and other fixed fields, everything else 0.
  const isa::Instruction& Blank(int format) { return TableOf(format).blank; }
  /// FindTransfer's.
  int TransferOf(int memory, bool is_store, int lane_bits = 0);
  /// FindGather's.
  int GatherOf(int memory);

 private:
  struct Range {
    int64_t least = 0, most = 0;
  };
  struct Table {
    std::array<int, kFieldRoles> index{};
    std::vector<Range> ranges;  ///< by field; none before the table is made
    isa::Instruction blank;
  };
  Table& TableOf(int format) {
    Table& table = tables_[format];
    if (table.ranges.empty()) Fill(table, format);
    return table;
  }
  void Fill(Table& table, int format) const;

  const isa::Spec* spec_;
  std::vector<Table> tables_;
  std::map<std::tuple<int, bool, int>, int> transfers_;
  std::map<int, int> gathers_;
};

}  // namespace cosim::accel
