// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/accelergy_costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "isa/check.h"
#include "isa/diagnostic_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::sim {
namespace {

using Names = std::vector<std::string>;

constexpr double kMilliwattsPerPicojouleSecond = 1e-9;
constexpr double kMilliwattsPerPicojouleMegahertz = 1e-3;

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string WithoutIndices(std::string_view path) {
  std::string plain;
  int depth = 0;
  for (const char c : path) {
    depth += c == '[' ? 1 : 0;
    if (depth == 0) plain += c;
    depth -= c == ']' ? 1 : 0;
  }
  return plain;
}

double ArgumentValue(const ActionArguments& arguments, const std::string& name) {
  const auto found = std::ranges::find(arguments, name, &std::pair<std::string, std::string>::first);
  double value = -1;
  if (found != arguments.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

bool Has(const ActionArguments& arguments, const std::pair<std::string, std::string>& one) {
  return std::ranges::find(arguments, one) != arguments.end();
}

/// Whether no argument of `action` is below another's.
bool IsGreatest(const AccelergyAction& action, const std::vector<const AccelergyAction*>& all) {
  return std::ranges::all_of(all, [&](const AccelergyAction* other) {
    return std::ranges::all_of(other->arguments, [&](const auto& argument) {
      return ArgumentValue(action.arguments, argument.first) >=
             ArgumentValue(other->arguments, argument.first);
    });
  });
}

/// A part of the accelerator, and the component that it is.
struct Match {
  const AccelergyComponent* component = nullptr;
  const AccelergyChoice* choice = nullptr;  ///< null: by name
  std::string part;
};

class Matcher {
 public:
  Matcher(const isa::Spec& spec, const AccelergySource& source, Diagnostics& diags)
      : spec_(spec), source_(source), diags_(diags) {}

  std::optional<Costs> Run() {
    const size_t errors = diags_.list().size();
    Costs costs;
    costs.table = source_.name;
    costs.technology = source_.technology;
    for (const auto& format : spec_.formats) costs.macs.push_back(format.intrinsic ? Mac(format) : 0);
    for (const isa::AluOp& op : spec_.alu_ops) costs.lane_ops.push_back(LaneOp(op));
    for (const isa::Memory& memory : spec_.memories) costs.memories.push_back(MemoryAccess(memory));
    costs.dram_byte = DramByte();
    costs.host_cycle = source_.host_cycle ? *source_.host_cycle : Single({"host"}, {"cycle", "compute"});
    // As in a table of ours, what an instruction takes need not be known.
    if (source_.instruction)
      costs.instruction = *source_.instruction;
    else if (Named("instruction") || ComponentsCalled("instruction") > 0)
      costs.instruction = Single({"instruction"}, {"issue", "compute"});
    ReportMissing();
    CheckMap();
    costs.static_mw = source_.static_mw ? *source_.static_mw : LeakedMilliwatts();
    if (diags_.list().size() > errors) return std::nullopt;
    return costs;
  }

 private:
  /// Once each: what is wrong with a component is so for every part that it is.
  void Say(const char* code, const isa::YamlNode& at, const std::string& message, std::string hint) {
    if (said_.insert(message).second) isa::Report(diags_, code, at, message).hint = std::move(hint);
  }

  const AccelergyChoice* Named(const std::string& part) const {
    const auto found = std::ranges::find(source_.map, part, &std::pair<std::string, AccelergyChoice>::first);
    return found == source_.map.end() ? nullptr : &found->second;
  }
  int64_t ComponentsCalled(const std::string& name) const {
    return std::ranges::count_if(source_.table.components, [&](const AccelergyComponent& component) {
      return Lower(component.name) == Lower(name);
    });
  }

  /// The only component that `is`, or null; reports several at `at`.
  template <typename Is>
  const AccelergyComponent* Only(const std::string& name, const isa::YamlNode& at, Is is) {
    const AccelergyComponent* found = nullptr;
    for (const AccelergyComponent& component : source_.table.components) {
      if (!is(component)) continue;
      if (found != nullptr) {
        Say(isa::codes::kUnknownReference, at,
            fmt::format("'{}' may be '{}' or '{}'", name, found->path, component.path),
            "a 'map:' says which, by the whole name");
        return found;
      }
      found = &component;
    }
    if (found != nullptr) used_.insert(found);
    return found;
  }

  /// By the map, else by the components' names; the first of the part's `names` that there is.
  std::optional<Match> Find(const Names& names) {
    for (const std::string& name : names)
      if (const AccelergyChoice* choice = Named(name)) {
        const std::string& wanted = choice->component;
        const AccelergyComponent* found = Only(wanted, choice->at, [&](const AccelergyComponent& component) {
          return component.path == wanted || WithoutIndices(component.path) == WithoutIndices(wanted) ||
                 component.name == wanted;
        });
        used_choices_.insert(choice);
        if (found == nullptr)
          Say(isa::codes::kUnknownReference, choice->at,
              fmt::format("the table has no component '{}'", wanted), "it has " + Components());
        return found != nullptr ? std::optional(Match{found, choice, name}) : std::nullopt;
      }
    for (const std::string& name : names)
      if (const AccelergyComponent* found = Only(name, source_.at, [&](const AccelergyComponent& component) {
            return Lower(component.name) == Lower(name);
          }))
        return Match{found, nullptr, name};
    if (std::ranges::find(missing_, names.back()) == missing_.end()) missing_.push_back(names.back());
    return std::nullopt;
  }

  /// pJ of the first of `names` that the component has; of several, which differ in arguments, the one that
  /// the map means, else the one where all of them are the greatest: everything changes.
  double ActionOf(const Match& match, const Names& names) {
    std::vector<const AccelergyAction*> found;
    for (const std::string& name : names) {
      for (const AccelergyAction& action : match.component->actions)
        if (action.name == name && (match.choice == nullptr ||
                                    std::ranges::all_of(match.choice->arguments, [&](const auto& argument) {
                                      return Has(action.arguments, argument);
                                    })))
          found.push_back(&action);
      if (!found.empty()) break;
    }
    if (found.empty()) {
      Names there;
      for (const AccelergyAction& action : match.component->actions)
        if (std::ranges::find(there, action.name) == there.end()) there.push_back(action.name);
      Say(isa::codes::kUnknownReference, match.choice != nullptr ? match.choice->at : match.component->at,
          fmt::format("component '{}', which is '{}', has no action {}", match.component->path, match.part,
                      fmt::join(names, " or ")),
          fmt::format("it has {}; read:, write:, action: and arguments: in 'map:' choose",
                      fmt::join(there, ", ")));
      return 0;
    }
    if (found.size() == 1) return found[0]->energy;
    for (const AccelergyAction* action : found)
      if (IsGreatest(*action, found)) return action->energy;
    Say(isa::codes::kUnknownReference, found[0]->at,
        fmt::format("which '{}' of component '{}' is meant is not said", found[0]->name,
                    match.component->path),
        fmt::format("in 'map:', {}: {{component: …, arguments: {{NAME: VALUE}}}}", match.part));
    return 0;
  }
  static Names OneOr(const std::optional<std::string>& chosen, Names usual) {
    return chosen ? Names{*chosen} : std::move(usual);
  }
  static std::optional<std::string> Chosen(const Match& match,
                                           std::optional<std::string> AccelergyChoice::* which) {
    return match.choice != nullptr ? match.choice->*which : std::nullopt;
  }
  static double Actions(const Match& match) {
    return match.choice != nullptr ? match.choice->actions.value_or(1) : 1;
  }

  double Single(const Names& names, const Names& actions) {
    const auto match = Find(names);
    return match
               ? Actions(*match) * ActionOf(*match, OneOr(Chosen(*match, &AccelergyChoice::action), actions))
               : 0;
  }
  double Mac(const isa::InstructionFormat& format) {
    return Single({format.name, UnitOf(format)}, {"compute", "mac_random", "random_mac", "mac"});
  }
  double LaneOp(const isa::AluOp& op) {
    const isa::InstructionFormat& format = spec_.formats[static_cast<size_t>(op.format)];
    return Single({op.name, format.name, UnitOf(format)}, {op.name, "compute"});
  }
  const std::string& UnitOf(const isa::InstructionFormat& format) const {
    return spec_.units[static_cast<size_t>(format.unit)].name;
  }

  Costs::Access AccessOf(const Match& match, double times) {
    return {times * ActionOf(match, OneOr(Chosen(match, &AccelergyChoice::read),
                                          {"read", "random_read", "read_random", "access"})),
            times * ActionOf(match, OneOr(Chosen(match, &AccelergyChoice::write),
                                          {"write", "random_write", "write_random", "fill", "access"}))};
  }
  Costs::Access MemoryAccess(const isa::Memory& memory) {
    Names names{memory.name};
    if (memory.mirrors >= 0) names.push_back(spec_.memories[static_cast<size_t>(memory.mirrors)].name);
    const auto match = Find(names);
    if (!match) return {};
    const bool is_said = match->choice != nullptr && match->choice->actions;
    if (match->component->instances > 1 && !is_said)
      Say(isa::codes::kMissingKey, match->choice != nullptr ? match->choice->at : match->component->at,
          fmt::format("component '{}' is {:.0f} instances, and how many of them an element of '{}' takes is "
                      "not said",
                      match->component->path, match->component->instances, memory.name),
          fmt::format("in 'map:', {}: {{component: {}, actions: N}}", memory.name, match->component->name));
    return AccessOf(*match, Actions(*match));
  }
  /// Of a byte: an action moves `bits`, or a beat.
  Costs::Access DramByte() {
    const auto match = Find({"dram"});
    if (!match) return {};
    const double bits =
        match->choice != nullptr && match->choice->bits ? *match->choice->bits : spec_.dram.port_bits;
    return AccessOf(*match, Actions(*match) * 8 / bits);
  }

  std::string Components() const {
    Names paths;
    for (const AccelergyComponent& component : source_.table.components) paths.push_back(component.path);
    return fmt::format("{}", fmt::join(paths, ", "));
  }
  void ReportMissing() {
    if (missing_.empty()) return;
    Names quoted;
    for (const std::string& part : missing_) quoted.push_back("'" + part + "'");
    Say(isa::codes::kMissingKey, source_.at,
        fmt::format("no component of the table is {}, of {} on {}", fmt::join(quoted, ", "), spec_.isa,
                    spec_.config),
        fmt::format("it has {}; a table with 'accelergy: FILE' and 'map:' says which is what, and 'host:' "
                    "what the host takes (docs/reference/energy.md)",
                    Components()));
  }

  /// Every entry and every component has to be of use, or said to be of none.
  void CheckMap() {
    for (const auto& [part, choice] : source_.map)
      if (used_choices_.count(&choice) == 0)
        Say(isa::codes::kUnknownReference, choice.at,
            fmt::format("'{}' is no part of {} on {}", part, spec_.isa, spec_.config),
            isa::NameHint(part, Parts()));
    std::set<const AccelergyComponent*> unused;
    for (const auto& [name, at] : source_.unused) {
      const size_t before = unused.size();
      for (const AccelergyComponent& component : source_.table.components)
        if (used_.count(&component) == 0 &&
            (component.path == name || WithoutIndices(component.path) == name || component.name == name))
          unused.insert(&component);
      if (unused.size() == before)
        Say(isa::codes::kUnknownReference, at,
            fmt::format("the table has no component '{}' that nothing uses", name), "it has " + Components());
    }
    for (const AccelergyComponent& component : source_.table.components)
      if (used_.count(&component) == 0 && unused.count(&component) == 0)
        Say(isa::codes::kUnknownReference, component.at,
            fmt::format("component '{}' is no part of {} on {}", component.path, spec_.isa, spec_.config),
            "a table with 'accelergy: FILE' says in 'map:' what it is, or in 'unused:' that it is nothing");
  }
  Names Parts() const {
    Names parts{"dram", "host", "instruction"};
    for (const isa::Memory& memory : spec_.memories) parts.push_back(memory.name);
    for (const isa::InstructionFormat& format : spec_.formats)
      if (format.intrinsic || format.kind == isa::Kind::kAlu) parts.push_back(UnitOf(format));
    return parts;
  }

  /// What the components in use leak: by the table's own cycle where it says how long that is, else by the
  /// accelerator's.
  double LeakedMilliwatts() const {
    double milliwatts = 0;
    for (const AccelergyComponent* component : used_)
      for (const AccelergyAction& action : component->actions) {
        if (action.name != "leak") continue;
        const double seconds = ArgumentValue(action.arguments, "global_cycle_seconds");
        milliwatts += component->instances * action.energy *
                      (seconds > 0 ? kMilliwattsPerPicojouleSecond / seconds
                                   : kMilliwattsPerPicojouleMegahertz * spec_.clock_mhz);
      }
    return milliwatts;
  }

  const isa::Spec& spec_;
  const AccelergySource& source_;
  Diagnostics& diags_;
  Names missing_;
  std::set<std::string> said_;
  std::set<const AccelergyComponent*> used_;
  std::set<const AccelergyChoice*> used_choices_;
};

}  // namespace

std::optional<Costs> CostsOf(const isa::Spec& spec, const AccelergySource& source, Diagnostics& diags) {
  return Matcher(spec, source, diags).Run();
}

}  // namespace cosim::sim
