// SPDX-License-Identifier: Apache-2.0
// A memory port over a TLM initiator socket: blocking transactions, and plain copies wherever the target has
// granted direct access. Adds no time; the module that owns the socket does.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <tlm>

#include "sim/dram/memory_port.h"

namespace cosim::sim {

class MemoryMaster final : public MemoryPort {
 public:
  /// `socket` must outlive the port. Its owner passes invalidations on to Invalidate.
  explicit MemoryMaster(::tlm::tlm_initiator_socket<32>& socket) : socket_(socket) {}

  /// From now on what is called `address` here stands at `base` + address.
  void SetBase(uint32_t base) { base_ = base; }
  // From a SystemC process only: the target may wait. Delays that targets annotate add up in `annotated`.
  bool Read(uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint64_t address, std::span<const uint8_t> bytes) override;
  /// Forgets direct access to anything in [first, last].
  void Invalidate(uint64_t first, uint64_t last);
  /// The delays of the transactions since the last call, which clears them.
  sc_core::sc_time TakeAnnotated();

 private:
  bool Move(::tlm::tlm_command command, uint64_t address, uint8_t* bytes, uint64_t count);
  bool Transact(::tlm::tlm_command command, uint64_t address, uint8_t* bytes, uint64_t count);
  /// The memory itself at `address`, if all `count` bytes may be accessed directly; else null.
  uint8_t* Direct(::tlm::tlm_command command, uint64_t address, uint64_t count) const;

  ::tlm::tlm_initiator_socket<32>& socket_;
  ::tlm::tlm_dmi direct_;
  bool has_direct_ = false;
  uint32_t base_ = 0;
  sc_core::sc_time annotated_ = sc_core::SC_ZERO_TIME;
};

}  // namespace cosim::sim
