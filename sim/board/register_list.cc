// SPDX-License-Identifier: Apache-2.0
#include "sim/board/register_list.h"

#include <fmt/format.h>

namespace cosim::board {
namespace {

namespace registers = isa::registers;

/// The one word of a register, or its two.
void Add(const RegisterWord& whole, int size, std::vector<RegisterWord>& words) {
  if (size == 32) {
    words.push_back(whole);
    return;
  }
  for (const bool high : {false, true}) {
    RegisterWord word = whole;
    word.name += high ? "_high" : "_low";
    word.offset += high ? 4 : 0;
    words.push_back(word);
  }
}

/// Names of a row's counters, in the order of isa::registers::LedgerColumns.
std::vector<std::string> Columns(const isa::Spec& spec) {
  std::vector<std::string> names = {"busy", "wait_push"};
  for (const isa::Queue& queue : spec.queues) names.push_back("wait_token_" + queue.name);
  names.insert(names.end(), {"wait_port", "wait_memory", "idle"});
  return names;
}

}  // namespace

std::vector<RegisterWord> RegisterWords(const isa::Spec& spec) {
  std::vector<RegisterWord> words;
  const auto add = [&](const char* name, uint32_t offset, int size, registers::Access access,
                       const char* doc) {
    if (offset == registers::kLedger) return;  // each of its counters is listed below
    RegisterWord word{.name = name, .doc = doc, .offset = offset, .access = access, .bits = {}};
    const auto add_bit = [&](const char* of, const char* bit_name, int bit, const char* bit_doc) {
      if (word.name == of) word.bits.push_back({bit_name, bit_doc, bit});
    };
#define COSIM_ADD_BIT(of, bit_name, bit, bit_doc) add_bit(#of, #bit_name, bit, bit_doc);
    COSIM_REGISTER_BITS(COSIM_ADD_BIT)
#undef COSIM_ADD_BIT
    Add(word, size, words);
  };
#define COSIM_ADD_REGISTER(name, offset, size, access, doc) \
  add(#name, offset, size, registers::Access::access, doc);
  COSIM_REGISTERS(COSIM_ADD_REGISTER)
#undef COSIM_ADD_REGISTER
  const std::vector<std::string> columns = Columns(spec);
  for (size_t unit = 0; unit < spec.units.size(); ++unit) {
    for (size_t column = 0; column < columns.size(); ++column) {
      const std::string& name = spec.units[unit].name;
      Add({.name = fmt::format("Ledger_{}_{}", name, columns[column]),
           .doc = fmt::format("cycles of unit {}: {}", name, columns[column]),
           .offset = registers::LedgerOffset(spec, unit, column),
           .access = registers::Access::kReadOnly,
           .bits = {}},
          64, words);
    }
  }
  return words;
}

}  // namespace cosim::board
