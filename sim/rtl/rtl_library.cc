// SPDX-License-Identifier: Apache-2.0
// Everything that goes into a model stands in its folder of the cache, so that names of other folders, with
// or without blanks, reach neither Verilator nor make.
#include "sim/rtl/rtl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "isa/check.h"
#include "isa/home.h"
#include "isa/sv/diagnostic_codes.h"
#include "isa/sv/generate.h"
#include "runtime/file_cache.h"
#include "runtime/host_program.h"
#include "sim/rtl/rtl_sources.h"

namespace cosim::sim {
namespace {

namespace fs = std::filesystem;

constexpr char kLibrary[] = "model.so", kLog[] = "verilator.log", kObjects[] = "objects",
               kMutants[] = "mutants.sv";

/// The SystemVerilog, and the wrapper with includes from the root.
std::vector<RtlSource> Sources(const isa::Spec& spec, const RtlBuildOptions& options) {
  std::vector<RtlSource> sources;
  if (!options.mutants.empty()) sources.push_back(ReadSource(options.mutants, kMutants));
  for (RtlSource& source : RtlSources(spec)) sources.push_back(std::move(source));
  sources.insert(sources.end(), options.around.begin(), options.around.end());
  for (const char* file :
       {"sim/rtl/rtl_model.h", "sim/rtl/model/verilated_model.h", "sim/rtl/model/factory.cc"})
    sources.push_back(ReadSource(isa::Home() / file, file));
  return sources;
}

/// All paths are relative to the model's folder.
std::vector<std::string> VerilatorCommand(const isa::Spec& spec, const RtlBuildOptions& options) {
  std::vector<std::string> command = {"verilator", "--cc", "--exe", "--build", "-j", "2"};
  command.insert(command.end(), {"--Mdir", kObjects, "--prefix", "Vrtl", "--top-module",
                                 options.around.empty() ? "cosim_accelerator" : "wrapped_accelerator"});
  // Initial values are the seed's, so that nothing depends on them. Lint has had its say in the tests.
  command.insert(command.end(), {"-O3", "--x-assign", "fast", "--x-initial", "unique", "-Wno-fatal"});
  if (options.assertions) command.emplace_back("--assert");
  // What is checked or looked at is the hardware's own clock.
  if (!options.assertions && !options.trace) command.emplace_back("+define+COSIM_STOP_CLOCKS");
  if (options.trace) command.emplace_back("--trace-fst");
  // The Verilated class tells how wide its pins are, but not how many ports share them.
  command.insert(
      command.end(),
      {"-CFLAGS",
       fmt::format("-std=c++20 -fPIC -fvisibility=hidden -I.. -DCOSIM_PORTS={} -DCOSIM_PORT_BITS={}",
                   spec.ports, spec.dram.port_bits),
       "-LDFLAGS", "-shared"});
  // What checks contracts runs little, what runs whole networks repays the compiler's time.
  std::string make = options.quick        ? "OPT_FAST=-O0 VM_PARALLEL_BUILDS=0"
                     : options.assertions ? "OPT_FAST=-O2"
                                          : "OPT_FAST=\"-O3 -march=native\"";
  make += " OPT_SLOW=-O0 OPT_GLOBAL=-O2";
  if (runtime::FindProgram("ccache")) make += " OBJCACHE=ccache";
  command.insert(command.end(), {"-MAKEFLAGS", make, "-o", fmt::format("../{}", kLibrary)});
  if (!options.mutants.empty()) command.emplace_back(kMutants);
  command.insert(command.end(), {"-y", "sv", "-y", "rtl", "sv/cosim_pkg.sv", "rtl/cosim_accelerator.sv"});
  for (const RtlSource& source : options.around) command.push_back(source.path.string());
  command.emplace_back("../sim/rtl/model/factory.cc");  // make runs among the objects
  return command;
}

std::string Key(const std::vector<RtlSource>& sources, const std::vector<std::string>& command) {
  runtime::CacheKey key;
  for (const RtlSource& source : sources) key.Add(source.path.string()).Add(source.text);
  for (const std::string& word : command) key.Add(word);
  // Code for this processor (-march=native) is no other's, even where machines share the cache.
  key.Add(runtime::ProgramOutput({"g++", "-march=native", "-Q", "--help=target"}));
  return key.Add(runtime::ProgramOutput({"verilator", "--version"})).Text();
}

bool HasPrograms(const isa::Spec& spec, Diagnostics& diags) {
  const std::pair<const char*, const char*> needed[] = {
      {"verilator", "verilator"}, {"make", "make"}, {"g++", "g++"}};
  bool all = true;
  for (const auto& [program, package] : needed) {
    if (runtime::FindProgram(program)) continue;
    all = false;
    diags
        .Error(isa::codes::kNoRtlProgram, {spec.config},
               fmt::format("running the RTL needs '{}', which is not installed", program))
        .hint = fmt::format("install the package '{}': apt-get install {}", package, package);
  }
  return all;
}

}  // namespace

std::optional<fs::path> BuildRtl(const isa::Spec& spec, const RtlBuildOptions& options, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  isa::CheckSv(spec, diags);
  if (diags.list().size() > errors || !HasPrograms(spec, diags)) return std::nullopt;
  const std::vector<RtlSource> sources = Sources(spec, options);
  const std::vector<std::string> command = VerilatorCommand(spec, options);
  runtime::FileCache cache("rtl");
  const std::string key = Key(sources, command);
  std::string error;
  const auto folder = cache.Get(
      key,
      [&](const fs::path& making) {
        if (options.progress)
          options.progress(fmt::format("building the RTL of {} with Verilator", spec.config));
        if (!WriteRtlSources(sources, making)) {
          error = fmt::format("cannot write below {}", making.string());
          return false;
        }
        if (runtime::RunProgram(command, kLog, making) != 0) return false;
        std::error_code ignored;
        fs::remove_all(making / kObjects, ignored);
        return true;
      },
      error);
  if (folder) {
    const fs::path library = *folder / kLibrary;
    if (void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      dlclose(handle);
      return library;
    }
    diags
        .Error(isa::codes::kForeignModel, {spec.config},
               fmt::format("the model cannot be loaded: {}", dlerror()))
        .hint = fmt::format("built for another machine? remove {}, and it is built again", folder->string());
    return std::nullopt;
  }
  if (!error.empty()) {
    diags.Error(isa::codes::kNoRtlCache, {spec.config}, error).hint = "$XDG_CACHE_HOME moves the cache";
  } else {
    const fs::path log = cache.folder() / (key + ".failed") / kLog;
    diags
        .Error(isa::codes::kRtlRejected, {spec.config},
               fmt::format("the RTL does not compile: see {}", log.string()))
        .hint = "this is a bug in cosim; please report it with that file";
  }
  return std::nullopt;
}

std::unique_ptr<RtlModel> MakeRtlModel(const fs::path& library, int seed) {
  // Never closed: a model's code has to outlive it.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  COSIM_CHECK(handle != nullptr, "{}", dlerror());
  auto* make = reinterpret_cast<MakeRtlModelFunction*>(dlsym(handle, kMakeRtlModel));
  COSIM_CHECK(make != nullptr, "{}", dlerror());
  return std::unique_ptr<RtlModel>(make(seed));
}

}  // namespace cosim::sim
