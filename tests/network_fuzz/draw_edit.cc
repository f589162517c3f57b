// SPDX-License-Identifier: Apache-2.0
// Random edits of an ISA: what kind, where, and what a scalar there becomes. See isa_edit.h.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "tests/network_fuzz/isa_edit.h"

namespace cosim::testing {
namespace {

using graph::zoo::Random;
using isa::YamlEntry;
using isa::YamlNode;
using Kind = IsaEdit::Kind;

const std::vector<std::string> kSections = {"memories", "units", "queues", "instructions", "alu_ops"};

struct Spot {
  std::string path;
  const YamlNode* node;
};

class Drawer {
 public:
  Drawer(const YamlNode& root, Random& random) : root_(root), random_(random) {}

  IsaEdit Draw() {
    // Half of all edits rename, copy or move with all that belongs to it: an ISA that still means something.
    switch (random_.Below(20)) {
      case 0:
        return {Kind::kDrop, Pick(Entries()).path, ""};
      case 1:
        return {Kind::kDrop, Pick(Below()).path, ""};
      case 2:
        return {Kind::kRename, Pick(random_.Below(2) != 0 ? Entries() : Below()).path, NewName()};
      case 3:
      case 4:
      case 5:
      case 6:
        return {Kind::kWord, Pick(Names()), NewName()};
      case 7:
      case 8:
        return {Kind::kCopy, Pick(Entries()).path, NewName()};
      case 9:
      case 10:
        return {Kind::kClone, Pick(KeysOf("memories")), NewName()};
      case 11:
      case 12:
      case 13:
        return {Kind::kSwap, Pick(random_.Below(2) != 0 ? Entries() : Below()).path, ""};
      case 14:
        return {Kind::kAdd,
                Pick(Entries()).path + "/fields/" +
                    Pick(std::vector<std::string>{"lock_acc", "lock_inp", "pad_value", "reset", "overwrite",
                                                  "wgt_base", "imm", "aux", "extra"}),
                Pick(std::vector<std::string>{"uint(1)", "uint(acc.banks)", "int(8)", "uint(12)"})};
      default: {
        const Spot spot = Pick(Scalars());
        return {Kind::kSet, spot.path, Changed(spot)};
      }
    }
  }

 private:
  template <typename T>
  const T& Pick(const std::vector<T>& list) {
    return list[static_cast<size_t>(random_.Below(static_cast<int64_t>(list.size())))];
  }

  std::string NewName() { return "z" + std::to_string(random_.Below(90) + 10); }

  std::vector<std::string> KeysOf(const std::string& section) const {
    std::vector<std::string> keys;
    if (const YamlEntry* map = root_.Find(section))
      for (const YamlEntry& entry : map->value.entries) keys.push_back(entry.key.scalar);
    if (keys.empty()) keys.emplace_back("none");
    return keys;
  }

  /// Entries of a section: a memory, a unit, …
  std::vector<Spot> Entries() {
    const std::string section = Pick(kSections);
    std::vector<Spot> out;
    if (const YamlEntry* map = root_.Find(section))
      for (const YamlEntry& entry : map->value.entries)
        out.push_back({section + "/" + entry.key.scalar, &entry.value});
    if (out.empty()) out.push_back({section, &root_});
    return out;
  }

  static void Walk(const YamlNode& node, const std::string& path, bool scalars, std::vector<Spot>& out) {
    const auto visit = [&](const YamlNode& child, const std::string& name) {
      const std::string at = path + "/" + name;
      if (name == "doc") return;
      if (!scalars || child.kind == YamlNode::Kind::kScalar) out.push_back({at, &child});
      Walk(child, at, scalars, out);
    };
    for (size_t i = 0; i < node.items.size(); ++i) visit(node.items[i], std::to_string(i));
    for (const YamlEntry& entry : node.entries) visit(entry.value, entry.key.scalar);
  }

  /// What one entry of a section is made of.
  std::vector<Spot> Below(bool scalars = false) {
    const Spot entry = Pick(Entries());
    std::vector<Spot> out;
    Walk(*entry.node, entry.path, scalars, out);
    if (out.empty()) out.push_back(entry);
    return out;
  }
  std::vector<Spot> Scalars() { return Below(true); }

  /// Names an ISA gives: entries, fields, parameters, operands, indices.
  std::vector<std::string> Names() {
    std::vector<std::string> out;
    switch (random_.Below(3)) {
      case 0: {
        std::set<std::string> words;
        if (const YamlEntry* memories = root_.Find("memories")) CollectWords(memories->value, words);
        if (const YamlEntry* ops = root_.Find("alu_ops")) CollectWords(ops->value, words);
        for (const std::string& word : words)
          if (std::isalpha(static_cast<unsigned char>(word[0])) != 0) out.push_back(word);
        return out;
      }
      case 1:
        return KeysOf("parameters");
      default:
        return KeysOf(Pick(kSections));
    }
  }

