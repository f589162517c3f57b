// SPDX-License-Identifier: Apache-2.0
// The far end of one of the accelerator's memory ports: takes addresses and data, moves the data through a
// MemoryPort, answers when a MemoryTiming says so, and misbehaves as AXI allows when a test wants it to.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/dram/memory_port.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

/// What goes wrong. Beats and responses are counted from the construction of the bus; -1: none.
struct BusFaults {
  int64_t read_error_beat = -1;    ///< this beat comes with SLVERR
  int64_t write_error_burst = -1;  ///< this burst's response is SLVERR
  bool silent = false;             ///< nothing is taken and nothing comes
};

class MemoryBus {
 public:
  /// The bus of memory port `port`. `memory` and `timing` must outlive it; all ports share them. What
  /// `memory` refuses is answered with DECERR.
  MemoryBus(const isa::Spec& spec, int port, MemoryPort& memory, MemoryTiming& timing)
      : port_(port), beat_bytes_(spec.dram.beat_bytes()), memory_(&memory), timing_(&timing) {}

  BusFaults faults;

  /// Puts on the pins what comes in cycle `now`; of a channel that stalls, nothing.
  void DriveReads(Cycle now, bool stalls, RtlPortInputs& inputs) const;
  void DriveWrites(Cycle now, bool stalls, RtlPortInputs& inputs) const;
  /// Takes what passed in cycle `now`.
  void TakeReads(Cycle now, const RtlPortInputs& inputs, const RtlPortOutputs& outputs);
  void TakeWrites(Cycle now, const RtlPortInputs& inputs, const RtlPortOutputs& outputs);

  /// Nothing that was asked for is still owed, and no data came without their address.
  bool Quiet() const { return reads_.empty() && writes_.empty() && beats_.empty() && responses_.empty(); }
  int64_t beats_given() const { return beats_given_; }
  int64_t responses_given() const { return responses_given_; }

 private:
  struct Read {
    Cycle next_beat;
    std::vector<uint8_t> bytes;  ///< what memory held when the address came
    size_t at;                   ///< of the next beat
    uint32_t response;
  };
  struct Beat {
    Cycle at;
    std::vector<uint8_t> bytes;
    uint64_t strobe;
    bool last;
  };
  struct Response {
    Cycle at;
    uint32_t response;
  };

  void CompleteWrites();
  bool WriteBeat(uint64_t address, const Beat& beat);

  int port_;
  uint64_t beat_bytes_;
  MemoryPort* memory_;
  MemoryTiming* timing_;
  std::deque<Read> reads_;
  std::deque<Burst> writes_;
  std::deque<Beat> beats_;  ///< may come before their address
  std::deque<Response> responses_;
  int64_t beats_given_ = 0, responses_given_ = 0;
};

}  // namespace cosim::sim
