// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/check.h"
#include "isa/sv/plan.h"
#include "sim/synth/flat_design.h"
#include "sim/synth/paths.h"

namespace cosim::synth {
namespace {

constexpr std::string_view kAccelerator = "accelerator";

/// Order of a part in the list: units as in the spec, memories as in the spec, others by name.
using Rank = std::tuple<int, int, std::string>;

struct NamedPart {
  Rank rank;
  std::string name;
};

/// `instance` is a name in the accelerator: "i_gemm_commands", "i_mem_wgt".
NamedPart PartOf(const std::string& instance, const isa::Spec& spec) {
  const std::string_view name = instance.starts_with("i_") ? std::string_view(instance).substr(2) : instance;
  for (size_t u = 0; u < spec.units.size(); ++u)
    if (name.starts_with(spec.units[u].name + "_")) return {{0, static_cast<int>(u), ""}, spec.units[u].name};
  const int memory = name.starts_with("mem_") ? spec.MemoryIndex(name.substr(4)) : -1;
  if (memory >= 0) return {{1, memory, ""}, fmt::format("memory {}", spec.memories[memory].name)};
  if (name.starts_with("queue_")) return {{2, 0, "queues"}, "queues"};
  return {{2, 0, std::string(name)}, std::string(name)};
}

/// The module that a parametrized name like "$paramod$0123abcd\fifo" stands for.
std::string_view BaseName(std::string_view module) {
  const size_t slash = module.rfind('\\');
  return slash == std::string_view::npos ? module : module.substr(slash + 1);
}

/// The part of each instance. What stands beside the accelerator is a part of its own; wiring between the
/// parts is "glue".
std::vector<NamedPart> PartsOf(const FlatDesign& design, const isa::Spec& spec) {
  std::vector<NamedPart> parts;
  for (const Instance& instance : design.instances()) {
    const bool is_top = instance.parent < 0 || BaseName(instance.module->name) == kAccelerator;
    if (is_top) {
      parts.push_back({{3, 0, ""}, "glue"});
    } else if (const Instance& parent = design.instances()[instance.parent];
               parent.parent < 0 || BaseName(parent.module->name) == kAccelerator) {
      parts.push_back(PartOf(instance.name, spec));
    } else {
      parts.push_back(parts[instance.parent]);
    }
  }
  return parts;
}

}  // namespace

Analysis Analyze(const Netlist& netlist, const isa::Spec& spec) {
  const FlatDesign design(netlist);
  const std::vector<NamedPart> owners = PartsOf(design, spec);
  const std::vector<PathEnd> ends = LongestPaths(design);
  Analysis analysis;
  std::map<Rank, Part> parts;
  std::map<Rank, int> last;  // cell at the end of a part's longest path
  int longest = -1;
  for (size_t c = 0; c < design.cells().size(); ++c) {
    const FlatCell& cell = design.cells()[c];
    const NamedPart& owner = owners[cell.instance];
    Part& part = parts[owner.rank];
    part.name = owner.name;
    part.resources += CellResources(cell.cell->type);
    analysis.unregistered_dsps += IsUnregisteredDsp(*cell.cell);
    if (const std::string missing = MissingDspRegisters(*cell.cell); !missing.empty())
      analysis.partly_registered_dsps.push_back({design.NameOf(cell), missing});
    if (ends[c].levels > part.longest.levels) {
      part.longest.levels = ends[c].levels;
      last[owner.rank] = static_cast<int>(c);
    }
    if (ends[c].levels > analysis.longest.levels) {
      analysis.longest.levels = ends[c].levels;
      longest = static_cast<int>(c);
    }
  }
  const auto name = [&](Path& path, int end) {
    path.from = ends[end].start < 0 ? "an input" : design.NameOf(design.cells()[ends[end].start]);
    path.to = design.NameOf(design.cells()[end]);
  };
  for (const auto& [rank, end] : last) name(parts[rank].longest, end);
  if (longest >= 0) name(analysis.longest, longest);
  for (auto& [rank, part] : parts) {
    analysis.total += part.resources;
    analysis.parts.push_back(std::move(part));
  }
  return analysis;
}

}  // namespace cosim::synth
