// SPDX-License-Identifier: Apache-2.0
#include "driver/try_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "driver/copy_program.h"
#include "driver/memory_part.h"

namespace cosim::driver {
namespace {

using Bytes = std::vector<uint8_t>;

/// What the range that is stored to has to hold, guards included.
Bytes Framed(const CopyProgram& copy, uint8_t guard) {
  Bytes bytes(copy.expected.size() + 2 * kCopyGuard, guard);
  std::ranges::copy(copy.expected, bytes.begin() + kCopyGuard);
  return bytes;
}

std::string Difference(const CopyProgram& copy, const Bytes& is, const Bytes& want, const Bytes& before,
                       const MemoryPart& part, uint64_t begin) {
  const auto wrong = static_cast<uint64_t>(std::ranges::mismatch(is, want).in1 - is.begin());
  if (wrong == is.size()) return "";
  size_t count = 0;
  for (size_t i = 0; i < is.size(); ++i) count += is[i] != want[i];
  const uint64_t address = copy.to - kCopyGuard + wrong;
  const bool is_inside = wrong >= kCopyGuard && wrong < kCopyGuard + copy.expected.size();
  return fmt::format(
      "byte {:#x} (on the bus {:#x}) is {:#04x} instead of {:#04x} after {}; {} of {} bytes differ{}{}",
      begin + address, part.bus_address() + address, is[wrong], want[wrong], copy.way, count, is.size(),
      is_inside ? "" : ", this one beside those that were stored",
      is == before ? ": nothing was stored there" : "");
}

std::string TryPart(const isa::Spec& spec, const CopyProgram& copy, AcceleratorRegisters& registers,
                    DmaMemory& memory, uint64_t begin, const BoardOptions& options) {
  MemoryPart part(memory, begin, copy.program.dram_bytes);
  BoardDevice device(spec, registers, part, options);
  runtime::LoadSegments(device, copy.program);
  device.Write(copy.from, copy.pattern);
  const Bytes want = Framed(copy, 0xA5);
  Bytes before = want;
  for (size_t i = 0; i < copy.expected.size(); ++i) before[kCopyGuard + i] ^= 0xFF;
  device.Write(copy.to - kCopyGuard, before);
  const runtime::Counters counters = device.Execute(copy.program, {});
  if (!counters.completed) return fmt::format("{}: {}", copy.way, counters.error);
  Bytes is(want.size());
  device.Read(copy.to - kCopyGuard, is);
  return Difference(copy, is, want, before, part, begin);
}

}  // namespace

CopyTrial TryCopy(const isa::Spec& spec, AcceleratorRegisters& registers, DmaMemory& memory,
                  const BoardOptions& options) {
  CopyTrial trial;
  uint64_t bytes = 0;
  for (const bool at_end : {false, true}) {
    const auto copy = MakeCopyProgram(spec, at_end ? 2 : 1);
    if (!copy) {
      trial.tried = false;
      trial.text = fmt::format("{} has no way from a load to a store that keeps values", spec.isa);
      return trial;
    }
    const uint64_t needed = copy->program.dram_bytes;
    if (needed > memory.size()) {
      trial.problem =
          fmt::format("{} bytes of memory are needed, and {} has {}", needed, memory.Name(), memory.size());
      return trial;
    }
    const uint64_t begin = at_end ? (memory.size() - needed) / kBaseAlignment * kBaseAlignment : 0;
    trial.problem = TryPart(spec, *copy, registers, memory, begin, options);
    if (!trial.problem.empty()) return trial;
    bytes += copy->expected.size();
    trial.text = fmt::format("{} bytes by {}", bytes, copy->way);
  }
  return trial;
}

}  // namespace cosim::driver
