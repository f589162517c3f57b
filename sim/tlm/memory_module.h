// SPDX-License-Identifier: Apache-2.0
// The example platform's memory: bytes behind a TLM target socket, with direct access. Takes no time; the
// accelerator brings the timing of its own accesses along.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace cosim::sim {

class MemoryModule : public sc_core::sc_module {
 public:
  /// Addresses from 0. No byte enables, no streaming.
  tlm_utils::simple_target_socket<MemoryModule> socket;

  /// `bytes` of zeros, of which only those that are touched take memory of the host.
  MemoryModule(sc_core::sc_module_name name, uint64_t bytes);
  ~MemoryModule() override;
  MemoryModule(const MemoryModule&) = delete;
  MemoryModule& operator=(const MemoryModule&) = delete;

  uint64_t size() const { return size_; }
  /// All bytes are 0 again. Direct access stays valid.
  void Clear();

 private:
  ::tlm::tlm_response_status Copy(::tlm::tlm_generic_payload& payload);
  void Access(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned DebugAccess(::tlm::tlm_generic_payload& payload);
  bool GrantDirect(::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& direct);

  uint64_t size_;
  uint8_t* bytes_;
};

}  // namespace cosim::sim
