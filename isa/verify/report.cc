// SPDX-License-Identifier: Apache-2.0
// Names of findings and instructions.
#include "isa/verify/report.h"

namespace cosim::isa {

std::string_view FindingKindName(FindingKind kind) {
  switch (kind) {
    case FindingKind::kFingerprint:
      return "fingerprint";
    case FindingKind::kSegment:
      return "segment";
    case FindingKind::kField:
      return "field";
    case FindingKind::kCount:
      return "count";
    case FindingKind::kAluOp:
      return "alu-op";
    case FindingKind::kMirrorWritten:
      return "mirror-written";
    case FindingKind::kDeadlock:
      return "deadlock";
    case FindingKind::kTokensLeft:
      return "tokens-left";
    case FindingKind::kOnChipBounds:
      return "on-chip-bounds";
    case FindingKind::kDramBounds:
      return "dram-bounds";
    case FindingKind::kDramAlignment:
      return "dram-alignment";
    case FindingKind::kMicroOpUnknown:
      return "micro-op-unknown";
    case FindingKind::kProgramOverwritten:
      return "program-overwritten";
    case FindingKind::kBankNotLocked:
      return "bank-not-locked";
    case FindingKind::kReadTooSoon:
      return "read-too-soon";
    case FindingKind::kReadAfterWrite:
      return "read-after-write";
    case FindingKind::kWriteAfterRead:
      return "write-after-read";
    case FindingKind::kWriteAfterWrite:
      return "write-after-write";
    case FindingKind::kUninitializedRead:
      return "uninitialized-read";
  }
  return "?";
}

std::string VerifyResult::Render() const {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}: {}\n", FindingKindName(finding.kind), finding.message);
  }
  const int64_t more = total_findings - static_cast<int64_t>(findings.size());
  if (more > 0) text += fmt::format("and {} more\n", more);
  return text;
}

std::string VerifyReport::Name(int64_t instruction) const {
  std::string text = fmt::format("instruction {}", instruction);
  const Instruction& what = program_.instructions[instruction];
  if (what.format >= 0 && static_cast<size_t>(what.format) < spec_.formats.size()) {
    const InstructionFormat& format = spec_.formats[what.format];
    std::string op;
    const int field = format.kind == Kind::kAlu ? format.FieldIndex("op") : -1;
    if (field >= 0 && static_cast<size_t>(field) < what.values.size()) {
      for (const AluOp& candidate : spec_.alu_ops) {
        if (candidate.format == what.format && candidate.code == what.values[field])
          op = " " + candidate.name;
      }
    }
    text += fmt::format(" '{}{}'", format.name, op);
  }
  const std::string layer = options_.layer ? options_.layer(instruction) : std::string{};
  if (!layer.empty()) text += fmt::format(" ({})", layer);
  return text;
}

}  // namespace cosim::isa
