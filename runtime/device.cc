// SPDX-License-Identifier: Apache-2.0
// What every device does alike: bringing a program's image into DRAM. Execution is each device's own.
#include "runtime/device.h"

namespace cosim::runtime {

void LoadSegments(Device& device, const isa::Program& program) {
  device.Reserve(program.dram_bytes);
  for (const isa::Segment& segment : program.segments) {
    device.Reserve(segment.address + segment.bytes.size());
    device.Write(segment.address, segment.bytes);
  }
}

}  // namespace cosim::runtime
