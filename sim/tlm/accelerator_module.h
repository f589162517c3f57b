// SPDX-License-Identifier: Apache-2.0
// The accelerator as a SystemC TLM-2.0 module, loosely timed, to drop into a virtual platform. Cycles come
// from sim/cycle, data from sim/functional over the platform's memory.
//
// A write of kStart begins a run. The module reads the program's words through `memory`,
// times the whole program, and goes through its instructions by retirement: the rows of a load or store move
// through `memory` at the time of its retirement (start + retire x clock period), so other masters see stores
// when they are complete. done and the interrupt come at start + cycles x clock period.
//
// The timing of memory is the Spec's: delays that targets annotate are not added, and other masters do not
// slow the accelerator. A target that waits inside b_transport delays done, not the cycle counter.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"
#include "sim/cycle/timing_engine.h"
#include "sim/kernels/simd_level.h"
#include "sim/tlm/memory_master.h"
#include "sim/tlm/ported_engine.h"

namespace cosim::sim {

class AcceleratorModule : public sc_core::sc_module {
 public:
  /// isa/spec/registers.h, from address 0. Aligned words only, no byte enables; debug transport reads.
  tlm_utils::simple_target_socket<AcceleratorModule> control;
  /// All memory ports in one. Addresses as the program's. Uses direct access where it is granted.
  tlm_utils::simple_initiator_socket<AcceleratorModule> memory;
  /// High while an interrupt is pending and enabled.
  sc_core::sc_out<bool> interrupt;

  /// `spec` must outlive the module or the next Configure; `level` must be supported by this machine.
  AcceleratorModule(sc_core::sc_module_name name, const isa::Spec& spec, SimdLevel level = BestSimdLevel());

  /// Becomes the accelerator of another spec, as an FPGA does: registers and memories are as after reset.
  /// Not while busy.
  void Configure(const isa::Spec& spec, SimdLevel level);

  // For the simulation around it; hardware has none of these.
  bool busy() const { return (status_ & registers::kBusy) != 0; }
  /// Of the last run, with the times of all instructions; `error` says in words what kError says as a number.
  const runtime::Counters& last_run() const { return run_; }
  /// The layer an instruction came from, for error messages; may be empty.
  void SetLayers(std::function<std::string(size_t)> layer_of) { layer_of_ = std::move(layer_of); }
  void PoisonOnChip(uint64_t seed) { data_->PoisonOnChip(seed); }

 private:
  struct LoadedProgram {
    std::vector<isa::Instruction> instructions;
    std::vector<isa::Decoded> decoded;
  };

  void Access(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned DebugAccess(::tlm::tlm_generic_payload& payload);
  /// `kept_high` is what a counter's high word reads as; its low word replaces it.
  uint32_t ReadRegister(uint64_t offset, uint32_t& kept_high) const;
  /// What is counted at `offset`, a multiple of 8, if anything.
  std::optional<uint64_t> CounterAt(uint64_t offset) const;
  void WriteRegister(uint64_t offset, uint32_t value, const sc_core::sc_time& delay);
  uint64_t LedgerEntry(uint64_t index) const;

  void Invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
  void Serve();
  void DriveInterrupt();
  Failure Run();
  Failure ReadProgram(LoadedProgram& program);
  Failure MoveData(const LoadedProgram& program);
  std::string Name(const LoadedProgram& program, size_t instruction) const;
  /// Until `cycle` of the current run, or its abort; at once if that is past.
  void WaitForCycle(runtime::Cycle cycle);

  const isa::Spec* spec_ = nullptr;
  sc_core::sc_time period_;
  MemoryMaster port_;
  std::unique_ptr<PortedEngine> data_;
  std::unique_ptr<TimingEngine> timing_;
  std::function<std::string(size_t)> layer_of_;

  uint32_t status_ = 0;
  bool interrupt_enabled_ = false;
  registers::ErrorCode error_ = registers::ErrorCode::kNone;
  uint32_t program_ = 0, base_ = 0, length_ = 0;   ///< as they are while busy
  uint32_t watchdog_ = registers::kWatchdogReset;  ///< without effect: this memory always answers
  uint32_t kept_high_ = 0;                         ///< the high word of the counter that was read last
  bool aborted_ = false;                           ///< this run
  sc_core::sc_time began_;
  runtime::Counters run_;
  sc_core::sc_event start_, abort_, interrupt_changed_;
};

}  // namespace cosim::sim
