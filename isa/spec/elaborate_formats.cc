// SPDX-License-Identifier: Apache-2.0
// Instruction formats: the derived header (opcode, pop flags, push flags) and the fields after it.
#include <utility>

#include "isa/spec/elaborate.h"
#include "isa/spec/param_expr.h"

namespace cosim::isa {
namespace {

std::optional<Kind> ReadKind(const YamlEntry& entry, Diagnostics& diags) {
  const YamlEntry* kind = entry.value.Find("kind");
  const std::string what = fmt::format("instruction '{}'", entry.key.scalar);
  if (!kind) {
    Report(diags, codes::kMissingKey, entry.key, fmt::format("{} lacks the key 'kind'", what));
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (Kind known : {Kind::kLoad, Kind::kStore, Kind::kGemm, Kind::kAlu, Kind::kSync}) {
    if (KindName(known) == kind->value.scalar) return known;
    names.emplace_back(KindName(known));
  }
  Report(diags, codes::kWrongType, kind->value,
         fmt::format("'{}' is no kind of instruction", kind->value.scalar))
      .hint = NameHint(kind->value.scalar, names);
  return std::nullopt;
}

class FormatReader {
 public:
  FormatReader(Elaboration& e, const YamlEntry& entry)
      : e_(e), entry_(entry), what_(fmt::format("instruction '{}'", entry.key.scalar)) {}

  /// Appends the format to the spec, complete or not; false, and nothing, if there is no unit for it here.
  bool Read() {
    format_.name = entry_.key.scalar;
    format_.loc = entry_.key.Loc();
    if (entry_.value.kind != YamlNode::Kind::kMap) {
      Report(e_.diags, codes::kWrongType, entry_.key,
             fmt::format("{} has to be a map of keys, not {}", what_, KindName(entry_.value.kind)));
      return true;
    }
    const std::optional<Kind> kind = ReadKind(entry_, e_.diags);
    if (!kind) return true;
    format_.kind = *kind;
    const MapReader reader = Reader();
    format_.doc = reader.OptionalString("doc", "");
    if (const YamlNode* node = reader.Require("unit")) {
      const UnitReference unit = FindFirstUnit(e_, *node, what_);
      if (unit.is_absent) return false;
      format_.unit = unit.unit;
    }
    ReadMemory(reader);
    AddHeader(reader);
    AddFields(reader);
    ReadMatch(reader);
    e_.spec.formats.push_back(std::move(format_));
    return true;
  }

 private:
  MapReader Reader() const {
    switch (format_.kind) {
      case Kind::kLoad:
      case Kind::kStore:
        return {entry_.value,
                entry_.key,
                what_,
                e_.diags,
                {"doc", "where", "opcode", "match", "unit", "kind", "fields", "memory"}};
      case Kind::kGemm:
        return {
            entry_.value,
            entry_.key,
            what_,
            e_.diags,
            {"doc", "where", "opcode", "match", "unit", "kind", "fields", "micro_ops", "axes", "computes"}};
      case Kind::kAlu:
        return {entry_.value,
                entry_.key,
                what_,
                e_.diags,
                {"doc", "where", "opcode", "match", "unit", "kind", "fields", "micro_ops"}};
      case Kind::kSync:
        break;
    }
    return {entry_.value,
            entry_.key,
            what_,
            e_.diags,
            {"doc", "where", "opcode", "match", "unit", "kind", "fields"}};
  }

  void ReadMemory(const MapReader& reader) {
    if (format_.kind == Kind::kLoad || format_.kind == Kind::kStore) {
      if (!reader.String("memory")) return;
      const YamlNode& node = *reader.Find("memory");
      format_.memory = FindReference(e_.spec.memories, node, "memory", e_.diags);
      if (format_.memory < 0 || format_.kind == Kind::kStore || e_.spec.memories[format_.memory].mirrors < 0)
        return;
      Report(e_.diags, codes::kMirror, node,
             fmt::format("memory '{}' is a mirror and cannot be loaded", node.scalar))
          .hint = fmt::format("load '{}'", e_.spec.memories[e_.spec.memories[format_.memory].mirrors].name);
    } else if (format_.kind == Kind::kGemm || format_.kind == Kind::kAlu) {
      if (!reader.String("micro_ops")) return;
      const YamlNode& node = *reader.Find("micro_ops");
      format_.micro_ops = FindReference(e_.spec.memories, node, "memory", e_.diags);
      if (format_.micro_ops < 0) return;
      const Memory& memory = e_.spec.memories[format_.micro_ops];
      if (memory.fields[0].name.empty() || memory.LaneCount() != 1) {
        Report(
            e_.diags, codes::kWrongType, node,
            fmt::format("memory '{}' holds no micro-ops: they are one record of named fields", memory.name));
      }
    }
  }

  void Append(Field field) {
    if (format_.FieldIndex(field.name) >= 0) {
      const YamlEntry* own = FieldEntry(entry_, field.name);
      Report(e_.diags, codes::kRedefined, own ? own->key : entry_.key,
             fmt::format("every instruction has a field '{}' already", field.name));
      return;
    }
    field.offset = bits_;
    bits_ += field.type.width;
    format_.fields.push_back(std::move(field));
  }

  void AddHeader(const MapReader& reader) {
    Append({"opcode", {e_.spec.opcode_bits, false}, 0, "", entry_.key.Loc()});
    for (size_t q = 0; q < e_.spec.queues.size(); ++q) {
      if (e_.spec.queues[q].to != format_.unit) continue;
      format_.pops.emplace_back(static_cast<int>(q), static_cast<int>(format_.fields.size()));
      Append({"pop_" + e_.spec.queues[q].name, {1, false}, 0, "", e_.spec.queues[q].loc});
    }
    for (size_t q = 0; q < e_.spec.queues.size(); ++q) {
      if (e_.spec.queues[q].from != format_.unit) continue;
      format_.pushes.emplace_back(static_cast<int>(q), static_cast<int>(format_.fields.size()));
      Append({"push_" + e_.spec.queues[q].name, {1, false}, 0, "", e_.spec.queues[q].loc});
    }
    const YamlNode* opcode = reader.Require("opcode");
    if (!opcode) return;
    const std::optional<int64_t> value =
        ReadInteger(*opcode, fmt::format("the opcode of {}", what_), e_.diags);
    if (!value) return;
    CheckFits(*opcode, format_.fields[0], *value);
    format_.opcode = static_cast<int>(*value);
    format_.match.emplace_back(0, *value);
  }

  void AddFields(const MapReader& reader) {
    if (!reader.Find("fields")) return;
    const YamlNode* fields = reader.RequireMap("fields");
    if (!fields) return;
    for (const YamlEntry& field : fields->entries) {
      if (!CheckName(field.key, "field", e_.diags)) continue;
      const std::optional<ScalarType> type =
          EvaluateType(field.value, fmt::format("the type of field '{}' of {}", field.key.scalar, what_),
                       e_.definitions, e_.diags);
      if (type) Append({field.key.scalar, *type, 0, "", field.value.Loc()});
    }
  }

  void ReadMatch(const MapReader& reader) {
    if (!reader.Find("match")) return;
    const YamlNode* match = reader.RequireMap("match");
    if (!match) return;
    for (const YamlEntry& entry : match->entries) {
      const int field = FindReference(format_.fields, entry.key, "field", e_.diags);
      const std::optional<int64_t> value =
          ReadInteger(entry.value, fmt::format("the value of match field '{}'", entry.key.scalar), e_.diags);
      if (field < 0 || !value) continue;
      if (!FieldEntry(entry_, entry.key.scalar)) {
        Report(e_.diags, codes::kUnknownReference, entry.key,
               fmt::format("'{}' is no field of the instruction's own", entry.key.scalar));
        continue;
      }
      CheckFits(entry.value, format_.fields[field], *value);
      format_.match.emplace_back(field, *value);
    }
  }

  void CheckFits(const YamlNode& node, const Field& field, int64_t value) {
    if (value >= field.type.Min() && value <= field.type.Max()) return;
    Report(e_.diags, codes::kOpcodeWidth, node,
           fmt::format("{} does not fit the {} bit{} of field '{}'", value, field.type.width,
                       field.type.width == 1 ? "" : "s", field.name));
  }

  Elaboration& e_;
  const YamlEntry& entry_;
  const std::string what_;
  InstructionFormat format_;
  int bits_ = 0;
};

}  // namespace

void ElaborateFormats(Elaboration& e) {
  std::erase_if(e.formats, [&](const YamlEntry* entry) {
    return !IsThere(e, *entry, fmt::format("instruction '{}'", entry->key.scalar)) ||
           !FormatReader(e, *entry).Read();
  });
  if (e.formats.empty())
    Report(e.diags, codes::kMissingKey, e.isa.Find("instructions")->key,
           "this configuration has none of the ISA's instructions");
}

}  // namespace cosim::isa
