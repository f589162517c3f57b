// SPDX-License-Identifier: Apache-2.0
// Gathers the generated files.
#include "isa/sv/generate.h"

#include <fmt/format.h>

#include "isa/sv/accelerator.h"
#include "isa/sv/alu.h"
#include "isa/sv/lane.h"
#include "isa/sv/package.h"
#include "isa/sv/plan.h"
#include "isa/sv/top.h"

namespace cosim::isa {

std::vector<SvFile> GenerateSv(const Spec& spec) {
  const SvPlan plan(spec);
  std::vector<SvFile> files;
  files.push_back({"cosim_pkg.sv", SvPackage(spec, plan)});
  files.push_back({"dispatch.sv", SvDispatch(spec)});
  for (const SvUnit& unit : plan.units) {
    files.push_back({fmt::format("decode_{}.sv", unit.name), SvUnitDecoder(spec, plan, unit)});
  }
  for (const SvUnit& unit : plan.units) {
    if (!unit.alus) continue;
    files.push_back({fmt::format("alu_lane_{}.sv", unit.name), SvAluLane(spec, unit)});
    files.push_back({fmt::format("alu_{}.sv", unit.name), SvAluDatapath(spec, unit)});
  }
  files.push_back({"accelerator.sv", SvAccelerator(spec, plan)});
  files.push_back({"cosim_top.sv", SvTop(spec)});
  return files;
}

}  // namespace cosim::isa
