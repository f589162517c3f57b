// SPDX-License-Identifier: Apache-2.0
#include "cli/run_board.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/board_report.h"
#include "cli/board_session.h"
#include "cli/model_files.h"
#include "cli/module.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/provenance.h"
#include "cli/report.h"
#include "cli/report_checks.h"
#include "cli/tuned_schedules.h"
#include "compiler/cpu/host_target.h"
#include "compiler/session/module.h"
#include "driver/open_board.h"
#include "driver/ssh/board_host.h"
#include "driver/uio.h"
#include "isa/home.h"
#include "isa/spec/board_address.h"
#include "isa/spec/config_host.h"
#include "runtime/cpu_object.h"

namespace cosim::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;
namespace {

using driver::ssh::BoardHost;

constexpr int kMostBoardRuns = 100'000;
constexpr int kMostSamples = 16;  // the golden model computes each
/// Of a board with such a processor: tests have one, scripts/board-build has not.
constexpr char kX86Target[] = "x86-64-v2";

/// What a board has, and a simulator has not, or the other way round; prints a mistake.
bool HasNoSimulatorOptions(const po::variables_map& values) {
  for (const char* option : {"timing-only", "simd", "jobs", "timeline", "energy", "threads", "float32",
                             "host-target", "trace", "trace-from", "trace-cycles"})
    if (values.count(option) && !values[option].defaulted())
      return Fail(fmt::format("--{}: not with a board", option), "leave it out, or use --device=cycle"),
             false;
  return true;
}

/// "ssh://…" as given; of "board" that of the configuration, else that of $COSIM_BOARD, else this machine if
/// it has an accelerator. Prints a mistake.
std::optional<isa::BoardAddress> AddressOf(const std::string& device, const runtime::SpecSource& source) {
  std::string text = device;
  if (device == "board") {
    if (auto address = isa::BoardAddressOf(source.config, source.overrides)) return address;
    const char* variable = std::getenv("COSIM_BOARD");
    const bool is_named = variable != nullptr && *variable != '\0';
    Diagnostics why_not_here;
    if (!is_named && !driver::FindUio("/", driver::kUioName, why_not_here)) {
      Fail(fmt::format("--device=board: which board? This machine is none: {}", why_not_here.Back().message),
           "'board_address: ssh://HOST' in the configuration or COSIM_BOARD=ssh://HOST names one");
      return std::nullopt;
    }
    text = is_named ? std::string(variable) : std::string(isa::kLocalBoard);
  }
  auto address = isa::ParseBoardAddress(text);
  if (!address)
    Fail(fmt::format("'{}' is no address of a board", text),
         "as in ssh://pynq or ssh://xilinx@192.168.2.99:22");
  return address;
}

/// The target that code for the board's processor is made for; prints that there is none.
std::optional<cpu::HostTarget> TargetFor(const BoardHost& board) {
  const std::string& architecture = board.architecture();
  std::string name = architecture == "arm" ? "armv7" : architecture;
  if (architecture == "x86_64") name = kX86Target;
  auto target = cpu::FindHostTarget(name);
  if (!target)
    Fail(fmt::format("{}: cosim makes no code for its processor, '{}'", board.address().Text(), architecture),
         "boards have armv7 or aarch64");
  return target;
}

std::optional<std::vector<uint8_t>> BytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return std::nullopt;
  return std::vector<uint8_t>{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The program for such a board; prints that it is not built.
std::optional<std::vector<uint8_t>> BoardProgramBytes(const po::variables_map& values,
                                                      const std::string& target) {
  if (values.count("board-program")) {
    const auto path = values["board-program"].as<std::string>();
    auto bytes = fs::is_regular_file(path) ? BytesOf(path) : std::nullopt;
    if (!bytes) Fail(fmt::format("--board-program={}: cannot be read", path));
    return bytes;
  }
  const fs::path path = isa::Home() / "build" / target / "driver" / "command" / "cosim-board";
  auto bytes = BytesOf(path);
  if (!bytes)
    Fail(fmt::format("there is no cosim-board for {}: {} is missing", target, path.string()),
         target == kX86Target
             ? "`scripts/build release cosim-board` builds one for this machine's kind: "
               "--board-program=build/release/driver/command/cosim-board"
             : fmt::format("`scripts/board-build {}` builds it; or --board-program=FILE", target));
  return bytes;
}

/// What runs, and what it is called there.
struct Program {
  SpecWithSource loaded;
  runtime::Module module;  // linked for timing
  std::vector<uint8_t> bytes;
  session::ExperimentKey key;
  std::string name;
};

std::optional<Program> FromFile(const po::variables_map& values, session::Options& run) {
  for (const char* option : {"seed", "virtual-threads"})
    if (!values[option].defaulted())
      return Fail(fmt::format("--{}: a module was compiled with its own", option)), std::nullopt;
  if (values.count("tuned"))
    return Fail("--tuned: a module was compiled with its own schedules"), std::nullopt;
  auto linked = LoadModule(run.network, values, /*runs_here=*/false);
  if (!linked) return std::nullopt;
  auto inputs = InputsFor(values, linked->module.network.inputs);
  if (!inputs) return std::nullopt;
  run.inputs = std::move(*inputs);
  const runtime::Provenance& provenance = linked->module.provenance;
  run.seed = provenance.seed;
  run.virtual_threads = provenance.virtual_threads;
  session::ExperimentKey key{
      fmt::format("module {:08x} of {} by {}", provenance.checksum, provenance.model, provenance.producer),
      run.seed, 0, run.virtual_threads};
  std::string name = provenance.model;
  return Program{std::move(linked->loaded), std::move(linked->module), std::move(linked->bytes),
                 std::move(key), std::move(name)};
}

std::optional<Program> Compiled(const po::variables_map& values, SpecWithSource loaded,
                                const cpu::HostTarget& target, session::Options& run) {
  if (values.count("trust")) {
    Fail("--trust is for modules", "what is compiled now is trusted anyhow");
    return std::nullopt;
  }
  session::ModuleOptions compile{.network = run.network, .seed = run.seed};
  if (!LoadNetwork(values, run)) return std::nullopt;
  const auto activation_bits = ActivationBitsIn(values, loaded.spec);
  if (!activation_bits) return std::nullopt;
  compile.network = run.network;
  compile.model = run.model;
  compile.inputs = std::exchange(run.inputs, {});
  compile.activation_bits = *activation_bits;
  compile.virtual_threads = run.virtual_threads;
  compile.host_target = target;
  compile.samples = std::min(run.frames, kMostSamples);  // which the frames take in turn
  auto tuned = TunedSchedules(values, loaded.spec, *activation_bits, run.virtual_threads);
  if (!tuned) return std::nullopt;
  compile.tuned = std::move(*tuned);
  session::ExperimentKey key{NetworkIdentity(values), run.seed, *activation_bits, run.virtual_threads,
                             Identity(compile.tuned)};
  std::string error;
  const auto module = session::MakeModule(loaded.spec, loaded.source, compile, error);
  if (!module) return Fail(error), std::nullopt;
  if (module->model)
    return Fail(fmt::format("{} has layers that only cosim's own routines compute, and no board has those",
                            run.network),
                "`cosim compile` counts them: CPU calls to routines"),
           std::nullopt;
  std::vector<uint8_t> bytes = runtime::WriteModule(*module);
  auto read = runtime::ReadModule(bytes, error);
  if (!read || !session::LinkModule(*read, loaded.spec, error, runtime::NativeCode::kLeaveOut))
    return Fail(error), std::nullopt;
  return Program{std::move(loaded), std::move(*read), std::move(bytes), std::move(key), run.network};
}

}  // namespace

void AddBoardOptions(po::options_description& options) {
  options.add_options()("board-program", po::value<std::string>()->value_name("FILE"),
                        "cosim-board for the board's processor (default: that of scripts/board-build)")(
      "board-memory", po::value<std::string>()->value_name("NAME"),
      "a u-dma-buf of the board, as udmabuf0 (default: the accelerator's own second map)");
}

bool NamesBoard(const std::string& device) {
  return device == "board" || device.starts_with(isa::kBoardScheme);
}

bool HasNoBoardOptions(const po::variables_map& values) {
  for (const char* option : {"board-program", "board-memory"})
    if (values.count(option)) return Fail(fmt::format("--{} is for --device=ssh://BOARD", option)), false;
  return true;
}

int RunOnBoard(const po::variables_map& values) {
  if (!HasNoSimulatorOptions(values)) return 1;
  session::Options run;
  run.network = values["MODEL"].as<std::string>();
  run.seed = values["seed"].as<uint64_t>();
  run.virtual_threads = values["virtual-threads"].as<int>();
  if (run.virtual_threads < 1 || run.virtual_threads > 8) return Fail("--virtual-threads: from 1 to 8");
  const int repeat = values.count("repeat") ? values["repeat"].as<int>() : 1;
  if (repeat < 1 || repeat > kMostBoardRuns)
    return Fail(fmt::format("--repeat: from 1 to {}", kMostBoardRuns));
  run.frames = values["frames"].as<int>();
  if (run.frames < 1 || run.frames > static_cast<int>(driver::remote::kMostFrames))
    return Fail(fmt::format("--frames: from 1 to {} on a board", driver::remote::kMostFrames));
  if (run.frames > 1 && repeat > 1) return Fail("--repeat: not with frames in flight", "leave out --frames");
  const auto check = CheckIn(values);
  if (!check) return 1;
  run.check = *check;
  if (run.check == session::Check::kLayers)
    return Fail("--check=layers: only outputs come from a board", "use --device=cycle");
  const std::string json = values["json"].as<std::string>();
  if ((!json.empty() && !CheckWritable(json)) || !CheckOutputOptions(values)) return 1;
  // What is to run says where, if the command does not.
  std::optional<Program> program;
  std::optional<SpecWithSource> loaded;
  if (NamesModule(run.network))
    program = FromFile(values, run);
  else
    loaded = LoadSpecWithSource(values);
  if (!program && !loaded) return 1;
  const auto address =
      AddressOf(values["device"].as<std::string>(), program ? program->loaded.source : loaded->source);
  if (!address) return 1;
  run.device = address->Text();

  Diagnostics diags;
  const auto fail = [&] { return PrintError("{}", diags.Render()), 1; };
  auto host = BoardHost::Reach(*address, diags);
  if (!host) return fail();
  const auto target = TargetFor(*host);
  if (!target) return 1;
  const auto board_program = BoardProgramBytes(values, target->name);
  if (!board_program) return 1;
  if (!program) program = Compiled(values, std::move(*loaded), *target, run);
  if (!program) return 1;
  run.host = isa::HostOf(program->loaded.source.config, program->loaded.source.overrides);
  const isa::Spec& spec = program->loaded.spec;

  BoardSession board(*host, values.count("board-memory") ? values["board-memory"].as<std::string>() : "");
  if (!board.Open(*board_program, {program->name, program->bytes}, diags)) return fail();
  std::string error;
  using Arrays = std::vector<std::vector<uint8_t>>;
  const auto simulated_ms = [&](const session::Result& simulated) {
    return static_cast<double>(simulated.run.cycles) / spec.clock_mhz / 1e3;
  };
  const auto once = [&](const Arrays& inputs, const session::Result& simulated) {
    return board.Run(inputs, simulated_ms(simulated), diags);
  };
  const auto in_flight = [&](const std::vector<Arrays>& inputs, const session::Result& simulated) {
    return board.RunFrames(inputs, run.frames, simulated_ms(simulated), diags);
  };
  auto measured = run.frames > 1
                      ? session::RunFramesOnBoard(spec, std::move(program->module), run, in_flight, error)
                      : session::RunOnBoard(spec, std::move(program->module), run, repeat, once, error);
  if (!measured) return diags.HasErrors() ? fail() : Fail(error);
  if (!Describe(program->loaded, program->key, measured->result, error)) return Fail(error);
  // Standard output is the table's, unless something else was sent there.
  const bool is_taken = json == "-" || (values.count("output") && values["output"].as<std::string>() == "-");
  if (!is_taken) Print("{}{}", RunTable(measured->result, spec, run), BoardLines(*measured, spec, run));
  if (!json.empty() &&
      !WriteFile(json, WithBoard(RunJson(measured->result, spec, run), *measured, spec, run)))
    return 1;
  if (!WriteOutputs(values, measured->result)) return 1;
  return measured->result.Mismatches() == 0 ? 0 : 1;
}

}  // namespace cosim::cli
