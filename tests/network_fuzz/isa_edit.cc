// SPDX-License-Identifier: Apache-2.0
// Applying edits, and trees as text. See isa_edit.h; draw_edit.cc draws.
#include "tests/network_fuzz/isa_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <functional>
#include <sstream>

namespace cosim::testing {
namespace {

using isa::YamlEntry;
using isa::YamlNode;
using Kind = IsaEdit::Kind;

constexpr const char* kNames[] = {"drop", "rename", "word", "copy", "clone", "swap", "add", "set"};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

struct Place {
  YamlNode* parent = nullptr;
  size_t index = 0;
  YamlNode& node() const {
    return parent->kind == YamlNode::Kind::kMap ? parent->entries[index].value : parent->items[index];
  }
  size_t size() const {
    return parent->kind == YamlNode::Kind::kMap ? parent->entries.size() : parent->items.size();
  }
};

std::optional<Place> Find(YamlNode& root, const std::string& path) {
  Place place;
  YamlNode* at = &root;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '/');) {
    place.parent = at;
    if (at->kind == YamlNode::Kind::kMap) {
      const auto entry =
          std::ranges::find(at->entries, part, [](const YamlEntry& e) { return e.key.scalar; });
      if (entry == at->entries.end()) return std::nullopt;
      place.index = static_cast<size_t>(entry - at->entries.begin());
    } else if (at->kind == YamlNode::Kind::kSequence) {
      place.index = static_cast<size_t>(std::atoi(part.c_str()));
      if (place.index >= at->items.size()) return std::nullopt;
    } else {
      return std::nullopt;
    }
    at = &place.node();
  }
  return place.parent ? std::optional(place) : std::nullopt;
}

// Each word that `map` changes; with `fields`, also in lock_WORD, WORD_base, WORD_out and WORD_in.
std::string ReplaceWord(const std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (!IsWord(text[at])) {
      out += text[at++];
      continue;
    }
    size_t end = at;
    while (end < text.size() && IsWord(text[end])) ++end;
    std::string word = text.substr(at, end - at);
    if (word == from) word = to;
    if (word == "lock_" + from) word = "lock_" + to;
    for (const char* role : {"_base", "_out", "_in"})
      if (word == from + role) word = to + role;
    out += word;
    at = end;
  }
  return out;
}

void ReplaceWord(YamlNode& node, const std::string& from, const std::string& to, bool keys) {
  if (node.kind == YamlNode::Kind::kScalar) node.scalar = ReplaceWord(node.scalar, from, to);
  for (YamlNode& item : node.items) ReplaceWord(item, from, to, keys);
  for (YamlEntry& entry : node.entries) {
    if (keys) entry.key.scalar = ReplaceWord(entry.key.scalar, from, to);
    if (entry.key.scalar != "doc") ReplaceWord(entry.value, from, to, keys);
  }
}

YamlNode* Section(YamlNode& root, const std::string& name) {
  for (YamlEntry& entry : root.entries)
    if (entry.key.scalar == name) return &entry.value;
  return nullptr;
}

bool HasKey(const YamlNode& map, const std::string& key) { return map.Find(key) != nullptr; }

// The least number that no entry of the map has under `key`.
void GiveFreeNumber(const YamlNode& map, YamlNode& entry, const std::string& key) {
  if (!entry.Find(key)) return;
  int next = 0;
  for (const YamlEntry& other : map.entries)
    if (const YamlEntry* number = other.value.Find(key))
      next = std::max(next, std::atoi(number->value.scalar.c_str()) + 1);
  for (YamlEntry& e : entry.entries)
    if (e.key.scalar == key) e.value.scalar = std::to_string(next);
}

