// SPDX-License-Identifier: Apache-2.0
// The generated RTL under Verilator as a SystemC TLM-2.0 module, with the sockets of AcceleratorModule, so
// that either drops into a virtual platform. Its registers are the RTL's own.
//
// The module's clock runs while an access or a program is under way. It may be ahead of the simulation
// between accesses to memory, by at most kQuantum cycles; every access to memory and every change of the
// interrupt come at their time. The timing of memory is the Spec's: delays that targets annotate are not
// added.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <systemc>
#include <tlm>

#include "isa/spec/spec.h"
#include "sim/dram/memory_port.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_bench.h"
#include "sim/rtl/rtl_model.h"
#include "sim/tlm/memory_master.h"

namespace cosim::sim {

class RtlModule : public sc_core::sc_module, private MemoryPort {
 public:
  /// isa/spec/registers.h, from address 0. Aligned words only, no byte enables, no debug transport. An error
  /// until Configure.
  tlm_utils::simple_target_socket<RtlModule> control;
  /// Of all memory ports. Addresses as the program's. Uses direct access where it is granted.
  tlm_utils::simple_initiator_socket<RtlModule> memory;
  /// The RTL's interrupt line.
  sc_core::sc_out<bool> interrupt;

  static constexpr int kQuantum = 1000;

  explicit RtlModule(sc_core::sc_module_name name);

  /// Becomes the accelerator of `spec`, as an FPGA does; `library` is BuildRtl's (sim/rtl/rtl_library.h).
  /// `spec` must outlive the module or the next Configure. Not while a program runs.
  void Configure(const isa::Spec& spec, const std::filesystem::path& library);

  // For the simulation around it; hardware has none of these. Only after Configure.
  RtlModel& model() { return *model_; }
  /// Sees the pins of every cycle from cycle 0 of a run on; may be empty.
  void Observe(std::function<void(Cycle, const RtlOutputs&)> observer) {
    bench_->observe = std::move(observer);
  }

 private:
  /// A register access that waits for the clock.
  struct Request {
    ::tlm::tlm_generic_payload* payload;
    sc_core::sc_event done;
  };

  void Access(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void Invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
  void Serve();
  void Answer(::tlm::tlm_generic_payload& payload);
  bool Runs() const { return started_ && !bench_->outputs().done; }
  void DriveInterrupt();
  /// Lets the simulation catch up with the clock.
  void Synchronize();

  // The accelerator's memory accesses, at their time.
  bool Read(uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint64_t address, std::span<const uint8_t> bytes) override;

  sc_core::sc_time period_;
  MemoryMaster port_;
  std::unique_ptr<BuiltInMemory> timing_;
  std::unique_ptr<RtlModel> model_;
  std::unique_ptr<RtlBench> bench_;
  std::deque<Request*> requests_;
  sc_core::sc_event requested_;
  sc_core::sc_time woken_;              ///< when the clock last began to run
  Cycle woken_at_ = 0, synced_at_ = 0;  ///< RtlBench::clocks() then, and when the simulation last caught up
  int settle_ = 0;                      ///< cycles until the clock stops
  bool started_ = false;                ///< there was a run
};

}  // namespace cosim::sim
