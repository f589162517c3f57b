// SPDX-License-Identifier: Apache-2.0
#include "isa/sv/engine_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace cosim::isa {
namespace {

/// What all engines have.
constexpr std::string_view kEngineDeclarations = R"(
  logic             @e@_ready, @e@_idle, @e@_busy, @e@_issue, @e@_retire;
  logic [@tag@-1:0] @e@_retire_tag;
)";

constexpr std::string_view kEnginePins = R"(    .clk_i,
    .rst_ni,
    .ready_o     (@e@_ready),
    .idle_o      (@e@_idle),
    .busy_o      (@e@_busy),
    .issue_i     (@e@_issue),
    .tag_i       (@u@_tag),
    .retire_o    (@e@_retire),
    .retire_tag_o(@e@_retire_tag),
)";

}  // namespace

SvValues SvEngineValues(const SvUnit& unit, Kind kind) {
  SvValues values = {{"u", unit.name},
                     {"U", unit.constant},
                     {"e", fmt::format("{}_{}", unit.name, KindName(kind))},
                     {"kind", std::string(KindName(kind))},
                     {"p", std::to_string(unit.port)},
                     {"tag", std::to_string(unit.tag_bits)}};
  values.emplace_back("engine_pins", FillSvTemplate(kEnginePins, values));
  return values;
}

std::string SvMemoryConstant(const Spec& spec, int memory) {
  return "Mem" + SvConstantName(spec.memories[memory].name);
}

SvEngine FillSvEngine(const SvUnit& unit, Kind kind, std::string_view declarations, std::string_view body,
                      const SvValues& values) {
  SvEngine engine;
  engine.kind = kind;
  engine.name = fmt::format("{}_{}", unit.name, KindName(kind));
  engine.declarations = FillSvTemplate(kEngineDeclarations, values) + FillSvTemplate(declarations, values);
  engine.body = FillSvTemplate(body, values);
  return engine;
}

int WidestSvField(const Spec& spec, const SvUnit& unit, Kind kind, const std::vector<std::string>& names) {
  int widest = 1;
  for (const std::string& name : names) widest = std::max(widest, unit.FieldBits(spec, kind, name));
  return widest;
}

std::string SvConcatenation(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = items.size(); i-- > 0;) text += (text.empty() ? "" : ", ") + items[i];
  return text;
}

}  // namespace cosim::isa