// As many bits for opcodes as they need by now.
void WidenOpcodes(YamlNode& root) {
  YamlNode* bits = Section(root, "opcode_bits");
  const YamlNode* instructions = Section(root, "instructions");
  if (!bits || !instructions) return;
  int most = 0;
  for (const YamlEntry& entry : instructions->entries)
    if (const YamlEntry* opcode = entry.value.Find("opcode"))
      most = std::max(most, std::atoi(opcode->value.scalar.c_str()));
  if (most >> std::atoi(bits->scalar.c_str()) != 0)
    bits->scalar = std::to_string(std::bit_width(static_cast<unsigned>(most)));
}

bool CopyEntry(YamlNode& map, size_t index, const std::string& name) {
  if (map.kind != YamlNode::Kind::kMap || HasKey(map, name)) return false;
  YamlEntry copy = map.entries[index];
  copy.key.scalar = name;
  GiveFreeNumber(map, copy.value, "opcode");
  GiveFreeNumber(map, copy.value, "code");
  map.entries.push_back(std::move(copy));
  return true;
}

// Where a memory is named: `wgt[…]`, `wgt.depth`, or alone. Indices and fields may have its name too.
void ReplaceMemory(YamlNode& node, const std::string& from, const std::string& to) {
  const std::string text = node.scalar;
  if (text == from) node.scalar = to;
  for (size_t at = text.size(); text != from && at-- > 0;) {
    const size_t end = at + from.size();
    if (text.compare(at, from.size(), from) != 0 || end >= text.size()) continue;
    const bool begins = at == 0 || !(IsWord(text[at - 1]) || text[at - 1] == '.');
    if (begins && (text[end] == '[' || text[end] == '.')) node.scalar.replace(at, from.size(), to);
  }
  for (YamlNode& item : node.items) ReplaceMemory(item, from, to);
  for (YamlEntry& entry : node.entries)
    if (entry.key.scalar != "doc") ReplaceMemory(entry.value, from, to);
}

bool Clone(YamlNode& root, const std::string& memory, const std::string& name) {
  YamlNode* memories = Section(root, "memories");
  if (!memories || !HasKey(*memories, memory) || HasKey(*memories, name)) return false;
  for (const char* section : {"memories", "instructions", "alu_ops"}) {
    YamlNode* map = Section(root, section);
    const size_t count = map ? map->entries.size() : 0;
    for (size_t i = 0; i < count; ++i) {
      const YamlEntry* kind = map->entries[i].value.Find("kind");
      if (kind && kind->value.scalar == "alu") continue;  // one carries all ops
      const bool is_memory = map == memories && map->entries[i].key.scalar == memory;
      YamlNode changed = map->entries[i].value;
      ReplaceMemory(changed, memory, name);
      if (!is_memory && (map == memories || Emit(changed) == Emit(map->entries[i].value))) continue;
      CopyEntry(*map, i, is_memory ? name : map->entries[i].key.scalar + "_" + name);
      ReplaceMemory(map->entries.back().value, memory, name);
    }
  }
  return true;
}

bool Add(YamlNode& root, const std::string& path, const std::string& text) {
  const size_t slash = path.rfind('/');
  const auto place = slash == std::string::npos ? std::nullopt : Find(root, path.substr(0, slash));
  if (!place || place->node().kind != YamlNode::Kind::kMap || HasKey(place->node(), path.substr(slash + 1)))
    return false;
  YamlEntry entry;
  entry.key.kind = entry.value.kind = YamlNode::Kind::kScalar;
  entry.key.scalar = path.substr(slash + 1);
  entry.value.scalar = text;
  place->node().entries.push_back(std::move(entry));
  return true;
}

