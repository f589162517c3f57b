// SPDX-License-Identifier: Apache-2.0
// Three kinds of entries in the cache: the design opened up and cut at its registers, a block mapped to the
// device's cells, and what nextpnr made of that with one seed.
#include "sim/synth/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "isa/check.h"
#include "isa/sv/diagnostic_codes.h"
#include "isa/sv/generate.h"
#include "runtime/file_cache.h"
#include "runtime/host_program.h"
#include "runtime/private_folder.h"
#include "sim/rtl/rtl_sources.h"
#include "sim/synth/place_blocks.h"
#include "sim/synth/place_scripts.h"

namespace cosim::synth {
namespace {

namespace fs = std::filesystem;

constexpr char kCache[] = "routes";
/// Part of the keys: another one when a block becomes something else (PlaceBlockOf, the scripts), or is
/// routed in another way.
constexpr char kMethod[] = "2";

constexpr char kFlat[] = "flat.il", kObjects[] = "objects.txt", kPorts[] = "ports.txt", kKeep[] = "keep.txt";
constexpr char kMapped[] = "block.json", kReport[] = "report.json";

constexpr int kOutOfTime = 128 + SIGXCPU;  // how a program ends whose CPU time is up

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

bool WriteText(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

/// What all entries depend on.
runtime::CacheKey DesignKey(const std::vector<sim::RtlSource>& sources, const PlaceTools& tools,
                            const std::string& kind) {
  runtime::CacheKey key;
  key.Add(kMethod).Add(kind).Add(tools.versions);
  for (const sim::RtlSource& source : sources) key.Add(source.path.string()).Add(source.text);
  return key;
}

std::vector<std::string> RouteOptions(const std::string& block, int seed) {
  std::vector<std::string> options = {"--json", kMapped, "-o", "xdc=pins.xdc", "--freq", "115"};
  options.insert(options.end(), {"--router", "router2", "--timing-allow-fail", "--seed", std::to_string(seed),
                                 "-q", "-l", "nextpnr.log", "--report", kReport});
  // Twice the default: from its places the router finds no end with some seeds.
  if (block == kWholeDesign) options.insert(options.end(), {"--placer-heap-alpha", "0.2"});
  return options;
}

/// Of everything that a route depends on: another way of mapping is another route.
std::string RouteKey(const std::vector<sim::RtlSource>& sources, const PlaceTools& tools,
                     const std::string& block, int seed) {
  auto key = DesignKey(sources, tools, "route").Add(block).Add(MapScript());
  for (const std::string& option : RouteOptions(block, seed)) key.Add(option);
  return key.Text();
}

std::optional<Route> ReadRoute(const fs::path& folder, int seed, std::string& error) {
  auto route = ParsePlaceReport(ReadText(folder / kReport), ParsePorts(ReadText(folder / kPorts)), error);
  if (route) route->seed = seed;
  return route;
}

/// Routes blocks of one spec.
class Placer {
 public:
  Placer(const isa::Spec& spec, const PlaceTools& tools, const PlaceOptions& options, Diagnostics& diags)
      : spec_(spec), tools_(tools), options_(options), diags_(diags), sources_(sim::RtlSources(spec)) {}

  /// Opens the design up and cuts it into blocks.
  bool Prepare();
  const PlacePartition& partition() const { return partition_; }
  std::optional<RoutedBlock> RouteBlock(const std::string& block);

 private:
  using Make = std::function<bool(const fs::path&)>;
  std::optional<fs::path> Entry(const std::string& key, const std::string& what, const char* log,
                                const Make& make);
  bool Yosys(const std::string& name, const std::string& script, const fs::path& folder) const;
  std::optional<fs::path> Map(const std::string& block);
  bool MapInto(const fs::path& making, const std::string& block, const std::string& objects) const;
  std::optional<Route> RouteOnce(const std::string& block, int seed);
  bool RouteInto(const fs::path& making, const fs::path& mapped, const std::string& block, int seed);

  const isa::Spec& spec_;
  const PlaceTools& tools_;
  const PlaceOptions& options_;
  Diagnostics& diags_;
  const std::vector<sim::RtlSource> sources_;
  fs::path flat_;
  PlacePartition partition_;
  bool out_of_time_ = false;  ///< how the last route ended
};

std::optional<fs::path> Placer::Entry(const std::string& key, const std::string& what, const char* log,
                                      const Make& make) {
  runtime::FileCache cache(kCache);
  std::string error;
  const auto folder = cache.Get(
      key,
      [&](const fs::path& making) {
        if (options_.progress) options_.progress(what);
        return make(making);
      },
      error);
  if (folder) return folder;
  if (!error.empty()) {
    diags_.Error(isa::codes::kNoRtlCache, {spec_.config}, error).hint = "$XDG_CACHE_HOME moves the cache";
  } else if (out_of_time_) {
    diags_
        .Error(isa::codes::kPlaceFailed, {spec_.config},
               fmt::format("{} is stopped after {} s of CPU", what, options_.route_seconds))
        .hint = fmt::format("the end of {} says how many wires were left; another seed may have an end",
                            (cache.folder() / (key + ".failed") / "nextpnr.log").string());
  } else {
    diags_.Error(isa::codes::kPlaceFailed, {spec_.config}, fmt::format("{} fails", what)).hint =
        fmt::format("the end of {} says why", (cache.folder() / (key + ".failed") / log).string());
  }
  return std::nullopt;
}

bool Placer::Yosys(const std::string& name, const std::string& script, const fs::path& folder) const {
  const std::string file = name + ".ys";
  return WriteText(folder / file, script) &&
         runtime::RunProgram({tools_.yosys.string(), "-q", "-s", file}, "yosys.log", folder) == 0;
}

bool Placer::Prepare() {
  const auto folder =
      Entry(DesignKey(sources_, tools_, "flat").Text(), fmt::format("opening up {} with Yosys", spec_.config),
            "yosys.log", [&](const fs::path& making) {
              return sim::WriteRtlSources(sources_, making) &&
                     Yosys("elaborate", ElaborateScript(sources_), making);
            });
  if (!folder) return false;
  flat_ = *folder / kFlat;
  partition_ = PartitionObjects(ParseObjects(ReadText(*folder / kObjects)), spec_);
  return true;
}

/// Yosys sees no name of another folder: the design is copied in while it works.
bool Placer::MapInto(const fs::path& making, const std::string& block, const std::string& objects) const {
  std::error_code error;
  fs::copy_file(flat_, making / kFlat, error);
  const std::string cut = block == kWholeDesign ? WholeScript(kFlat) : CutScript(kFlat);
  if (error || !WriteText(making / kObjects, objects) || !Yosys("cut", cut, making)) return false;
  fs::remove(making / kFlat, error);
  const std::string top =
      WrapperText(ParsePorts(ReadText(making / kPorts)), ParseObjects(ReadText(making / kKeep)));
  if (!WriteText(making / "top.sv", top) || !Yosys("map", MapScript(), making)) return false;
  fs::remove(making / "block.il", error);
  return fs::exists(making / kMapped);
}

std::optional<fs::path> Placer::Map(const std::string& block) {
  std::string objects;
  for (const PlacePartition::Block& b : partition_.blocks)
    if (b.name == block) objects = ObjectsText(b.objects);
  return Entry(DesignKey(sources_, tools_, "block").Add(block).Add(objects).Add(MapScript()).Text(),
               fmt::format("mapping {} to {} with Yosys", block, kPlaceDevice), "yosys.log",
               [&](const fs::path& making) { return MapInto(making, block, objects); });
}

bool Placer::RouteInto(const fs::path& making, const fs::path& mapped, const std::string& block, int seed) {
  std::vector<std::string> command = {"prlimit", fmt::format("--cpu={}:", options_.route_seconds), "--",
                                      tools_.nextpnr.string()};
  std::ranges::copy(RouteOptions(block, seed), std::back_inserter(command));
  std::error_code error;
  fs::copy_file(mapped / kMapped, making / kMapped, error);
  if (!error) fs::copy_file(mapped / kPorts, making / kPorts, error);
  if (error || !WriteText(making / "pins.xdc", PinsText())) return false;
  const int status = runtime::RunProgram(command, "output.log", making);
  out_of_time_ = status == kOutOfTime;
  fs::remove(making / kMapped, error);
  return status == 0 && fs::exists(making / kReport);
}

std::optional<Route> Placer::RouteOnce(const std::string& block, int seed) {
  const auto mapped = Map(block);
  if (!mapped) return std::nullopt;
  const auto folder =
      Entry(RouteKey(sources_, tools_, block, seed), fmt::format("routing {} with seed {}", block, seed),
            "output.log", [&](const fs::path& making) { return RouteInto(making, *mapped, block, seed); });
  if (!folder) return std::nullopt;
  std::string error;
  const auto route = ReadRoute(*folder, seed, error);
  if (!route)
    diags_.Error(isa::codes::kPlaceFailed, {(*folder / kReport).string()}, error).hint =
        "delete its folder and try again";
  return route;
}

std::optional<RoutedBlock> Placer::RouteBlock(const std::string& block) {
  RoutedBlock routed{block, {}};
  for (int seed : options_.seeds) {
    auto route = RouteOnce(block, seed);
    if (!route) return std::nullopt;
    routed.routes.push_back(std::move(*route));
  }
  return routed;
}

fs::path ToolsFolder() { return runtime::UserFolder("XDG_CACHE_HOME", ".cache") / "cosim" / "place"; }

bool CheckBlock(const isa::Spec& spec, const std::string& block, const std::vector<std::string>& all,
                Diagnostics& diags) {
  if (block.empty() || block == kWholeDesign || std::ranges::find(all, block) != all.end()) return true;
  diags.Error(isa::codes::kNoBlock, {spec.config}, fmt::format("there is no block '{}'", block)).hint =
      fmt::format("blocks: {}, or {}", fmt::join(all, ", "), kWholeDesign);
  return false;
}

}  // namespace

const Route& RoutedBlock::Slowest() const { return *std::ranges::min_element(routes, {}, &Route::mhz); }

double Placement::BlocksMhz() const {
  double mhz = 0;
  for (const RoutedBlock& block : blocks)
    if (mhz == 0 || block.Slowest().mhz < mhz) mhz = block.Slowest().mhz;
  return mhz;
}

std::optional<PlaceTools> FindPlaceTools() {
  PlaceTools tools{ToolsFolder() / "nextpnr", ToolsFolder() / "yosys", ""};
  std::error_code error;
  std::string fault;
  if (!fs::exists(tools.nextpnr, error)) return std::nullopt;
  const auto versions = runtime::ReadPrivate(ToolsFolder() / "versions", fault);
  if (!versions) return std::nullopt;
  tools.versions = versions->substr(0, versions->find('\n'));
  return tools;
}

std::optional<Placement> Place(const isa::Spec& spec, const PlaceOptions& options, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  isa::CheckSv(spec, diags);
  if (diags.list().size() > errors) return std::nullopt;
  Placement placement;
  placement.all = PlaceBlocks(spec);
  if (!CheckBlock(spec, options.block, placement.all, diags)) return std::nullopt;
  const auto tools = FindPlaceTools();
  if (!tools) {
    diags
        .Error(isa::codes::kNoPlaceTools, {spec.config},
               "placing and routing needs nextpnr for Xilinx 7, which is not there")
        .hint = fmt::format(
        "scripts/place-tools fetches it from Debian's unstable release into {}, 400 MB; "
        "the system is left alone",
        ToolsFolder().string());
    return std::nullopt;
  }
  placement.tool = tools->versions;
  Placer placer(spec, *tools, options, diags);
  if (!placer.Prepare()) return std::nullopt;
  placement.uncovered = placer.partition().uncovered;
  placement.alike = placer.partition().alike;
  const std::vector<std::string> wanted =
      options.block.empty() ? placement.all : std::vector<std::string>{options.block};
  for (const std::string& name : wanted) {
    auto block = placer.RouteBlock(name);
    if (!block) return std::nullopt;
    if (name == kWholeDesign)
      placement.design = std::move(block);
    else
      placement.blocks.push_back(std::move(*block));
    if (options.step) options.step(placement.blocks.size(), wanted.size());
  }
  return placement;
}

Placement CachedPlacement(const isa::Spec& spec) {
  Placement placement;
  Diagnostics diags;
  isa::CheckSv(spec, diags);
  if (diags.HasErrors()) return placement;
  placement.all = PlaceBlocks(spec);
  const auto tools = FindPlaceTools();
  if (!tools) return placement;
  placement.tool = tools->versions;
  const std::vector<sim::RtlSource> sources = sim::RtlSources(spec);
  const runtime::FileCache cache(kCache);
  const auto find = [&](const std::string& block) {
    RoutedBlock routed{block, {}};
    std::string error;
    for (int seed = 1; seed <= kMaxSeed; ++seed)
      if (const auto folder = cache.Find(RouteKey(sources, *tools, block, seed)))
        if (auto route = ReadRoute(*folder, seed, error)) routed.routes.push_back(std::move(*route));
    return routed;
  };
  for (const std::string& name : placement.all)
    if (RoutedBlock block = find(name); !block.routes.empty()) placement.blocks.push_back(std::move(block));
  if (RoutedBlock design = find(kWholeDesign); !design.routes.empty()) placement.design = std::move(design);
  return placement;
}

}  // namespace cosim::synth
