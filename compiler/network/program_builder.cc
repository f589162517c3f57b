// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/program_builder.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

#include "compiler/accel/constants_first.h"
#include "compiler/accel/instruction_writer.h"
#include "compiler/tir/rounding.h"
#include "isa/check.h"
#include "isa/program/codec.h"
#include "isa/program/microops.h"

namespace cosim::network {
namespace {

constexpr uint64_t kPage = 4096;

using tir::RoundUp;

// Micro-ops get their address when their number is known; until then they stand where no value does.
std::map<int, uint64_t> ProvisionalBases(const isa::Spec& spec, uint64_t base) {
  std::map<int, uint64_t> bases;
  for (const auto& format : spec.formats)
    if (format.micro_ops >= 0) bases.emplace(format.micro_ops, base);
  return bases;
}

/// What of the moved addresses a field does not hold; empty: it holds all of them.
std::string Relocate(const isa::Spec& spec, std::vector<isa::Instruction>& instructions, uint64_t from,
                     const std::map<int, uint64_t>& to) {
  for (auto& instruction : instructions) {
    const auto& format = spec.formats[instruction.format];
    if (format.kind != isa::Kind::kLoad || !to.count(format.memory)) continue;
    const int field = format.FieldIndex("dram");
    int64_t& dram = instruction.values[field];
    dram += static_cast<int64_t>(to.at(format.memory) - from);
    if (const int64_t most = format.fields[field].type.Max(); dram > most)
      return fmt::format("field 'dram' of {} holds 0 to {} and would need {}", format.name, most, dram);
  }
  return {};
}

}  // namespace

std::optional<WrittenKernels> WriteKernels(const isa::Spec& spec, const std::vector<PlacedKernel>& kernels,
                                           std::vector<accel::DramRange> written, uint64_t& free_from,
                                           std::string& error) {
  const uint64_t provisional = RoundUp(free_from, kPage);
  accel::TokenInserter tokens(spec, written);
  accel::ConstantsFirst order(spec, std::move(written), tokens);
  accel::InstructionWriter writer(spec, &order, ProvisionalBases(spec, provisional));
  for (size_t k = 0; k < kernels.size(); ++k) {
    const auto at = [&](const PlacedKernel& kernel) {
      return accel::KernelAt{kernel.kernel, kernel.addresses, kernel.layer};
    };
    const accel::Refusal refusal =
        kernels[k].by_turns ? writer.WriteByTurns(at(kernels[k]), at(kernels[k + 1]), *kernels[k].by_turns)
                            : writer.Write(at(kernels[k]));
    if (kernels[k].by_turns) ++k;
    if (!refusal) continue;
    error = refusal.reason;
    return std::nullopt;
  }
  order.Finish();
  auto result = tokens.Finish();

  WrittenKernels all;
  std::map<int, uint64_t> bases;
  for (const auto& [memory, store] : writer.micro_ops()) {
    const isa::Memory& m = spec.memories[memory];
    isa::Segment segment{isa::Segment::Kind::kMicroOps, m.name, RoundUp(free_from, kPage), {}};
    segment.bytes.resize(store.segment().size() / isa::ValuesPerElement(m) * m.stored_bytes);
    isa::PackElements(m, store.segment(), segment.bytes);
    bases[memory] = segment.address;
    free_from = segment.address + segment.bytes.size();
    if (!segment.bytes.empty()) all.micro_ops.push_back(std::move(segment));
  }
  error = Relocate(spec, result.instructions, provisional, bases);
  if (!error.empty()) return std::nullopt;
  all.instructions = std::move(result.instructions);
  all.layer_of = std::move(result.tags);
  all.code_address = free_from = RoundUp(free_from, kPage);
  return all;
}

std::optional<runtime::AcceleratorStep> BuildProgram(const isa::Spec& spec,
                                                     const std::vector<PlacedKernel>& kernels,
                                                     std::vector<isa::Segment> constants, uint64_t values_end,
                                                     uint64_t& free_from, std::string& error) {
  auto written = WriteKernels(spec, kernels, {{0, values_end}}, free_from, error);
  if (!written) return std::nullopt;
  runtime::AcceleratorStep step;
  isa::Program& program = step.program;
  program.fingerprint = spec.fingerprint;
  program.segments = std::move(constants);
  program.segments.insert(program.segments.end(), std::make_move_iterator(written->micro_ops.begin()),
                          std::make_move_iterator(written->micro_ops.end()));
  program.instructions = std::move(written->instructions);
  program.code_address = written->code_address;
  std::vector<isa::CodecError> errors;
  auto code = isa::EncodeProgram(spec, program, errors);
  COSIM_CHECK(code, "{}", errors.empty() ? "" : errors.front().message);  // every field was checked when set
  free_from = RoundUp(code->address + code->bytes.size(), kPage);
  program.segments.push_back(std::move(*code));
  program.dram_bytes = free_from;
  step.layer_of = std::move(written->layer_of);
  return step;
}

}  // namespace cosim::network
