// SPDX-License-Identifier: Apache-2.0
// Reads the ledger row by row, in the order of its columns.
#include "runtime/read_counters.h"

#include "isa/spec/registers.h"

namespace cosim::runtime {
namespace {

namespace registers = isa::registers;

class Reader {
 public:
  Reader(const isa::Spec& spec, const std::function<uint32_t(uint32_t)>& read_word)
      : spec_(spec), read_word_(read_word) {}

  /// The low word first: reading it keeps the high one.
  uint64_t Read(uint32_t offset) const {
    const uint64_t low = read_word_(offset);
    return low | uint64_t{read_word_(offset + 4)} << 32;
  }

  LedgerRow Row(size_t unit) const {
    size_t column = 0;
    const auto next = [&] {
      return static_cast<Cycle>(Read(registers::LedgerOffset(spec_, unit, column++)));
    };
    LedgerRow row;
    row.unit = spec_.units[unit].name;
    row.busy = next();
    row.wait_push = next();
    for (size_t q = 0; q < spec_.queues.size(); ++q) row.wait_token.push_back(next());
    row.wait_port = next();
    row.wait_memory = next();
    row.idle = next();
    return row;
  }

 private:
  const isa::Spec& spec_;
  const std::function<uint32_t(uint32_t)>& read_word_;
};

std::string ErrorText(uint32_t error) {
#define COSIM_TEXT(name, code, doc) \
  if (error == (code)) return doc;
  COSIM_REGISTER_ERRORS(COSIM_TEXT)
#undef COSIM_TEXT
  return "an error without a name";
}

}  // namespace

Counters ReadCounters(const isa::Spec& spec, const std::function<uint32_t(uint32_t)>& read_word) {
  const Reader reader(spec, read_word);
  Counters counters;
  counters.timed = true;
  counters.completed = (read_word(registers::kStatus) & registers::kFailed) == 0;
  counters.cycles = static_cast<Cycle>(reader.Read(registers::kCycles));
  counters.dram_read_bytes = reader.Read(registers::kReadBytes);
  counters.dram_write_bytes = reader.Read(registers::kWriteBytes);
  counters.gemm_steps = reader.Read(registers::kGemmSteps);
  counters.alu_steps = reader.Read(registers::kAluSteps);
  if (!counters.completed) {
    counters.error = "the accelerator reports: " + ErrorText(read_word(registers::kError));
  } else {
    for (size_t unit = 0; unit < spec.units.size(); ++unit) counters.ledger.push_back(reader.Row(unit));
  }
  return counters;
}

}  // namespace cosim::runtime
