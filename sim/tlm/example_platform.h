// SPDX-License-Identifier: Apache-2.0
// The example platform: processor, bus, memory, and the accelerator twice, as cycle model and as RTL, wired
// as a user's virtual platform would. One of the two is used at a time.
#pragma once

#include <cstdint>
#include <systemc>

#include "isa/spec/spec.h"
#include "sim/kernels/simd_level.h"
#include "sim/tlm/accelerator_module.h"
#include "sim/tlm/bus_module.h"
#include "sim/tlm/memory_module.h"
#include "sim/tlm/processor_module.h"
#include "sim/tlm/rtl_module.h"

namespace cosim::sim {

class ExamplePlatform : public sc_core::sc_module {
 public:
  // The address map.
  static constexpr uint64_t kMemoryBase = 0, kMemoryBytes = uint64_t{1} << 32;
  static constexpr uint64_t kRegisterBase = kMemoryBase + kMemoryBytes;
  static constexpr uint64_t kRtlRegisterBase = kRegisterBase + 16 * registers::kSize;

  ExamplePlatform(sc_core::sc_module_name name, const isa::Spec& spec, SimdLevel level);

  ProcessorModule processor;
  BusModule bus;
  MemoryModule memory;
  AcceleratorModule accelerator;
  RtlModule rtl;

 private:
  void JoinInterrupts();

  sc_core::sc_signal<bool> accelerator_interrupt_, rtl_interrupt_, interrupt_;
};

}  // namespace cosim::sim
