// SPDX-License-Identifier: Apache-2.0
// The order of the steps, and the parts of a spec that depend on nothing else.
#include "isa/spec/elaborate.h"

#include <bit>
#include <utility>

#include "isa/spec/param_expr.h"

namespace cosim::isa {
namespace {

constexpr int64_t kMaxQueueCapacity = 65536;

/// The top-level map `key`, its entries named like identifiers; empty if it is missing and `required` is
/// false.
std::vector<const YamlEntry*> NamedEntries(Elaboration& e, std::string_view key, std::string_view what,
                                           bool required) {
  std::vector<const YamlEntry*> entries;
  const YamlEntry* section = e.isa.Find(key);
  if (!section && !required) return entries;
  if (!section || section->value.kind != YamlNode::Kind::kMap) {
    Report(e.diags, section ? codes::kWrongType : codes::kMissingKey, section ? section->key : e.isa,
           section ? fmt::format("'{}' of the ISA has to be a map of keys, not {}", key,
                                 KindName(section->value.kind))
                   : fmt::format("the ISA lacks the key '{}'", key));
    return entries;
  }
  for (const YamlEntry& entry : section->value.entries) {
    if (CheckName(entry.key, what, e.diags)) entries.push_back(&entry);
  }
  return entries;
}

void ReadFetchWords(Elaboration& e) {
  const ParamScope::Value value = e.definitions.Lookup("fetch_words", "");
  if (value.state == ParamScope::Value::State::kUnknown) {
    const YamlEntry* parameters = e.isa.Find("parameters");
    Report(e.diags, codes::kMissingKey, parameters ? parameters->key : e.isa,
           "the ISA lacks the parameter 'fetch_words': the instructions that the fetch buffer holds");
    return;
  }
  e.spec.fetch_words = static_cast<int>(std::min<int64_t>(value.value, INT32_MAX));
}

void ReadQueue(Elaboration& e, const YamlEntry& entry) {
  const MapReader reader(entry.value, entry.key, fmt::format("queue '{}'", entry.key.scalar), e.diags,
                         {"from", "to", "capacity"});
  if (!reader.is_map()) return;
  Queue queue;
  queue.name = entry.key.scalar;
  queue.loc = entry.key.Loc();
  UnitReference from, to;
  if (reader.String("from")) from = FindUnit(e, *reader.Find("from"));
  if (reader.String("to")) to = FindUnit(e, *reader.Find("to"));
  queue.from = from.unit;
  queue.to = to.unit;
  if (const YamlNode* capacity = reader.Require("capacity")) {
    queue.capacity =
        static_cast<int>(EvaluateParamIn(*capacity, fmt::format("the capacity of queue '{}'", queue.name), 1,
                                         kMaxQueueCapacity, e.definitions, e.diags)
                             .value_or(0));
  }
  if (queue.from >= 0 && queue.from == queue.to) {
    Report(
        e.diags, codes::kQueueEnds, *reader.Find("to"),
        fmt::format("queue '{}' leads from unit '{}' to itself", queue.name, e.spec.units[queue.from].name))
        .hint = "a unit's own instructions follow each other in order and need no tokens";
  }
  if (from.is_absent || to.is_absent) return;
  for (const Queue& other : e.spec.queues) {
    if (queue.from < 0 || other.from != queue.from || other.to != queue.to) continue;
    Report(e.diags, codes::kQueueEnds, entry.key,
           fmt::format("queues '{}' and '{}' lead from and to the same units", other.name, queue.name))
        .notes.emplace_back(other.loc, "the first one is at");
    break;
  }
  e.spec.queues.push_back(std::move(queue));
  e.queues.push_back(&entry);
}

}  // namespace

void ElaborateHeader(Elaboration& e) {
  const MapReader reader(e.isa, e.isa, "the ISA", e.diags,
                         {"isa", "doc", "word_bits", "parameters", "memories", "units", "queues",
                          "opcode_bits", "instructions", "alu_ops"});
  if (!reader.is_map()) return;
  Spec& spec = e.spec;
  spec.isa = reader.String("isa").value_or("");
  spec.doc = reader.OptionalString("doc", "");
  spec.config = e.config.name;
  spec.config_doc = e.config.doc;
  spec.board = e.config.board;
  spec.clock_mhz = e.config.clock_mhz;
  spec.dram = e.config.dram;
  spec.hardware = e.config.hardware;
  if (reader.Find("parameters")) reader.RequireMap("parameters");
  reader.RequireMap("memories");
  reader.Require("word_bits");
  const YamlNode* opcode = reader.Require("opcode_bits");
  if (opcode)
    spec.opcode_bits = static_cast<int>(
        EvaluateParamIn(*opcode, "'opcode_bits'", 1, 16, e.definitions, e.diags).value_or(0));
  spec.parameters = e.definitions.Parameters();
  spec.memories = e.definitions.Memories();
  ReadFetchWords(e);
  const std::vector<const YamlEntry*> units = NamedEntries(e, "units", "unit", true);
  if (!units.empty()) ReadUnits(e, units, e.isa.Find("units")->key);
  e.queues = NamedEntries(e, "queues", "queue", false);
  e.formats = NamedEntries(e, "instructions", "instruction", true);
  e.alu_ops = NamedEntries(e, "alu_ops", "ALU op", false);
}

void ElaborateWord(Elaboration& e) {
  int longest = 1;
  for (const InstructionFormat& format : e.spec.formats) longest = std::max(longest, BitsOf(format));
  e.definitions.SetInstructionBits(longest);
  const YamlNode& word = e.isa.Find("word_bits")->value;
  e.spec.word_bits =
      static_cast<int>(EvaluateParamIn(word, "'word_bits'", 32, 1024, e.definitions, e.diags).value_or(0));
  if (!std::has_single_bit(static_cast<unsigned>(e.spec.word_bits)) && e.spec.word_bits > 0) {
    Report(e.diags, codes::kOutOfRange, word,
           fmt::format("'word_bits' is {}, but has to be a power of two", e.spec.word_bits));
  }
}

void ElaborateQueues(Elaboration& e) {
  for (const YamlEntry* entry : std::exchange(e.queues, {})) ReadQueue(e, *entry);
}

const YamlEntry* FieldEntry(const YamlEntry& owner, std::string_view field) {
  const YamlEntry* fields = owner.value.Find("fields");
  return fields ? fields->value.Find(field) : nullptr;
}

std::optional<Spec> ElaborateTree(const YamlNode& isa, const Config& config, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  Elaboration e{isa, config, diags, Definitions(isa, config, diags), {}, {}, {}, {}, {}};
  // What a step could not read would only make the next one complain of things that are not there.
  for (const auto step : {ElaborateHeader, ElaborateQueues, ElaborateFormats, ElaborateWord,
                          ElaborateIntrinsics, ElaborateAluOps, ElaborateTiming, ElaborateAccess}) {
    step(e);
    if (diags.list().size() > errors) return std::nullopt;
  }
  CheckRoles(e);
  CheckEncodings(e);
  CheckStructure(e);
  if (diags.list().size() > errors) return std::nullopt;
  e.spec.fingerprint = Fingerprint(e.spec);
  return std::move(e.spec);
}

}  // namespace cosim::isa
