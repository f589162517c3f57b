// SPDX-License-Identifier: Apache-2.0
// The order in which the verifier's checks run.
#include "isa/verify/verify.h"

#include <optional>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/verify/access.h"
#include "isa/verify/footprint.h"
#include "isa/verify/program.h"
#include "isa/verify/races.h"
#include "isa/verify/report.h"
#include "isa/verify/tokens.h"
#include "isa/verify/uninitialized.h"

namespace cosim::isa {
namespace {

void CheckAccesses(const Spec& spec, const Program& program, const std::vector<Decoded>& decoded,
                   const std::vector<int64_t>& order, const VerifyOptions& options, VerifyReport& report) {
  AccessChecker accesses(spec, program, report);
  std::vector<bool> in_bounds(decoded.size());
  for (size_t i = 0; i < decoded.size(); ++i) {
    in_bounds[i] = accesses.CheckTransfer(static_cast<int64_t>(i), decoded[i]);
  }
  // How instructions stand to each other is looked at until an access is found to be wrong.
  std::optional<RaceChecker> races;
  std::optional<WrittenChecker> written;
  if (report.clean()) races.emplace(spec, decoded, report);
  if (report.clean() && !options.memories_start_written) written.emplace(spec, decoded, report);
  MicroOpMemories micro_ops(spec, program);
  FootprintBuilder footprints(spec);
  for (size_t n = 0; n < decoded.size(); ++n) {
    const int64_t i = order.empty() ? static_cast<int64_t>(n) : order[n];
    if (in_bounds[i] && accesses.CheckNest(i, decoded[i], micro_ops)) {
      const auto footprint = footprints.Build(decoded[i], micro_ops);
      accesses.CheckBanks(i, decoded[i], footprint);
      accesses.CheckDistances(i, decoded[i], footprint, micro_ops);
      if (races) races->Execute(i, footprint);
      if (written) written->Execute(i, footprint, micro_ops);
    } else {
      races.reset();
      written.reset();
    }
    micro_ops.Execute(decoded[i]);
  }
}

}  // namespace

VerifyResult Verify(const Spec& spec, const Program& program, const VerifyOptions& options) {
  VerifyResult result;
  VerifyReport report(spec, program, options, result);
  CheckProgram(spec, program, report);
  const Decoder decoder(spec);
  std::vector<Decoded> decoded;
  decoded.reserve(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    if (!CheckFields(spec, program, static_cast<int64_t>(i), report)) continue;
    decoded.push_back(decoder(program.instructions[i]));
    CheckMeaning(spec, static_cast<int64_t>(i), decoded.back(), report);
  }
  if (!report.clean()) return result;

  TokenOrder order = CheckTokens(spec, decoded, report);
  result.forward = order.forward;
  if (!report.clean()) return result;

  CheckAccesses(spec, program, decoded, order.order, options, report);
  if (report.clean()) result.order = std::move(order.order);
  return result;
}

}  // namespace cosim::isa
