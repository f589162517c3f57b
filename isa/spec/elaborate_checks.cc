// SPDX-License-Identifier: Apache-2.0
// What only the whole spec shows: encodings that clash or overflow, units and memories without use, buffers
// too small.
#include <bit>
#include <map>
#include <set>

#include "isa/spec/elaborate.h"

namespace cosim::isa {
namespace {

/// The bits of the word that a format fixes.
std::map<int, bool> FixedBits(const InstructionFormat& format) {
  std::map<int, bool> bits;
  for (const auto& [field, value] : format.match) {
    for (int bit = 0; bit < format.fields[field].type.width; ++bit) {
      bits[format.fields[field].offset + bit] = (static_cast<uint64_t>(value) >> bit) & 1;
    }
  }
  return bits;
}

bool CanTellApart(const std::map<int, bool>& a, const std::map<int, bool>& b) {
  return std::ranges::any_of(a, [&](const auto& bit) {
    const auto other = b.find(bit.first);
    return other != b.end() && other->second != bit.second;
  });
}

void CheckOverlaps(Elaboration& e) {
  std::vector<std::map<int, bool>> fixed;
  for (size_t f = 0; f < e.spec.formats.size(); ++f) {
    const InstructionFormat& format = e.spec.formats[f];
    fixed.push_back(FixedBits(format));
    for (size_t other = 0; other < f; ++other) {
      if (e.spec.formats[other].opcode != format.opcode || CanTellApart(fixed[other], fixed[f])) continue;
      Diagnostic& error = Report(
          e.diags, codes::kOverlap, e.formats[f]->value.Find("opcode")->value,
          fmt::format("instructions '{}' and '{}' both have opcode {}, and no match field tells them apart",
                      e.spec.formats[other].name, format.name, format.opcode));
      error.hint = "give one another opcode, or both a match field at the same bits";
      error.notes.emplace_back(e.formats[other]->value.Find("opcode")->value.Loc(), "the other one is at");
      break;
    }
  }
}

void CheckWords(Elaboration& e) {
  const int longest = BitsOf(*std::ranges::max_element(e.spec.formats, {}, BitsOf));
  for (size_t f = 0; f < e.spec.formats.size(); ++f) {
    const InstructionFormat& format = e.spec.formats[f];
    const int bits = BitsOf(format);
    if (bits <= e.spec.word_bits) continue;
    const auto over = std::ranges::find_if(format.fields, [&](const Field& field) {
      return field.offset + field.type.width > e.spec.word_bits;
    });
    const YamlEntry* own = FieldEntry(*e.formats[f], over->name);
    Report(e.diags, codes::kWordOverflow, own ? own->key : e.formats[f]->key,
           fmt::format("instruction '{}' has {} bits, but a word has {}; '{}' is the first field beyond it",
                       format.name, bits, e.spec.word_bits, over->name))
        .hint = fmt::format("word_bits: ceil_pow2(instruction_bits) always fits, and is {} here",
                            std::bit_ceil(static_cast<unsigned>(longest)));
  }
}

void CheckOpCodes(Elaboration& e) {
  std::map<std::pair<int, int>, const AluOp*> seen;
  for (size_t i = 0; i < e.spec.alu_ops.size(); ++i) {
    const AluOp& op = e.spec.alu_ops[i];
    const YamlNode& node = e.alu_ops[i]->value.Find("code")->value;
    const InstructionFormat& format = e.spec.formats[op.format];
    const auto [first, is_new] = seen.emplace(std::pair(op.format, op.code), &op);
    if (!is_new) {
      Report(e.diags, codes::kDuplicateOp, node,
             fmt::format("ALU ops '{}' and '{}' both have code {}", first->second->name, op.name, op.code))
          .notes.emplace_back(first->second->loc, "the other one is at");
    }
    const int field = format.FieldIndex("op");
    if (field < 0 || op.code <= format.fields[field].type.Max()) continue;
    Report(e.diags, codes::kOpCodeWidth, node,
           fmt::format("code {} of ALU op '{}' does not fit the {} bits of field 'op' of instruction '{}'",
                       op.code, op.name, format.fields[field].type.width, format.name))
        .notes.emplace_back(format.fields[field].loc, "the field is at");
  }
}

std::set<Kind> KindsOn(const Spec& spec, int unit) {
  std::set<Kind> kinds;
  for (const InstructionFormat& format : spec.formats) {
    if (format.unit == unit) kinds.insert(format.kind);
  }
  return kinds;
}

/// A key that a unit has exactly if it executes instructions of a kind.
void CheckUnitKey(Elaboration& e, size_t unit, std::string_view key, Kind kind, bool executes) {
  const YamlEntry* given = e.units[unit]->value.Find(key);
  if (executes == (given != nullptr)) return;
  const std::string& name = e.spec.units[unit].name;
  if (executes) {
    Report(
        e.diags, codes::kUnitKey, e.units[unit]->key,
        fmt::format("unit '{}' executes {} instructions and needs the key '{}'", name, KindName(kind), key));
  } else {
    Report(e.diags, codes::kUnitKey, given->key,
           fmt::format("unit '{}' executes no {} instructions and has no use for '{}'", name, KindName(kind),
                       key));
  }
}

void CheckUnits(Elaboration& e) {
  for (size_t u = 0; u < e.spec.units.size(); ++u) {
    const Unit& unit = e.spec.units[u];
    std::set<Kind> kinds = KindsOn(e.spec, static_cast<int>(u));
    if (kinds.empty()) {
      Report(e.diags, codes::kUnreachableUnit, e.units[u]->key,
             fmt::format("no instruction executes on unit '{}'", unit.name));
      continue;
    }
    CheckUnitKey(e, u, "lanes", Kind::kAlu, kinds.contains(Kind::kAlu));
    CheckUnitKey(e, u, "buffer_beats", Kind::kLoad, kinds.contains(Kind::kLoad));
    kinds.erase(Kind::kSync);
    const YamlNode& map = e.units[u]->value;
    if (unit.overlap && kinds.size() > 1) {
      Report(
          e.diags, codes::kUnitKey, map.Find("overlap")->value,
          fmt::format("unit '{}' executes several kinds of instructions, which cannot overlap", unit.name));
    }
    if (unit.buffer_beats > 0 && unit.buffer_beats < e.spec.dram.burst_beats) {
      Diagnostic& error =
          Report(e.diags, codes::kBufferTooSmall, map.Find("buffer_beats")->value,
                 fmt::format("the data buffer of unit '{}' holds {} beats, but a burst has up to {}",
                             unit.name, unit.buffer_beats, e.spec.dram.burst_beats));
      e.definitions.Explain({map.Find("buffer_beats")->value.scalar}, error);
      error.notes.emplace_back(e.config.root.Find("memory")->value.Find("burst_beats")->value.Loc(),
                               "bursts get their length from");
    }
  }
}

/// Only units that load or store have a port, and there is none that nobody uses: fetch is at port 0.
void CheckPorts(Elaboration& e) {
  std::vector<bool> used(static_cast<size_t>(e.spec.ports));
  used[0] = true;
  for (size_t u = 0; u < e.spec.units.size(); ++u) {
    const Unit& unit = e.spec.units[u];
    used[static_cast<size_t>(unit.port)] = true;
    const YamlEntry* port = e.units[u]->value.Find("port");
    if (port && !unit.reads_dram && !unit.writes_dram)
      Report(e.diags, codes::kUnitKey, port->key,
             fmt::format("unit '{}' neither loads nor stores and has no use for 'port'", unit.name));
  }
  const auto gap = std::ranges::find(used, false);
  if (gap == used.end()) return;
  for (size_t u = 0; u < e.spec.units.size(); ++u) {
    const Unit& unit = e.spec.units[u];
    if (unit.port + 1 != e.spec.ports) continue;
    const YamlNode& port = e.units[u]->value.Find("port")->value;
    Diagnostic& error = Report(e.diags, codes::kIdlePort, port,
                               fmt::format("unit '{}' uses memory port {}, but nothing uses port {}",
                                           unit.name, unit.port, gap - used.begin()));
    e.definitions.Explain({port.scalar}, error);
    return;
  }
}

void CheckMemories(Elaboration& e) {
  const YamlNode& memories = e.isa.Find("memories")->value;
  for (const Memory& memory : e.spec.memories) {
    if (memory.readers.empty() && memory.writers.empty()) {
      Report(e.diags, codes::kUnusedMemory, memories.Find(memory.name)->key,
             fmt::format("no instruction uses memory '{}'", memory.name));
    } else if (memory.writers.empty()) {
      Report(e.diags, codes::kUnusedMemory, memories.Find(memory.name)->key,
             fmt::format("memory '{}' is read, but no instruction writes it", memory.name));
    }
  }
}

/// Fetch asks for at most half its buffer at a time, which has to be a beat or more.
void CheckFetch(Elaboration& e) {
  const int64_t bits = int64_t{e.spec.fetch_words} / 2 * e.spec.word_bits;
  if (bits >= e.spec.dram.port_bits) return;
  Diagnostic& error =
      Report(e.diags, codes::kBufferTooSmall, e.isa.Find("parameters")->key,
             fmt::format("half of a fetch buffer of {} x {} bits is less than a beat of {} bits",
                         e.spec.fetch_words, e.spec.word_bits, e.spec.dram.port_bits));
  e.definitions.Explain({"fetch_words"}, error);
}

}  // namespace

void CheckEncodings(Elaboration& e) {
  CheckOverlaps(e);
  CheckWords(e);
  CheckOpCodes(e);
}

void CheckStructure(Elaboration& e) {
  CheckUnits(e);
  CheckPorts(e);
  CheckMemories(e);
  CheckFetch(e);
}

}  // namespace cosim::isa
