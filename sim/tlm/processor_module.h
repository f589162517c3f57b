// SPDX-License-Identifier: Apache-2.0
// The example platform's processor: a SystemC thread that runs host code handed in from outside the
// simulation, over a bus and an interrupt line. Which code is the caller's.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <span>
#include <systemc>
#include <tlm>

#include "sim/tlm/memory_master.h"

namespace cosim::sim {

class ProcessorModule : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<ProcessorModule> bus;
  sc_core::sc_in<bool> interrupt;

  explicit ProcessorModule(sc_core::sc_module_name name);

  /// From outside the simulation: runs `code` in the thread, and the simulation until it has ended. False
  /// when nothing in the simulation can happen any more, but the code still waits; then the processor is
  /// lost.
  [[nodiscard]] bool Run(std::function<void()> code);

  // For the code that runs in the thread. Bus accesses take what targets annotate. Read and Write return
  // false on a bus error; registers are always there.
  [[nodiscard]] bool Read(uint64_t address, std::span<uint8_t> bytes);
  [[nodiscard]] bool Write(uint64_t address, std::span<const uint8_t> bytes);
  uint32_t ReadWord(uint64_t address);
  void WriteWord(uint64_t address, uint32_t value);
  /// Waits until the interrupt line is `level`.
  void WaitForInterrupt(bool level);

 private:
  void Serve();
  void Invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
  void SpendAnnotated();

  MemoryMaster port_;
  std::function<void()> code_;  ///< empty: nothing to do
  sc_core::sc_event handed_in_;
};

}  // namespace cosim::sim
