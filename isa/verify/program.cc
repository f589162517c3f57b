// SPDX-License-Identifier: Apache-2.0
// Whole-program and single-field checks.
#include "isa/verify/program.h"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/program/codec.h"

namespace cosim::isa {
namespace {

constexpr uint64_t kCodeAlignment = 4096;

void AddSegment(VerifyReport& report, std::string message) {
  if (report.Count()) report.Add({.kind = FindingKind::kSegment, .message = std::move(message)});
}

void CheckSegments(const Program& program, VerifyReport& report) {
  std::vector<const Segment*> segments;
  for (const Segment& segment : program.segments) {
    const uint64_t size = segment.bytes.size();
    if (segment.address > program.dram_bytes || size > program.dram_bytes - segment.address) {
      AddSegment(report,
                 fmt::format("segment '{}' at {:#x}, {} bytes, ends outside the program's {} bytes of DRAM",
                             segment.name, segment.address, size, program.dram_bytes));
    }
    if (size > 0) segments.push_back(&segment);
  }
  std::ranges::sort(segments, {}, &Segment::address);
  for (size_t i = 1; i < segments.size(); ++i) {
    const Segment &before = *segments[i - 1], &after = *segments[i];
    if (before.address + before.bytes.size() <= after.address) continue;
    AddSegment(report,
               fmt::format("segment '{}' at {:#x} overlaps segment '{}', which ends at {:#x}", after.name,
                           after.address, before.name, before.address + before.bytes.size()));
  }
}

/// A segment that stands where fetch reads must hold what fetch is to read.
void CheckCode(const Spec& spec, const Program& program, VerifyReport& report) {
  const uint64_t size = program.instructions.size() * static_cast<uint64_t>(spec.word_bytes());
  if (program.code_address % kCodeAlignment != 0) {
    AddSegment(report, fmt::format("the instructions' address {:#x} is not a multiple of {}",
                                   program.code_address, kCodeAlignment));
  }
  if (program.code_address > program.dram_bytes || size > program.dram_bytes - program.code_address) {
    AddSegment(report,
               fmt::format("the instructions at {:#x}, {} bytes, end outside the program's {} bytes of DRAM",
                           program.code_address, size, program.dram_bytes));
  }
  std::vector<CodecError> errors;
  std::optional<Segment> code;
  for (const Segment& segment : program.segments) {
    const uint64_t end = segment.address + segment.bytes.size();
    if (segment.address >= program.code_address + size || end <= program.code_address) continue;
    if (segment.kind != Segment::Kind::kInstructions) {
      AddSegment(report, fmt::format("segment '{}' at {:#x} overlaps the instructions at {:#x}", segment.name,
                                     segment.address, program.code_address));
      continue;
    }
    if (!code) code = EncodeProgram(spec, program, errors);
    if (!code) return;  // fields that do not fit are reported for themselves
    if (segment.address != program.code_address || segment.bytes != code->bytes) {
      AddSegment(report, fmt::format("segment '{}' at {:#x} does not hold the program's instructions",
                                     segment.name, segment.address));
    }
  }
}

}  // namespace

void CheckProgram(const Spec& spec, const Program& program, VerifyReport& report) {
  if (program.fingerprint != spec.fingerprint && report.Count()) {
    report.Add(
        {.kind = FindingKind::kFingerprint,
         .message = fmt::format("the program was made for spec {:016x}, but this is {:016x} ('{}' with '{}')",
                                program.fingerprint, spec.fingerprint, spec.isa, spec.config)});
  }
  CheckSegments(program, report);
  CheckCode(spec, program, report);
}

bool CheckFields(const Spec& spec, const Program& program, int64_t i, VerifyReport& report) {
  const std::vector<CodecError> errors = CheckEncodable(spec, program.instructions[i]);
  for (const CodecError& error : errors) {
    if (!report.Count()) continue;
    report.Add({.kind = FindingKind::kField,
                .instructions = {i},
                .message = fmt::format("{}: {}", report.Name(i), error.message)});
  }
  return errors.empty();
}

void CheckMeaning(const Spec& spec, int64_t i, const Decoded& decoded, VerifyReport& report) {
  auto add = [&](FindingKind kind, int memory, const std::string& message) {
    if (!report.Count()) return;
    report.Add({.kind = kind,
                .instructions = {i},
                .memory = memory,
                .message = fmt::format("{}: {}", report.Name(i), message)});
  };
  auto at_least = [&](int64_t least, int64_t value, std::string_view what) {
    if (value < least)
      add(FindingKind::kCount, -1, fmt::format("{} is {}; it must be at least {}", what, value, least));
  };
  auto written = [&](int memory) {
    const int original = spec.memories[memory].mirrors;
    if (original < 0) return;
    add(FindingKind::kMirrorWritten, memory,
        fmt::format("writes '{}', which only mirrors '{}'", report.MemoryName(memory),
                    report.MemoryName(original)));
  };
  auto nest_counts = [&](const Nest& nest) {
    at_least(1, nest.iter_out, "iter_out");
    at_least(1, nest.iter_in, "iter_in");
    at_least(0, nest.uop_begin, "uop_begin");
    at_least(1, nest.uop_end - nest.uop_begin, "the number of micro-ops");
  };
  if (const auto* transfer = std::get_if<Transfer>(&decoded.body)) {
    at_least(0, transfer->sram, "sram");
    at_least(1, transfer->rows, "rows");
    at_least(1, transfer->cols, "cols");
    at_least(0, transfer->stride, "stride");
    at_least(0, std::min({transfer->pad_top, transfer->pad_bottom, transfer->pad_left, transfer->pad_right}),
             "the smallest padding");
    if (const std::string wrong = PieceError(spec, *transfer); !wrong.empty())
      add(FindingKind::kCount, transfer->memory, wrong);
    if (!transfer->is_store) written(transfer->memory);
  } else if (const auto* gemm = std::get_if<Gemm>(&decoded.body)) {
    nest_counts(gemm->nest);
    if (const std::string wrong = RowError(*gemm); !wrong.empty()) add(FindingKind::kCount, -1, wrong);
    written(spec.formats[decoded.format].intrinsic->dst.memory);
  } else if (const auto* alu = std::get_if<Alu>(&decoded.body)) {
    nest_counts(alu->nest);
    if (alu->op < 0) {
      add(FindingKind::kAluOp, -1, "no alu op has this code");
      return;
    }
    const AluOp& op = spec.alu_ops[alu->op];
    if (!op.available) {
      add(FindingKind::kAluOp, -1,
          fmt::format("this configuration cannot execute '{}': {}", op.name, op.unavailable));
    }
    written(op.result.memory);
  }
}

}  // namespace cosim::isa