bool ApplyAt(const IsaEdit& edit, const Place& place) {
  YamlNode& parent = *place.parent;
  const auto index = static_cast<int64_t>(place.index);
  switch (edit.kind) {
    case Kind::kDrop:
      if (parent.kind == YamlNode::Kind::kMap)
        parent.entries.erase(parent.entries.begin() + index);
      else
        parent.items.erase(parent.items.begin() + index);
      return true;
    case Kind::kRename:
      if (parent.kind != YamlNode::Kind::kMap || HasKey(parent, edit.text)) return false;
      parent.entries[place.index].key.scalar = edit.text;
      return true;
    case Kind::kCopy:
      return CopyEntry(parent, place.index, edit.text);
    case Kind::kSwap: {
      if (place.size() < 2) return false;
      const size_t other = (place.index + place.size() - 1) % place.size();
      if (parent.kind == YamlNode::Kind::kMap)
        std::swap(parent.entries[place.index], parent.entries[other]);
      else
        std::swap(parent.items[place.index], parent.items[other]);
      return true;
    }
    case Kind::kSet:
      if (place.node().kind != YamlNode::Kind::kScalar || place.node().scalar == edit.text) return false;
      place.node().scalar = edit.text;
      return true;
    default:
      return false;
  }
}

void EmitInto(const YamlNode& node, const std::string& indent, std::string& out) {
  const auto scalar = [](const YamlNode& s) {
    if (!s.quoted && !s.scalar.empty()) return s.scalar;
    std::string text = "\"";
    for (const char c : s.scalar) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    return text + "\"";
  };
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      out += "\n";
      break;
    case YamlNode::Kind::kScalar:
      out += " " + scalar(node) + "\n";
      break;
    case YamlNode::Kind::kSequence:
      if (node.items.empty()) out += " []";
      out += "\n";
      for (const YamlNode& item : node.items) {
        out += indent + "-";
        EmitInto(item, indent + "  ", out);
      }
      break;
    case YamlNode::Kind::kMap:
      if (node.entries.empty()) out += " {}";
      out += "\n";
      for (const YamlEntry& entry : node.entries) {
        out += indent + scalar(entry.key) + ":";
        EmitInto(entry.value, indent + "  ", out);
      }
      break;
  }
}

}  // namespace

std::string ToString(const IsaEdit& edit) {
  return fmt::format("{}:{}{}{}", kNames[static_cast<int>(edit.kind)], edit.path,
                     edit.text.empty() ? "" : "=", edit.text);
}

std::optional<IsaEdit> ParseEdit(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto* name = std::ranges::find(kNames, text.substr(0, colon));
  if (name == std::end(kNames)) return std::nullopt;
  IsaEdit edit;
  edit.kind = static_cast<Kind>(name - kNames);
  const size_t equals = text.find('=', colon);
  edit.path = text.substr(colon + 1, equals == std::string::npos ? equals : equals - colon - 1);
  if (equals != std::string::npos) edit.text = text.substr(equals + 1);
  return edit;
}

bool Apply(const IsaEdit& edit, YamlNode& root) {
  if (edit.kind == Kind::kClone) {
    const bool cloned = Clone(root, edit.path, edit.text);
    if (cloned) WidenOpcodes(root);
    return cloned;
  }
  if (edit.kind == Kind::kWord) {
    const std::string before = Emit(root);
    if (before.find(edit.text) != std::string::npos) return false;
    ReplaceWord(root, edit.path, edit.text, true);
    return Emit(root) != before;
  }
  if (edit.kind == Kind::kAdd) return Add(root, edit.path, edit.text);
  const auto place = Find(root, edit.path);
  if (!place || !ApplyAt(edit, *place)) return false;
  if (edit.kind == Kind::kCopy) WidenOpcodes(root);
  return true;
}

std::string Emit(const YamlNode& root) {
  std::string out;
  EmitInto(root, "", out);
  return out;
}

void CollectWords(const std::string& text, std::set<std::string>& out) {
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && IsWord(text[end])) ++end;
    if (end > at) out.insert(text.substr(at, end - at));
    at = end;
  }
}

void CollectWords(const YamlNode& node, std::set<std::string>& out) {
  CollectWords(node.scalar, out);
  for (const YamlNode& item : node.items) CollectWords(item, out);
  for (const YamlEntry& entry : node.entries) {
    if (entry.key.scalar == "doc") continue;
    out.insert(entry.key.scalar);
    CollectWords(entry.value, out);
  }
}

}  // namespace cosim::testing
