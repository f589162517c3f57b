// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/program_builder.h"

#include <map>

#include "compiler/accel/instruction_writer.h"
#include "compiler/accel/rounding.h"
#include "compiler/accel/tokens.h"
#include "isa/check.h"
#include "isa/codec.h"
#include "isa/microops.h"

namespace cosim::network {
namespace {

constexpr uint64_t kPage = 4096;
// Micro-ops get their real address when their number is known; until then each memory has a range no value
// reaches.
constexpr uint64_t kProvisionalBase = uint64_t{1} << 31, kProvisionalRange = uint64_t{1} << 26;

using accel::RoundUp;

std::map<int, uint64_t> ProvisionalBases(const isa::Spec& spec) {
  std::map<int, uint64_t> bases;
  for (const auto& format : spec.formats)
    if (format.micro_ops >= 0)
      bases.emplace(format.micro_ops, kProvisionalBase + bases.size() * kProvisionalRange);
  return bases;
}

void Relocate(const isa::Spec& spec, std::vector<isa::Instruction>& instructions,
              const std::map<int, uint64_t>& from, const std::map<int, uint64_t>& to) {
  for (auto& instruction : instructions) {
    const auto& format = spec.formats[instruction.format];
    if (format.kind != isa::Kind::kLoad || !from.count(format.memory)) continue;
    int64_t& dram = instruction.values[format.FieldIndex("dram")];
    dram = dram - static_cast<int64_t>(from.at(format.memory)) + static_cast<int64_t>(to.at(format.memory));
  }
}

}  // namespace

runtime::AcceleratorStep BuildProgram(const isa::Spec& spec, const std::vector<PlacedKernel>& kernels,
                                      std::vector<isa::Segment> constants, uint64_t values_end,
                                      uint64_t& free_from) {
  COSIM_CHECK(free_from < kProvisionalBase, "the network does not fit in 2 GiB");
  accel::TokenInserter tokens(spec, 0, values_end);
  const auto provisional = ProvisionalBases(spec);
  accel::InstructionWriter writer(spec, &tokens, provisional);
  for (const PlacedKernel& kernel : kernels) {
    const auto refusal = writer.Write(kernel.group->kernel, kernel.addresses, kernel.layer);
    COSIM_CHECK(!refusal, "{}: {}", kernel.group->kernel.name,
                refusal.reason);  // lowering has checked its kernels
  }
  auto written = tokens.Finish();

  runtime::AcceleratorStep step;
  isa::Program& program = step.program;
  program.fingerprint = spec.fingerprint;
  program.segments = std::move(constants);
  std::map<int, uint64_t> bases;
  for (const auto& [memory, store] : writer.micro_ops()) {
    const isa::Memory& m = spec.memories[memory];
    isa::Segment segment{isa::Segment::Kind::kMicroOps, m.name, RoundUp(free_from, kPage), {}};
    segment.bytes.resize(store.segment().size() / isa::ValuesPerElement(m) * m.stored_bytes);
    COSIM_CHECK(segment.bytes.size() < kProvisionalRange, "too many micro-ops");
    isa::PackElements(m, store.segment(), segment.bytes);
    bases[memory] = segment.address;
    free_from = segment.address + segment.bytes.size();
    if (!segment.bytes.empty()) program.segments.push_back(std::move(segment));
  }
  Relocate(spec, written.instructions, provisional, bases);
  program.instructions = std::move(written.instructions);
  program.code_address = RoundUp(free_from, kPage);
  std::vector<isa::CodecError> errors;
  auto code = isa::EncodeProgram(spec, program, errors);
  COSIM_CHECK(code, "{}", errors.empty() ? "" : errors.front().message);
  free_from = RoundUp(code->address + code->bytes.size(), kPage);
  program.segments.push_back(std::move(*code));
  program.dram_bytes = free_from;
  step.layer_of = std::move(written.tags);
  return step;
}

}  // namespace cosim::network
