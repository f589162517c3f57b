// SPDX-License-Identifier: Apache-2.0
// Everything that goes into a netlist stands in its folder of the cache, so that Yosys sees no name of
// another folder.
#include "sim/synth/synthesis.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "isa/sv/diagnostic_codes.h"
#include "isa/sv/generate.h"
#include "runtime/file_cache.h"
#include "runtime/host_program.h"
#include "sim/rtl/rtl_sources.h"
#include "sim/synth/netlist.h"

namespace cosim::synth {
namespace {

namespace fs = std::filesystem;

/// The only one whose DSPs Yosys puts registers and adders into. A DSP48E2 of UltraScale+ does all that a
/// DSP48E1 does, so that those of other families are mapped as such.
constexpr std::string_view kDspFamily = "xc7";

constexpr char kScript[] = "synth.ys", kNetlist[] = "netlist.blif", kLog[] = "yosys.log";

/// Modules stay as they are: equal ones are mapped once, and each keeps its numbers.
std::string Script(const std::vector<sim::RtlSource>& sources, const Board& board) {
  std::string script;
  std::string top = "accelerator";
  for (const sim::RtlSource& source : sources) {
    script += fmt::format("read_verilog -sv {}\n", source.path.string());
    if (source.path.stem() == "cosim_accelerator") top = "cosim_accelerator";
  }
  const auto synth = [&](std::string_view family, std::string_view steps) {
    script += fmt::format("synth_xilinx -family {} -top {} -noiopad -noclkbuf{}\n", family, top, steps);
  };
  if (board.family == kDspFamily) {
    synth(board.family, "");
  } else {
    synth(board.family, " -run begin:map_dsp");
    synth(kDspFamily, " -run map_dsp:coarse");
    synth(board.family, " -run coarse:");
  }
  return script + fmt::format("write_blif -cname -conn -param -blackbox {}\n", kNetlist);
}

bool WriteScript(const std::string& script, const fs::path& folder) {
  std::ofstream file(folder / kScript, std::ios::binary);
  file << script;
  file.close();
  return static_cast<bool>(file);
}

std::optional<Netlist> ReadNetlist(const fs::path& path, std::string& error) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return ParseNetlist(std::move(text).str(), error);
}

const Board* BoardOf(const isa::Spec& spec, Diagnostics& diags) {
  const Board* board = FindBoard(spec.board);
  if (board) return board;
  std::string known;
  for (const Board& b : Boards()) known += (known.empty() ? "" : ", ") + b.name;
  diags
      .Error(isa::codes::kNoDevice, {spec.config},
             fmt::format("'board' is '{}', whose device is not known", spec.board))
      .hint = "known boards: " + known;
  return nullptr;
}

bool HasYosys(const isa::Spec& spec, Diagnostics& diags) {
  if (runtime::FindProgram("yosys")) return true;
  diags.Error(isa::codes::kNoRtlProgram, {spec.config}, "synthesis needs 'yosys', which is not installed")
      .hint = "install the package 'yosys': apt-get install yosys";
  return false;
}

/// The folder with the netlist, from the cache or newly made.
std::optional<fs::path> NetlistFolder(const isa::Spec& spec, const Board& board, const std::string& yosys,
                                      const SynthesisOptions& options, Diagnostics& diags) {
  const std::vector<sim::RtlSource> sources = sim::RtlSources(spec);
  const std::string script = Script(sources, board);
  runtime::CacheKey key;
  for (const sim::RtlSource& source : sources) key.Add(source.path.string()).Add(source.text);
  key.Add(script).Add(yosys);
  runtime::FileCache cache("synth");
  std::string error;
  const auto folder = cache.Get(
      key.Text(),
      [&](const fs::path& making) {
        if (options.progress)
          options.progress(fmt::format("mapping {} to {} with Yosys", spec.config, board.device));
        if (!sim::WriteRtlSources(sources, making) || !WriteScript(script, making)) {
          error = fmt::format("cannot write below {}", making.string());
          return false;
        }
        return runtime::RunProgram({"yosys", "-q", "-s", kScript}, kLog, making) == 0 &&
               fs::exists(making / kNetlist);
      },
      error);
  if (folder) return folder;
  if (!error.empty()) {
    diags.Error(isa::codes::kNoRtlCache, {spec.config}, error).hint = "$XDG_CACHE_HOME moves the cache";
  } else {
    const fs::path log = cache.folder() / (key.Text() + ".failed") / kLog;
    diags
        .Error(isa::codes::kNetlistRejected, {spec.config},
               fmt::format("Yosys rejects the RTL: see {}", log.string()))
        .hint = "this is a bug in cosim; please report it with that file";
  }
  return std::nullopt;
}

}  // namespace

bool Synthesis::Fits() const {
  const Resources &used = analysis.total, &has = board.budget;
  return !board.has_budget ||
         (used.lut <= has.lut && used.ff <= has.ff && used.dsp <= has.dsp && used.ramb18 <= has.ramb18);
}

std::optional<Synthesis> Synthesize(const isa::Spec& spec, const SynthesisOptions& options,
                                    Diagnostics& diags) {
  const size_t errors = diags.list().size();
  isa::CheckSv(spec, diags);
  if (diags.list().size() > errors) return std::nullopt;
  const Board* board = BoardOf(spec, diags);
  if (!board || !HasYosys(spec, diags)) return std::nullopt;
  const std::string yosys = runtime::ProgramOutput({"yosys", "-V"});
  const auto folder = NetlistFolder(spec, *board, yosys, options, diags);
  if (!folder) return std::nullopt;
  std::string error;
  const auto netlist = ReadNetlist(*folder / kNetlist, error);
  if (!netlist) {
    diags.Error(isa::codes::kNetlistRejected, {(*folder / kNetlist).string()}, error).hint =
        "delete its folder and try again";
    return std::nullopt;
  }
  return Synthesis{*board, Analyze(*netlist, spec), yosys.substr(0, yosys.find('\n')), *folder};
}

}  // namespace cosim::synth
