// SPDX-License-Identifier: Apache-2.0
// What a run cost: cycles, traffic, and where every cycle of every unit went.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cosim::runtime {

using Cycle = int64_t;

/// Every cycle of one unit, in one row. A cycle counts for the first that applies, in this order; the sum is
/// `cycles`.
struct LedgerRow {
  std::string unit;
  Cycle busy = 0;                 ///< the unit makes progress on an instruction
  Cycle wait_push = 0;            ///< its next instruction waits for room in a queue it pushes to
  std::vector<Cycle> wait_token;  ///< … for a token; one entry a queue of the spec
  Cycle wait_port = 0;            ///< … for a memory bank or for the memory port's arbiter
  Cycle wait_memory = 0;          ///< an instruction in flight waits for DRAM
  Cycle idle = 0;                 ///< no instruction there (or not yet fetched)
  Cycle Total() const;
};

struct InstructionTimes {
  Cycle issue = 0, retire = 0;
};

struct Counters {
  bool completed = false;
  std::string error;              ///< when not completed: what got stuck, by name
  bool timed = false;             ///< false on a functional device: all cycle figures are 0
  Cycle cycles = 0;               ///< from the start register's write to done
  std::vector<LedgerRow> ledger;  ///< one row a unit of the spec
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;  ///< whole beats
  uint64_t gemm_steps = 0, alu_steps = 0;
  std::optional<Cycle> model_cycles;  ///< the cycle simulator's, from a device that holds hardware against it
  std::vector<InstructionTimes> instructions;  ///< when asked for
};

}  // namespace cosim::runtime
