// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/example_platform.h"

namespace cosim::sim {

SC_HAS_PROCESS(ExamplePlatform);

ExamplePlatform::ExamplePlatform(sc_core::sc_module_name name, const isa::Spec& spec, SimdLevel level)
    : sc_module(name),
      processor("processor"),
      bus("bus"),
      memory("memory", kMemoryBytes),
      accelerator("accelerator", spec, level),
      rtl("rtl"),
      accelerator_interrupt_("accelerator_interrupt"),
      rtl_interrupt_("rtl_interrupt"),
      interrupt_("interrupt") {
  processor.bus.bind(bus.initiators);
  accelerator.memory.bind(bus.initiators);
  rtl.memory.bind(bus.initiators);
  bus.Map(memory.socket, kMemoryBase, kMemoryBytes);
  bus.Map(accelerator.control, kRegisterBase, registers::kSize);
  bus.Map(rtl.control, kRtlRegisterBase, registers::kSize);
  accelerator.interrupt.bind(accelerator_interrupt_);
  rtl.interrupt.bind(rtl_interrupt_);
  processor.interrupt.bind(interrupt_);
  SC_METHOD(JoinInterrupts);
  sensitive << accelerator_interrupt_ << rtl_interrupt_;
}

void ExamplePlatform::JoinInterrupts() {
  interrupt_.write(accelerator_interrupt_.read() || rtl_interrupt_.read());
}

}  // namespace cosim::sim
