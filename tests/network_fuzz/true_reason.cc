// SPDX-License-Identifier: Apache-2.0
// Whether a reason for leaving work to the host can be what an edit has led to. See isa_case.h.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/network_fuzz/isa_case.h"

namespace cosim::testing {
namespace {

/// What the compiler says, and which sections of an ISA it can come from.
struct Known {
  const char* text;
  const char* sections;
};

const Known kKnown[] = {
    {"has no ALU ops", "alu_ops"},
    {"the ISA has no instruction acc", "instructions"},
    {"the ISA has no store instruction", "instructions"},
    {": computes ", "instructions memories"},
    {"may start an instruction before", "units"},
    {"micro-ops of ", "instructions memories alu_ops"},
    {"no instruction loads", "instructions memories"},
    {"no instruction stores", "instructions memories"},
    {"neither a field 'overwrite' nor 'reset'", "instructions"},
    {"stores no results: ", "instructions memories alu_ops"},
    {"has no sync instruction", "instructions units"},
    {"no chain of queues leads", "queues units instructions"},
    {"has no per-channel multiplier", "alu_ops memories instructions"},
    {"no ALU op of isa", "alu_ops memories instructions"},
    {"no sequence of up to", "alu_ops memories instructions"},
    {"values are int8 or int16", "memories"},
    {"sums are int32", "memories"},
    {"weights are signed", "memories"},
    {"weights from ", "memories"},
    {" elements of '", "memories"},
    {"and the smallest tile needs", "memories"},
    {" and would need ", "instructions memories"},
    {" has no field ", "instructions"},
    {"padding with zero point", "instructions"},
    {"padding of ", "instructions"},
    {"a padded row of ", "instructions"},
    {"in tiles that fit, some see padding alone", "memories"},
    {"a bias of ", "memories"},
    {"a multiplier of ", "memories"},
    {"a shift of ", "memories"},
    {"a shift by ", "memories alu_ops"},
    {"its values are ", "memories"},
    {"the alu reads activations of ", "memories"},
    {" straight from DRAM", "memories instructions alu_ops"},
    {" across lanes", "memories instructions alu_ops"},
    {" has lanes of ", "memories"},
    {" in another way than ", "memories instructions"},
    {" adds products of ", "memories instructions"},
    {" element by element", "memories instructions alu_ops"},
    {"the network takes more than ", "instructions memories"},
    {"the host packs its weights as whole bytes", "memories"},
    {"activations are its weights", "memories"},
};

const char* const kSections[] = {"memories", "units", "queues", "instructions", "alu_ops", "parameters"};

class Touched {
 public:
  Touched(const isa::YamlNode& isa, const std::vector<IsaEdit>& edits) : isa_(isa) {
    for (const IsaEdit& edit : edits) {
      CollectWords(edit.text, words_);
      isa::YamlNode after = isa;
      Apply(edit, after);
      for (const char* section : kSections)
        if (Text(isa, section) != Text(after, section)) sections_.insert(section);
      AddPath(edit.path);
    }
    // What names an entry that is touched, and what that names.
    const std::set<std::string> direct = words_;
    ForEachEntry([&](const isa::YamlEntry& entry) {
      std::set<std::string> own = {entry.key.scalar};
      CollectWords(entry.value, own);
      const bool names = std::ranges::any_of(
          own, [&](const std::string& word) { return direct.count(word) && IsEntry(word); });
      if (names) words_.insert(own.begin(), own.end());
    });
  }

  bool Section(const std::string& name) const { return sections_.count(name) > 0; }
  /// The name, or one made of it: a copy is called after what is copied.
  bool Names(const std::string& name) const {
    return std::ranges::any_of(words_, [&](const std::string& word) {
      return word == name || (word.size() > 1 && name.ends_with("_" + word));
    });
  }
  const std::set<std::string>& sections() const { return sections_; }

 private:
  static std::string Text(const isa::YamlNode& isa, const char* section) {
    const isa::YamlEntry* entry = isa.Find(section);
    return entry ? Emit(entry->value) : "";
  }

  template <typename F>
  void ForEachEntry(F f) const {
    for (const char* section : kSections)
      if (const isa::YamlEntry* map = isa_.Find(section))
        for (const isa::YamlEntry& entry : map->value.entries) f(entry);
  }

  bool IsEntry(const std::string& word) const {
    bool is = false;
    ForEachEntry([&](const isa::YamlEntry& entry) { is |= entry.key.scalar == word; });
    return is;
  }

  /// The names on the way, and the words of what stands there.
  void AddPath(const std::string& path) {
    std::istringstream parts(path);
    const isa::YamlNode* at = &isa_;
    for (std::string part; std::getline(parts, part, '/');) {
      words_.insert(part);
      const isa::YamlEntry* entry = at && at->kind == isa::YamlNode::Kind::kMap ? at->Find(part) : nullptr;
      if (at && at->kind == isa::YamlNode::Kind::kSequence &&
          static_cast<size_t>(std::atoi(part.c_str())) < at->items.size()) {
        at = &at->items[static_cast<size_t>(std::atoi(part.c_str()))];
      } else {
        at = entry ? &entry->value : nullptr;
      }
    }
    if (at && path.find('/') != std::string::npos) CollectWords(*at, words_);
  }

  const isa::YamlNode& isa_;
  std::set<std::string> words_, sections_;
};

}  // namespace

std::string Untrue(const std::string& reason, const isa::YamlNode& before,
                   const std::vector<IsaEdit>& edits) {
  if (reason.empty()) return "no reason";
  const Touched touched(before, edits);
  bool known = false, explained = touched.Section("parameters");
  for (const Known& k : kKnown) {
    if (reason.find(k.text) == std::string::npos) continue;
    known = true;
    std::istringstream sections(k.sections);
    for (std::string section; sections >> section;) explained |= touched.Section(section);
  }
  if (!known) return "no reason that is known";
  if (!explained) return "of a part of the ISA that is as it was";
  static const std::regex kQuoted("(isa )?'([^']+)'");
  bool quotes = false, names = false;
  for (auto it = std::sregex_iterator(reason.begin(), reason.end(), kQuoted); it != std::sregex_iterator();
       ++it) {
    if ((*it)[1].matched) continue;
    quotes = true;
    names |= touched.Names((*it)[2]);
  }
  return quotes && !names ? "names nothing that is touched" : "";
}

}  // namespace cosim::testing
