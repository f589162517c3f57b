// SPDX-License-Identifier: Apache-2.0
// The example platform's bus: any number of initiators and targets, targets found by address. Takes no time
// and lets everyone through at once.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

namespace cosim::sim {

class BusModule : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<BusModule> initiators;
  tlm_utils::multi_passthrough_initiator_socket<BusModule> targets;

  explicit BusModule(sc_core::sc_module_name name);

  /// Binds a target to [base, base + bytes), which must be free; it sees addresses from 0.
  template <class Socket>
  void Map(Socket& target, uint64_t base, uint64_t bytes) {
    targets.bind(target);
    Add(base, bytes);
  }

 private:
  struct Window {
    uint64_t base = 0, bytes = 0;
  };
  void Add(uint64_t base, uint64_t bytes);
  /// Of the window that holds the payload's address; -1 if none does.
  int Find(const ::tlm::tlm_generic_payload& payload) const;
  void Access(int initiator, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned DebugAccess(int initiator, ::tlm::tlm_generic_payload& payload);
  bool GrantDirect(int initiator, ::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& direct);
  void Invalidate(int target, sc_dt::uint64 first, sc_dt::uint64 last);

  std::vector<Window> windows_;  ///< by target
};

}  // namespace cosim::sim