  std::string Changed(const Spot& spot) {
    const std::string key = spot.path.substr(spot.path.rfind('/') + 1);
    const std::string& text = spot.node->scalar;
    if (text == "true" || text == "false") return text == "true" ? "false" : "true";
    if (key == "unit" || key == "from" || key == "to") return Pick(KeysOf("units"));
    if (key == "memory" || key == "micro_ops" || key == "mirrors") return Pick(KeysOf("memories"));
    if (key == "kind") return Pick(std::vector<std::string>{"load", "store", "gemm", "alu", "sync"});
    if (key == "computes") return ChangedIntrinsic(text);
    if (spot.path.find("/body/") != std::string::npos) return ChangedTokens(text);
    if (text.find('[') != std::string::npos) return ChangedOperand(text);
    if (text.find("int(") != std::string::npos) return ChangedType(text);
    return ChangedNumber(text);
  }

  std::string ChangedNumber(const std::string& text) {
    const bool is_number = std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    const int64_t value = is_number ? std::atoll(text.c_str()) : 0;
    switch (random_.Below(is_number ? 6 : 4)) {
      case 0:
        return std::to_string(random_.Below(3));
      case 1:
        return std::to_string(int64_t{1} << random_.Below(12));
      case 2:
        return is_number ? std::to_string(value + 1) : "(" + text + ") * 2";
      case 3:
        return is_number ? std::to_string(value * 2) : "floor_div(" + text + ", 2)";
      case 4:
        return std::to_string(std::max<int64_t>(0, value - 1));
      default:
        return Pick(KeysOf("parameters"));
    }
  }

  std::string ChangedType(const std::string& text) {
    const bool is_signed = text[0] != 'u';
    const size_t open = text.find('(');
    const std::string width = text.substr(open + 1, text.size() - open - 2);
    switch (random_.Below(5)) {
      case 0:
        return (is_signed ? "u" : "") + std::string(is_signed ? text : text.substr(1));
      case 1:
        return fmt::format("{}({} + {})", text.substr(0, open), width, random_.Below(4) + 1);
      case 2:
        return fmt::format("{}({} - {})", text.substr(0, open), width, random_.Below(4) + 1);
      case 3:
        return fmt::format("{}({})", text.substr(0, open), int64_t{1} << random_.Below(7));
      default:
        return fmt::format("{}({})", text.substr(0, open), random_.Below(40) + 1);
    }
  }

  std::string ChangedIntrinsic(const std::string& text) {
    const auto swap = [&](const char* pattern, const char* by) {
      return std::regex_replace(text, std::regex(pattern), by);
    };
    switch (random_.Below(6)) {
      case 0:
        return swap(R"((\w+\[\w+\])\[(\w+), (\w+)\]$)", "$1[$3, $2]");  // the last operand's axes
      case 1:
        return swap(R"(^(\w+\[\w+\])\[(\w+), (\w+)\])", "$1[$3, $2]");  // the result's
      case 2:
        return swap(R"(= (\w+\[\w+\])\[(\w+), (\w+)\])", "= $1[$3, $2]");
      case 3:
        return swap(R"(= (.*) \* (.*)$)", "= $2 * $1");
      case 4:
        return swap(R"( \* .*$)", "");
      default:
        return ChangedOperand(text);
    }
  }

  /// Another memory, index or axis at one of its places.
  std::string ChangedOperand(const std::string& text) {
    std::vector<std::string> names = KeysOf("memories");
    for (const char* index : {"dst", "src", "wgt", "aux", "b", "o", "k"}) names.emplace_back(index);
    return WithToken(text, R"([A-Za-z_]\w*)", names);
  }

  std::string ChangedTokens(const std::string& text) {
    switch (random_.Below(4)) {
      case 0:
        return WithToken(text, R"(\+|-|\*|<|>>|<<|&)", {"+", "-", "*", "<", ">>", "<<", "&", "=="});
      case 1:
        return WithToken(text, R"(\b\d+\b)", {"0", "1", "2", "7", "16", "20", "31", "32", "33", "63"});
      case 2:
        return WithToken(text, R"(\b(max|min|clamp|wrap|sat|round_shift|uwrap)\b)",
                         {"max", "min", "clamp", "wrap", "sat", "round_shift", "uwrap"});
      default:
        return WithToken(text, R"(\b[a-z_][a-z_.]*\b)",
                         {"a", "b", "x", "imm", "shift", "zero_point", "lo", "hi", "p.bias", "p.mult",
                          "p.shift", "product", "scaled", "high", "acc_bits", "inp_bits", "stage"});
    }
  }

  std::string WithToken(const std::string& text, const char* pattern, const std::vector<std::string>& by) {
    const std::regex regex(pattern);
    const auto count = std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
    if (count == 0) return ChangedNumber(text);
    auto token = std::sregex_iterator(text.begin(), text.end(), regex);
    std::advance(token, random_.Below(count));
    return text.substr(0, static_cast<size_t>(token->position())) + Pick(by) +
           text.substr(static_cast<size_t>(token->position() + token->length()));
  }

  const YamlNode& root_;
  Random& random_;
};

}  // namespace

IsaEdit DrawEdit(const YamlNode& root, Random& random) {
  for (;;) {
    const IsaEdit edit = Drawer(root, random).Draw();
    YamlNode tree = root;
    if (edit.text.find('|') == std::string::npos && Apply(edit, tree)) return edit;
  }
}

}  // namespace cosim::testing
