// SPDX-License-Identifier: Apache-2.0
// The fields that each kind of instruction needs: there, of the right type, wide enough for the memory they
// index.
#include <algorithm>
#include <array>
#include <span>

#include "isa/spec/elaborate.h"
#include "isa/spec/param_expr.h"

namespace cosim::isa {
namespace {

constexpr std::array<std::string_view, 5> kTransferFields = {"sram", "dram", "rows", "cols", "stride"};
constexpr std::array<std::string_view, 5> kPadFields = {"pad_top", "pad_bottom", "pad_left", "pad_right",
                                                        "pad_value"};
constexpr std::array<std::string_view, 4> kPieceFields = {"piece_bytes", "piece_first", "piece_step",
                                                          "row_bytes"};
constexpr std::array<std::string_view, 4> kNestFields = {"uop_begin", "uop_end", "iter_out", "iter_in"};

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class RoleChecker {
 public:
  RoleChecker(Elaboration& e, int index)
      : e_(e), index_(index), format_(e.spec.formats[index]), entry_(*e.formats[index]) {}

  void Check() {
    switch (format_.kind) {
      case Kind::kLoad:
      case Kind::kStore:
        CheckTransfer();
        break;
      case Kind::kGemm:
      case Kind::kAlu:
        CheckNest();
        break;
      case Kind::kSync:
        break;
    }
    CheckKnown();
    CheckLocks();
  }

 private:
  /// The field, or -1 after reporting that it is missing.
  int Require(std::string_view name) {
    const int field = format_.FieldIndex(name);
    if (field < 0) {
      Report(e_.diags, codes::kMissingField, entry_.key,
             fmt::format("instruction '{}' of kind {} lacks the field '{}'", format_.name,
                         KindName(format_.kind), name));
    }
    return field;
  }

  void CheckUnsigned(std::string_view name) {
    const int field = format_.FieldIndex(name);
    if (field < 0 || !format_.fields[field].type.is_signed) return;
    Report(e_.diags, codes::kSignedField, TypeNode(name), fmt::format("field '{}' has to be unsigned", name));
  }

  const YamlNode& TypeNode(std::string_view field) const {
    const YamlEntry* own = FieldEntry(entry_, field);
    return own ? own->value : entry_.key;
  }

  /// `needs` bits for what the field counts in the memory's elements.
  void CheckWidth(std::string_view name, const Memory& memory, int needs) {
    const int field = format_.FieldIndex(name);
    if (field < 0) return;
    const int width = format_.fields[field].type.width;
    if (width < needs) ReportNarrow(TypeNode(name), fmt::format("field '{}'", name), width, memory, needs);
  }

  void ReportNarrow(const YamlNode& at, const std::string& what, int width, const Memory& memory, int needs) {
    Diagnostic& error =
        Report(e_.diags, codes::kNarrowField, at,
               fmt::format("{} has {} bit{}, but memory '{}' has {} elements and needs {}", what, width,
                           width == 1 ? "" : "s", memory.name, memory.depth, needs));
    const bool is_end = needs > IndexBits(memory.depth);
    error.hint = fmt::format("uint(index_bits({}.depth){}) always fits", memory.name, is_end ? " + 1" : "");
    e_.definitions.ExplainDepth(memory, error);
  }

  void CheckTransfer() {
    for (std::string_view name : kTransferFields) {
      Require(name);
      CheckUnsigned(name);
    }
    for (std::string_view name : kPadFields) {
      if (name != "pad_value") CheckUnsigned(name);
    }
    const Memory& memory = e_.spec.memories[format_.memory];
    CheckWidth("sram", memory, IndexBits(memory.depth));
    CheckPieces(memory);
    if (format_.FieldIndex("pad_value") >= 0 && !memory.fields[0].name.empty()) {
      Report(e_.diags, codes::kFieldWithoutRole, FieldEntry(entry_, "pad_value")->key,
             fmt::format("memory '{}' holds records, which no single value can pad", memory.name));
    }
  }

  /// A load has all fields of pieces or none, and none together with padding.
  void CheckPieces(const Memory& memory) {
    if (format_.kind != Kind::kLoad) return;
    auto is_there = [&](std::string_view name) { return format_.FieldIndex(name) >= 0; };
    if (std::ranges::none_of(kPieceFields, is_there)) return;
    for (std::string_view name : kPieceFields) {
      Require(name);
      CheckUnsigned(name);
    }
    for (std::string_view name : kPadFields) {
      if (!is_there(name)) continue;
      Report(e_.diags, codes::kFieldWithoutRole, FieldEntry(entry_, name)->key,
             fmt::format("instruction '{}' gathers pieces, which have no padding", format_.name))
          .hint = "put the border into memory, or give padding to an instruction of its own";
    }
    if (memory.is_micro_ops || memory.mirrors >= 0) {
      Report(e_.diags, codes::kFieldWithoutRole, entry_.key,
             fmt::format("instruction '{}' gathers pieces into '{}', which {}", format_.name, memory.name,
                         memory.is_micro_ops ? "holds micro-ops" : "has no storage of its own"));
    }
  }

  void CheckNest() {
    for (std::string_view name : kNestFields) {
      Require(name);
      CheckUnsigned(name);
    }
    const Memory& micro_ops = e_.spec.memories[format_.micro_ops];
    CheckWidth("uop_begin", micro_ops, IndexBits(micro_ops.depth));
    CheckWidth("uop_end", micro_ops, Log2Ceil(micro_ops.depth + 1));
    if (format_.kind == Kind::kAlu) {
      Require("op");
      CheckUnsigned("op");
    }
    for (std::string_view flag : {"reset", "overwrite"}) {
      const int field = format_.FieldIndex(flag);
      if (format_.kind != Kind::kGemm || field < 0 || format_.fields[field].type == ScalarType{1, false})
        continue;
      Report(e_.diags, codes::kSignedField, TypeNode(flag),
             fmt::format("field '{}' has to be uint(1)", flag));
    }
    for (const IndexFields& index : format_.indices) CheckIndex(index);
    CheckPitch();
  }

  void CheckIndex(const IndexFields& index) {
    const Memory* largest = nullptr;
    for (const Operand* operand : OperandsOf(e_.spec, index_)) {
      const Memory& memory = e_.spec.memories[operand->memory];
      if (operand->index == index.index && (!largest || memory.depth > largest->depth)) largest = &memory;
    }
    for (std::string_view role : {"_base", "_out", "_in"}) CheckUnsigned(index.index + std::string(role));
    if (!largest) return;
    Require(index.index + "_out");
    Require(index.index + "_in");
    const Memory& micro_ops = e_.spec.memories[format_.micro_ops];
    if (index.uop < 0 && index.base < 0) {
      Report(e_.diags, codes::kMissingField, entry_.key,
             fmt::format("nothing gives instruction '{}' the index '{}': it has no field '{}_base', and "
                         "memory '{}' no field '{}'",
                         format_.name, index.index, index.index, micro_ops.name, index.index));
    }
    const int needs = IndexBits(largest->depth);
    CheckWidth(index.index + "_base", *largest, needs);
    if (index.uop >= 0) CheckRecordField(micro_ops, micro_ops.fields[index.uop], *largest, needs);
  }

  /// The micro-op's field; alone it gives the whole index, beside a base it is an offset of any width.
  void CheckRecordField(const Memory& micro_ops, const Field& field, const Memory& memory, int needs) {
    const YamlNode& node =
        FieldEntry(*e_.isa.Find("memories")->value.Find(micro_ops.name), field.name)->value;
    const std::string what = fmt::format("field '{}' of memory '{}'", field.name, micro_ops.name);
    if (field.type.is_signed) {
      Report(e_.diags, codes::kSignedField, node, fmt::format("{} has to be unsigned", what));
    } else if (field.type.width < needs && format_.FieldIndex(field.name + "_base") < 0) {
      ReportNarrow(node, what, field.type.width, memory, needs);
    }
  }

  bool IsPitch(const std::string& name) const {
    if (!format_.intrinsic) return false;
    const int row = format_.intrinsic->RowSource();
    const int field = row < 0 ? -1 : format_.intrinsic->sources[row].pitch_field;
    return field >= 0 && format_.fields[field].name == name;
  }

  /// Rows lie apart by a field of its own, as wide as the memory needs.
  void CheckPitch() {
    const int row = format_.intrinsic ? format_.intrinsic->RowSource() : -1;
    if (row < 0 || format_.intrinsic->sources[row].pitch_field < 0) return;
    const Operand& source = format_.intrinsic->sources[row];
    const std::string name = format_.fields[source.pitch_field].name;
    const bool is_own =
        source.pitch_field >= static_cast<int>(1 + format_.pops.size() + format_.pushes.size());
    if (!is_own || HasOtherRole(name)) {
      Report(e_.diags, codes::kIntrinsic, entry_.value.Find("computes")->value,
             fmt::format("rows of instruction '{}' lie apart by its field '{}', which means something else",
                         format_.name, name))
          .hint = fmt::format("give it a field for that, as {}_row: uint(index_bits({}.depth))", source.index,
                              e_.spec.memories[source.memory].name);
      return;
    }
    CheckUnsigned(name);
    CheckWidth(name, e_.spec.memories[source.memory], IndexBits(e_.spec.memories[source.memory].depth));
  }

  bool HasRole(const std::string& name) const { return HasOtherRole(name) || IsPitch(name); }

  bool HasOtherRole(const std::string& name) const {
    for (const auto& [field, value] : format_.match) {
      if (format_.fields[field].name == name) return true;
    }
    for (const auto& [memory, field] : format_.locks) {
      if (format_.fields[field].name == name) return true;
    }
    for (const IndexFields& index : format_.indices) {
      if (name == index.index + "_base" || name == index.index + "_out" || name == index.index + "_in")
        return true;
    }
    switch (format_.kind) {
      case Kind::kLoad:
        return Contains(kTransferFields, name) || Contains(kPadFields, name) || Contains(kPieceFields, name);
      case Kind::kStore:
        return Contains(kTransferFields, name);
      case Kind::kGemm:
        return Contains(kNestFields, name) || name == "reset" || name == "overwrite";
      case Kind::kAlu:
        return !name.starts_with("lock_");  // what is no role is an immediate
      case Kind::kSync:
        return false;
    }
    return false;
  }

  void CheckKnown() {
    const size_t own = 1 + format_.pops.size() + format_.pushes.size();
    for (size_t f = own; f < format_.fields.size(); ++f) {
      const std::string& name = format_.fields[f].name;
      if (HasRole(name)) continue;
      Report(
          e_.diags, codes::kFieldWithoutRole, FieldEntry(entry_, name)->key,
          fmt::format("field '{}' means nothing in an instruction of kind {}", name, KindName(format_.kind)))
          .hint = NameHint(name, KnownNames());
    }
  }

  std::vector<std::string> KnownNames() const {
    std::vector<std::string> names;
    const auto add = [&](std::span<const std::string_view> list) {
      names.insert(names.end(), list.begin(), list.end());
    };
    if (format_.kind == Kind::kLoad || format_.kind == Kind::kStore) add(kTransferFields);
    if (format_.kind == Kind::kLoad) {
      add(kPadFields);
      add(kPieceFields);
    }
    if (format_.kind == Kind::kGemm) {
      add(kNestFields);
      names.insert(names.end(), {"reset", "overwrite"});
      for (const IndexFields& index : format_.indices) {
        for (std::string_view role : {"_base", "_out", "_in"})
          names.push_back(index.index + std::string(role));
      }
    }
    for (const Memory& memory : e_.spec.memories) {
      if (memory.shared) names.push_back("lock_" + memory.name);
    }
    return names;
  }

  /// Of a field that has the bits it needs.
  static std::string LockType(const Memory& memory) {
    return fmt::format("uint({}{}.banks)", memory.locks_ports ? "2 * " : "", memory.name);
  }

  void CheckLocks() {
    for (const Access& access : AccessesOf(e_.spec, index_)) {
      const Memory& memory = e_.spec.memories[access.memory];
      const bool contends =
          (access.reads && memory.ReadsContend()) || (access.writes && memory.WritesContend());
      if (!contends || format_.FieldIndex("lock_" + memory.name) >= 0) continue;
      Report(
          e_.diags, codes::kMissingLock, entry_.key,
          fmt::format(
              "instruction '{}' touches memory '{}', which several units share, but has no field 'lock_{}'",
              format_.name, memory.name, memory.name))
          .hint = fmt::format("add lock_{}: {}", memory.name, LockType(memory));
    }
    for (const auto& [index, field] : format_.locks) {
      const Memory& memory = e_.spec.memories[index];
      const ScalarType type = format_.fields[field].type;
      if (type == ScalarType{memory.LockBits(), false}) continue;
      Report(e_.diags, codes::kNarrowLock, TypeNode(format_.fields[field].name),
             fmt::format("field '{}' has {} {}bit{}, but memory '{}' has {} bank{}, and each takes {}",
                         format_.fields[field].name, type.width, type.is_signed ? "signed " : "",
                         type.width == 1 ? "" : "s", memory.name, memory.banks, memory.banks == 1 ? "" : "s",
                         memory.locks_ports ? "two, one for each port" : "one"))
          .hint = "write " + LockType(memory);
    }
  }

  Elaboration& e_;
  const int index_;
  const InstructionFormat& format_;
  const YamlEntry& entry_;
};

}  // namespace

void CheckRoles(Elaboration& e) {
  for (size_t f = 0; f < e.spec.formats.size(); ++f) RoleChecker(e, static_cast<int>(f)).Check();
}

}  // namespace cosim::isa
