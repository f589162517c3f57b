// SPDX-License-Identifier: Apache-2.0
// Memories: their attributes as definitions, and the shapes made from them.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "isa/diagnostic_codes.h"
#include "isa/expr/lexer.h"
#include "isa/spec/definitions.h"

namespace cosim::isa {
namespace {

constexpr int64_t kMaxDepth = int64_t{1} << 30;
constexpr int64_t kMaxLanes = 4096;
constexpr int64_t kMaxElementBits = int64_t{1} << 22;
constexpr int64_t kMaxBanks = 32;  // bits of a lock field, at most
constexpr std::string_view kAttributes[] = {"depth", "bits", "banks", "stored_bits"};

std::string What(const YamlEntry& memory) { return fmt::format("memory '{}'", memory.key.scalar); }

std::string Name(const YamlEntry& memory, std::string_view attribute) {
  return fmt::format("{}.{}", memory.key.scalar, attribute);
}

/// What units hold of a memory.
constexpr const char* kLockBanks = "banks";
constexpr const char* kLockPorts = "ports";

bool LocksPorts(const YamlEntry& memory) {
  const YamlEntry* lock = memory.value.Find("lock");
  return lock && lock->value.scalar == kLockPorts;
}

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

void Definitions::ReadMemories(const YamlNode& isa) {
  const YamlEntry* memories = isa.Find("memories");
  if (!memories || memories->value.kind != YamlNode::Kind::kMap) return;
  for (const YamlEntry& entry : memories->value.entries) {
    if (!CheckName(entry.key, "memory", diags_)) continue;
    const MapReader reader(entry.value, entry.key, What(entry), diags_,
                           {"doc", "lanes", "type", "fields", "depth", "banks", "lock", "mirrors"});
    if (!reader.is_map()) continue;
    reader.OptionalString("doc", "");
    const std::string lock = reader.OptionalString("lock", kLockBanks);
    if (lock != kLockBanks && lock != kLockPorts) {
      Report(diags_, codes::kWrongType, *reader.Find("lock"),
             fmt::format("'lock' of {} has to be '{}' or '{}', not '{}'", What(entry), kLockBanks, kLockPorts,
                         lock))
          .hint = NameHint(lock, std::vector<std::string>{kLockBanks, kLockPorts});
    }
    if (reader.Find("mirrors")) {
      for (std::string_view key : {"lanes", "fields", "depth", "banks", "lock"}) {
        if (const YamlEntry* extra = entry.value.Find(key)) {
          Report(diags_, codes::kMirror, extra->key,
                 fmt::format("{} mirrors another memory and takes its '{}' from there", What(entry), key));
        }
      }
      if (!reader.String("mirrors") || !reader.Require("type")) continue;
    } else if (!reader.Require("depth")) {
      continue;
    }
    memories_[entry.key.scalar] = &entry;
    memory_order_.push_back(entry.key.scalar);
    for (std::string_view attribute : kAttributes) {
      const YamlEntry* at = entry.value.Find(attribute);
      items_[Name(entry, attribute)].at = at ? &at->key : &entry.key;
    }
  }
  for (const std::string& name : memory_order_) {
    const YamlEntry* mirrors = memories_.at(name)->value.Find("mirrors");
    if (!mirrors) continue;
    if (!memories_.contains(mirrors->value.scalar)) {
      Report(diags_, codes::kUnknownReference, mirrors->value,
             fmt::format("there is no memory '{}'", mirrors->value.scalar))
          .hint = NameHint(mirrors->value.scalar, memory_order_);
    } else if (memories_.at(mirrors->value.scalar)->value.Find("mirrors") ||
               memories_.at(mirrors->value.scalar)->value.Find("fields")) {
      Report(diags_, codes::kMirror, mirrors->value,
             fmt::format("memory '{}' cannot be mirrored: it has fields or is a mirror itself",
                         mirrors->value.scalar));
    }
  }
}

const YamlEntry* Definitions::Mirrored(const YamlEntry& memory) {
  const YamlEntry* mirrors = memory.value.Find("mirrors");
  const auto found = memories_.find(mirrors->value.scalar);
  if (found == memories_.end() || found->second->value.Find("mirrors")) return nullptr;
  return found->second;
}

std::optional<int64_t> Definitions::ComputeAttribute(const YamlEntry& memory, std::string_view attribute) {
  if (attribute == "bits") return ComputeElementBits(memory);
  if (attribute == "stored_bits") return ComputeStoredBits(memory);
  if (memory.value.Find("mirrors")) {
    const YamlEntry* mirrored = Mirrored(memory);
    if (!mirrored) return std::nullopt;
    const Item* item = Evaluate(Name(*mirrored, attribute));
    return item->state == State::kKnown ? std::optional(item->value) : std::nullopt;
  }
  const YamlEntry* node = memory.value.Find(attribute);
  if (!node) return 1;  // banks
  const std::string what = fmt::format("'{}' of {}", attribute, What(memory));
  if (attribute == "banks")
    return EvaluateParamIn(node->value, what, 1, LocksPorts(memory) ? kMaxBanks / 2 : kMaxBanks, *this,
                           diags_);
  return EvaluateParamIn(node->value, what, 1, kMaxDepth, *this, diags_,
                         [&](const Shortfall& shortfall) { return TooSmall(memory, shortfall); });
}

std::string Definitions::TooSmall(const YamlEntry& memory, const Shortfall& shortfall) {
  const auto& [has, needs] = shortfall;
  const int64_t bits = Evaluate(Name(memory, "bits"))->value;
  const int64_t stored = Evaluate(Name(memory, "stored_bits"))->value;
  const int64_t banks = Evaluate(Name(memory, "banks"))->value;
  if (needs != bits * banks && needs != stored)  // not in bits
    return fmt::format("{} holds no element: it has {} of {}, {} too few", What(memory), has, needs,
                       needs - has);
  const std::string one = banks > 1 ? fmt::format("one in each of {} banks", banks) : "one";
  return fmt::format("{} holds no element: {} takes {} bytes, {} more than it has", What(memory), one,
                     CeilDiv(needs, 8), CeilDiv(needs - has, 8));
}

std::optional<int64_t> Definitions::ComputeElementBits(const YamlEntry& memory) {
  const auto& lanes = Lanes(memory);
  const auto& fields = Fields(memory);
  if (!lanes || !fields) return std::nullopt;
  int64_t bits = 0;
  for (const Field& field : *fields) bits += field.type.width;
  for (int extent : *lanes) {
    bits *= extent;
    if (bits <= kMaxElementBits) continue;
    Report(diags_, codes::kOutOfRange, memory.key,
           fmt::format("an element of {} has more than {} bits", What(memory), kMaxElementBits));
    return std::nullopt;
  }
  return bits;
}

std::optional<int64_t> Definitions::ComputeStoredBits(const YamlEntry& memory) {
  const Item* bits = Evaluate(Name(memory, "bits"));
  if (bits->state != State::kKnown) return std::nullopt;
  const uint64_t packed = (bits->value + 7) / 8;
  const uint64_t beat = dram_.beat_bytes();
  const uint64_t rounded = std::bit_ceil(packed);
  return static_cast<int64_t>(rounded <= beat ? rounded : (packed + beat - 1) / beat * beat) * 8;
}

const std::optional<std::vector<int>>& Definitions::Lanes(const YamlEntry& memory) {
  const auto found = lanes_.find(memory.key.scalar);
  if (found != lanes_.end()) return found->second;
  std::optional<std::vector<int>> lanes = ReadLanes(memory);
  return lanes_.emplace(memory.key.scalar, std::move(lanes)).first->second;
}

std::optional<std::vector<int>> Definitions::ReadLanes(const YamlEntry& memory) {
  if (memory.value.Find("mirrors")) {
    const YamlEntry* mirrored = Mirrored(memory);
    return mirrored ? Lanes(*mirrored) : std::nullopt;
  }
  std::vector<int> lanes;
  const YamlEntry* list = memory.value.Find("lanes");
  if (!list) return lanes;
  if (list->value.kind != YamlNode::Kind::kSequence) {
    Report(diags_, codes::kWrongType, list->key,
           fmt::format("'lanes' of {} has to be a list, not {}", What(memory), KindName(list->value.kind)));
    return std::nullopt;
  }
  for (const YamlNode& item : list->value.items) {
    const std::optional<int64_t> extent =
        EvaluateParamIn(item, fmt::format("a lane extent of {}", What(memory)), 1, kMaxLanes, *this, diags_);
    if (!extent) return std::nullopt;
    lanes.push_back(static_cast<int>(*extent));
  }
  return lanes;
}

const std::optional<std::vector<Field>>& Definitions::Fields(const YamlEntry& memory) {
  const auto found = fields_.find(memory.key.scalar);
  if (found != fields_.end()) return found->second;
  std::optional<std::vector<Field>> fields = ReadFields(memory);
  return fields_.emplace(memory.key.scalar, std::move(fields)).first->second;
}

std::optional<Field> Definitions::ReadField(const YamlNode& type, std::string name, std::string_view what) {
  const std::optional<ScalarType> scalar = EvaluateType(type, what, *this, diags_);
  if (!scalar) return std::nullopt;
  return Field{std::move(name), *scalar, 0, "", type.Loc()};
}

std::optional<std::vector<Field>> Definitions::ReadFields(const YamlEntry& memory) {
  const YamlEntry* type = memory.value.Find("type");
  const YamlEntry* record = memory.value.Find("fields");
  if ((type == nullptr) == (record == nullptr)) {
    Report(diags_, codes::kMissingKey, memory.key,
           fmt::format("{} has to have either 'type' or 'fields'", What(memory)));
    return std::nullopt;
  }
  std::vector<Field> fields;
  if (type) {
    const auto field = ReadField(type->value, "", fmt::format("the type of {}", What(memory)));
    if (!field) return std::nullopt;
    fields.push_back(*field);
    return fields;
  }
  if (record->value.kind != YamlNode::Kind::kMap || record->value.entries.empty()) {
    Report(diags_, codes::kWrongType, record->key,
           fmt::format("'fields' of {} has to be a map of names to types", What(memory)));
    return std::nullopt;
  }
  int offset = 0;
  bool complete = true;
  for (const YamlEntry& entry : record->value.entries) {
    complete &= CheckName(entry.key, "field", diags_);
    auto field = ReadField(entry.value, entry.key.scalar,
                           fmt::format("the type of field '{}' of {}", entry.key.scalar, What(memory)));
    if (!field) {
      complete = false;
      continue;
    }
    field->offset = offset;
    offset += field->type.width;
    fields.push_back(std::move(*field));
  }
  if (!complete) return std::nullopt;
  return fields;
}

std::vector<Memory> Definitions::Memories() {
  std::vector<Memory> memories;
  for (const std::string& name : memory_order_) {
    if (std::optional<Memory> memory = BuildMemory(*memories_.at(name)))
      memories.push_back(std::move(*memory));
  }
  for (Memory& memory : memories) {
    const YamlEntry* mirrors = memories_.at(memory.name)->value.Find("mirrors");
    for (size_t i = 0; mirrors && i < memories.size(); ++i) {
      if (memories[i].name == mirrors->value.scalar) memory.mirrors = static_cast<int>(i);
    }
  }
  return memories;
}

std::optional<Memory> Definitions::BuildMemory(const YamlEntry& entry) {
  bool known = true;
  int64_t values[std::size(kAttributes)] = {};
  for (size_t i = 0; i < std::size(kAttributes); ++i) {
    const Item* item = Evaluate(Name(entry, kAttributes[i]));
    known &= item->state == State::kKnown;
    values[i] = item->value;
  }
  if (!known) return std::nullopt;
  Memory memory;
  memory.name = entry.key.scalar;
  memory.loc = entry.key.Loc();
  if (const YamlEntry* doc = entry.value.Find("doc")) memory.doc = doc->value.scalar;
  memory.lanes = *Lanes(entry);
  memory.fields = *Fields(entry);
  memory.depth = values[0];
  memory.element_bits = values[1];
  memory.banks = static_cast<int>(values[2]);
  memory.locks_ports = LocksPorts(entry);
  memory.stored_bytes = values[3] / 8;
  for (const Field& field : memory.fields) memory.record_bits += field.type.width;
  if (memory.depth % memory.banks != 0) {
    const YamlEntry* banks = entry.value.Find("banks");
    Diagnostic& error = Report(
        diags_, codes::kBanks, banks ? banks->value : entry.key,
        fmt::format("{} banks do not divide the {} elements of {}", memory.banks, memory.depth, What(entry)));
    Explain({Name(entry, "depth"), Name(entry, "banks")}, error);
    return std::nullopt;
  }
  return memory;
}

void Definitions::ExplainDepth(const Memory& memory, Diagnostic& diagnostic) const {
  const YamlEntry* entry = memories_.at(memory.name);
  if (const YamlEntry* mirrors = entry->value.Find("mirrors")) entry = memories_.at(mirrors->value.scalar);
  const YamlEntry& depth = *entry->value.Find("depth");
  SourceLoc origin = depth.value.Loc();
  Diagnostics ignored;
  TokenStream tokens(depth.value, codes::kExprSyntax, ignored);
  for (Token token = tokens.Next(); token.kind != Token::Kind::kEnd; token = tokens.Next()) {
    const auto parameter = parameters_.find(token.text);
    if (parameter == parameters_.end() || !parameter->second.configured) continue;
    origin = parameter->second.configured->Loc();
    break;
  }
  diagnostic.notes.emplace_back(std::move(origin), fmt::format("'{}' gets its depth from", memory.name));
}

}  // namespace cosim::isa
