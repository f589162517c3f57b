// SPDX-License-Identifier: Apache-2.0
// Which units a configuration has, and what names them. Their numbers are in elaborate_timing.cc.
#include "isa/spec/elaborate.h"
#include "isa/spec/param_expr.h"

namespace cosim::isa {

bool IsThere(Elaboration& e, const YamlEntry& entry, std::string_view what) {
  const YamlEntry* where = entry.value.Find("where");
  if (!where) return true;
  return EvaluateParam(where->value, fmt::format("'where' of {}", what), e.definitions, e.diags) != 0;
}

void ReadUnits(Elaboration& e, const std::vector<const YamlEntry*>& declared, const YamlNode& owner) {
  for (const YamlEntry* entry : declared) {
    const std::string& name = entry->key.scalar;
    if (!IsThere(e, *entry, fmt::format("unit '{}'", name))) {
      e.absent_units.push_back(name);
      continue;
    }
    Unit unit;
    unit.name = name;
    unit.loc = entry->key.Loc();
    e.spec.units.push_back(std::move(unit));
    e.units.push_back(entry);
  }
  if (!declared.empty() && e.units.empty())
    Report(e.diags, codes::kMissingKey, owner, "this configuration has none of the ISA's units");
}

UnitReference FindUnit(Elaboration& e, const YamlNode& node) {
  std::vector<std::string> names;
  for (const Unit& unit : e.spec.units) names.push_back(unit.name);
  const auto found = std::ranges::find(names, node.scalar);
  if (found != names.end()) return {.unit = static_cast<int>(found - names.begin())};
  if (std::ranges::find(e.absent_units, node.scalar) != e.absent_units.end()) return {.is_absent = true};
  names.insert(names.end(), e.absent_units.begin(), e.absent_units.end());
  Report(e.diags, codes::kUnknownReference, node, fmt::format("there is no unit '{}'", node.scalar)).hint =
      NameHint(node.scalar, names);
  return {};
}

UnitReference FindFirstUnit(Elaboration& e, const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::kScalar) return FindUnit(e, node);
  const auto fail = [&](const YamlNode& at, std::string_view found) {
    Report(e.diags, codes::kWrongType, at,
           fmt::format("'unit' of {} has to be a name or a list of names, not {}", what, found));
    return UnitReference{};
  };
  if (node.kind != YamlNode::Kind::kSequence) return fail(node, KindName(node.kind));
  if (node.items.empty()) return fail(node, "an empty one");
  UnitReference first{.is_absent = true};
  for (size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = node.items[i];
    if (item.kind != YamlNode::Kind::kScalar)
      return fail(item, fmt::format("a list with {}", KindName(item.kind)));
    const auto end = node.items.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find_if(node.items.begin(), end, [&](const YamlNode& n) { return n.scalar == item.scalar; }) !=
        end) {
      Report(e.diags, codes::kRedefined, item,
             fmt::format("'unit' of {} names '{}' twice", what, item.scalar));
      return {};
    }
    const UnitReference reference = FindUnit(e, item);
    if (reference.unit < 0 && !reference.is_absent) return {};
    if (first.unit < 0) first = reference;
  }
  return first;
}

}  // namespace cosim::isa
