// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/example_platform.h"

namespace cosim::sim {

ExamplePlatform::ExamplePlatform(sc_core::sc_module_name name, const isa::Spec& spec, SimdLevel level)
    : sc_module(name),
      processor("processor"),
      bus("bus"),
      memory("memory", kMemoryBytes),
      accelerator("accelerator", spec, level),
      interrupt_("interrupt") {
  processor.bus.bind(bus.initiators);
  accelerator.memory.bind(bus.initiators);
  bus.Map(memory.socket, kMemoryBase, kMemoryBytes);
  bus.Map(accelerator.control, kRegisterBase, registers::kSize);
  accelerator.interrupt.bind(interrupt_);
  processor.interrupt.bind(interrupt_);
}

}  // namespace cosim::sim
