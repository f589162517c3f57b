// SPDX-License-Identifier: Apache-2.0
// cosim-board selftest: registers, interrupt, the processor's side of memory, the accelerator's side, and a
// network whose outputs are known: the simplest first, up to the first that is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "driver/board_clock.h"
#include "driver/command/command.h"
#include "driver/command/places.h"
#include "driver/command/run_parts.h"
#include "driver/hardware_check.h"
#include "driver/try_copy.h"
#include "isa/spec/board_facts.h"
#include "isa/spec/loader.h"
#include "isa/spec/registers.h"

namespace cosim::driver {
namespace {

namespace registers = isa::registers;

constexpr uint64_t kPatternBytes = 1 << 20;
constexpr std::chrono::milliseconds kPatience{1'000};

/// What the accelerator is held against, as far as the command line says.
struct Known {
  std::optional<isa::Spec> spec;
  std::optional<BoardModule> module;
};

/// Nothing after printing what is wrong with it.
std::optional<Known> ReadKnown(const Options& options) {
  Known known;
  if (!options.words().empty()) {
    Refusal refusal;
    known.module = ReadBoardModule(options.words()[0], options.Has("trust"), refusal);
    if (!known.module) return Fail(refusal.message, refusal.hint), std::nullopt;
    known.spec = known.module->spec;
  }
  if (!options.Has("config")) return known;
  if (known.spec) return Fail("--config: the module has its own", "leave out one of them"), std::nullopt;
  Diagnostics diags;
  known.spec = isa::LoadSpec(options["config"], options["isa"], {}, diags);
  if (!known.spec) return std::fputs(diags.Render().c_str(), stderr), std::nullopt;
  return known;
}

/// Says how a part went.
bool Say(const char* part, const std::string& problem, const std::string& else_said = "right") {
  fmt::print("{:<10} {}\n", part, problem.empty() ? else_said : problem);
  return problem.empty();
}

std::string TryIdentity(AcceleratorRegisters& board, const Known& known) {
  const HardwareIdentity identity = ReadIdentity(board);
  return DiffersFrom(identity, known.spec ? known.spec->fingerprint : identity.fingerprint);
}

bool SayClock(const OpenBoard& board, const Known& known) {
  if (!board.clock_mhz) return Say("clock", "", "not tried: the kernel has no fclk driver that shows it");
  const double wanted_mhz = known.spec ? isa::ProcessorMhz(known.spec->board, known.spec->clock_mhz) : 0;
  const bool is_right = !known.spec || SuitsClock(*board.clock_mhz, wanted_mhz);
  return Say("clock",
             is_right ? ""
                      : fmt::format("{:g} MHz, and {} is for {:g}", *board.clock_mhz, known.spec->config,
                                    wanted_mhz),
             fmt::format("{}{:g} MHz", known.spec ? "right: " : "", *board.clock_mhz));
}

/// Registers keep what is written, each its own.
std::string TryRegisters(AcceleratorRegisters& board) {
  const uint32_t kept[] = {registers::kProgram, registers::kBase, registers::kLength, registers::kWatchdog};
  for (int bit = 0; bit < 32; ++bit) {
    const auto value = [&](size_t i) { return uint32_t{1} << (bit + i) % 32; };
    for (size_t i = 0; i < std::size(kept); ++i) board.Write(kept[i], value(i));
    for (size_t i = 0; i < std::size(kept); ++i)
      if (const uint32_t is = board.Read(kept[i]); is != value(i))
        return fmt::format("register {:#x} reads as {:#010x} after writing {:#010x}", kept[i], is, value(i));
  }
  return "";
}

/// A program of no instructions ends, and says so by its interrupt; without one, nothing comes.
std::string TryInterrupt(AcceleratorRegisters& board) {
  board.Write(registers::kControl, 0);
  board.Write(registers::kStatus, registers::kInterrupt);
  board.ArmInterrupt();
  if (board.WaitForInterrupt(std::chrono::milliseconds{10})) return "it comes without a reason";
  for (const uint32_t offset : {registers::kProgram, registers::kBase, registers::kLength})
    board.Write(offset, 0);
  board.Write(registers::kWatchdog, registers::kWatchdogReset);
  board.Write(registers::kControl, registers::kStart | registers::kInterruptEnable);
  const bool came = board.WaitForInterrupt(kPatience);
  const uint32_t status = board.Read(registers::kStatus);
  board.Write(registers::kStatus, registers::kInterrupt);
  if ((status & registers::kDone) == 0)
    return fmt::format("a program of no instructions does not end: Status {:#x}", status);
  return came ? "" : "it does not come: the device tree names another than the accelerator is wired to";
}

std::string TryMemory(DmaMemory& memory) {
  const uint64_t bytes = std::min(memory.size(), kPatternBytes);
  std::vector<uint8_t> pattern(static_cast<size_t>(bytes)), back(pattern.size());
  for (const uint64_t begin : {uint64_t{0}, memory.size() - bytes}) {
    for (size_t i = 0; i < pattern.size(); ++i)
      pattern[i] = static_cast<uint8_t>(i * 7 + (i >> 8) * 13 + begin);
    memory.Write(begin, pattern);
    memory.SyncForDevice(begin, bytes);
    memory.SyncForCpu(begin, bytes);
    memory.Read(begin, back);
    const auto [is, want] = std::ranges::mismatch(back, pattern);
    if (is != back.end())
      return fmt::format("byte {} reads as {:#04x} after writing {:#04x}",
                         begin + static_cast<uint64_t>(is - back.begin()), *is, *want);
  }
  return "";
}

/// The pattern of driver/try_copy.h.
bool SayPattern(OpenBoard& board, const Known& known, const BoardOptions& patience) {
  if (!known.spec)
    return Say("pattern", "", "not tried: a module or --config=FILE says what the accelerator is");
  const CopyTrial trial = TryCopy(*known.spec, *board.registers, *board.memory, patience);
  return Say("pattern", trial.problem, (trial.tried ? "right: " : "not tried: ") + trial.text);
}

/// The module's network on its own samples.
bool SayProgram(OpenBoard& board, const Known& known, const BoardOptions& patience) {
  if (!known.module) return Say("program", "", "not tried: a module has one with outputs that are known");
  const runtime::Module& module = known.module->module;
  BoardDevice device(known.module->spec, *board.registers, *board.memory, patience);
  Diagnostics diags;
  if (!device.Check(module.network.dram_bytes, diags))
    return std::fputs(diags.Render().c_str(), stderr), Say("program", "cannot run here");
  runtime::LoadPrograms(device, module.network);
  size_t bytes = 0, wrong = 0;
  for (const runtime::Sample& sample : module.samples) {
    const runtime::Run run = runtime::Execute(module.network, known.module->spec, device, sample.inputs,
                                              false, nullptr, runtime::Programs::kLoaded);
    if (!run.completed) return Say("program", run.error);
    wrong += Differing(run.outputs, sample.outputs);
    for (const auto& output : run.outputs) bytes += output.size();
  }
  if (wrong > 0)
    return Say("program", fmt::format("{} of {} bytes differ from the golden outputs stored in the module",
                                      wrong, bytes));
  return Say(
      "program", "",
      fmt::format("right: {}, {} samples, {} bytes", module.network.name, module.samples.size(), bytes));
}

}  // namespace

int SelfTestVerb(const Arguments& arguments) {
  const auto options = Options::Parse(
      arguments, WithPlaces({{"config", ""}, {"isa", ""}, {"timeout", "10000"}, {"trust", ""}}), 1);
  if (!options) return 1;
  const auto timeout = options->Number("timeout", 1);
  const auto known = timeout ? ReadKnown(*options) : std::nullopt;
  if (!known) return 1;
  auto board = OpenOrFail(*options);
  if (!board) return 1;
  const BoardOptions patience{.timeout = std::chrono::milliseconds{*timeout}, .clock_mhz = board->clock_mhz};
  const bool is_right = Say("identity", TryIdentity(*board->registers, *known)) && SayClock(*board, *known) &&
                        Say("registers", TryRegisters(*board->registers)) &&
                        Say("interrupt", TryInterrupt(*board->registers)) &&
                        Say("memory", TryMemory(*board->memory)) && SayPattern(*board, *known, patience) &&
                        SayProgram(*board, *known, patience);
  return is_right ? 0 : 1;
}

}  // namespace cosim::driver
