// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "isa/check.h"
#include "isa/program/decode.h"
#include "runtime/layer_windows.h"

namespace cosim::runtime {
namespace {

// Whole beats a transfer moves, row by row.
uint64_t TransferBytes(const isa::Spec& spec, const isa::Transfer& transfer) {
  const uint64_t beat = spec.dram.beat_bytes(), element = spec.memories[transfer.memory].stored_bytes;
  uint64_t bytes = 0;
  for (int64_t r = 0; r < transfer.rows; ++r) {
    const uint64_t begin = transfer.dram + r * transfer.StrideBytes(element),
                   end = begin + transfer.RowBytes(element);
    bytes += (end + beat - 1) / beat * beat - begin / beat * beat;
  }
  return bytes;
}

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double ThreadSeconds() { return Seconds(CLOCK_THREAD_CPUTIME_ID); }

/// Adds what a call takes of this thread.
template <typename Call>
void Timed(double& total, Call call) {
  const double start = ThreadSeconds();
  call();
  total += ThreadSeconds() - start;
}

/// Notes when a call began and ended.
template <typename Call>
void Noted(Run& run, Stretch what, Call call) {
  StepTime time{.what = what, .begin = Seconds(CLOCK_MONOTONIC)};
  call();
  time.end = Seconds(CLOCK_MONOTONIC);
  run.steps.push_back(time);
}

/// Likewise of the host's work, with what the accelerator did meanwhile if `shared` says that it may.
template <typename Call>
void NotedBeside(Device& device, bool shared, Run& run, Stretch what, Call call) {
  const auto from = shared ? device.AcceleratorProgress() : std::nullopt;
  Noted(run, what, call);
  if (!from) return;
  run.steps.back().from = from;
  run.steps.back().to = device.AcceleratorProgress();
}

void AddLedger(std::vector<LedgerRow>& total, const std::vector<LedgerRow>& rows) {
  if (total.empty()) {
    total = rows;
    return;
  }
  for (size_t u = 0; u < rows.size(); ++u) {
    total[u].busy += rows[u].busy;
    total[u].wait_push += rows[u].wait_push;
    for (size_t q = 0; q < rows[u].wait_token.size(); ++q) total[u].wait_token[q] += rows[u].wait_token[q];
    total[u].wait_port += rows[u].wait_port;
    total[u].wait_memory += rows[u].wait_memory;
    total[u].idle += rows[u].idle;
  }
}

/// Holds `accelerator` only while the device executes: what is made of its counters is the host's work.
void RunAccelerator(const AcceleratorStep& step, const Network& network, const isa::Spec& spec,
                    Device& device, bool timing_only, std::mutex* accelerator, Run& run) {
  ExecuteOptions options{.timing_only = timing_only, .record_instructions = true, .layer_of = {}};
  options.layer_of = [&](size_t i) { return network.layers[step.layer_of[i]].name; };
  Counters counters;
  {
    std::unique_lock<std::mutex> turn;
    if (accelerator) turn = std::unique_lock(*accelerator);
    Noted(run, Stretch::kAccelerator,
          [&] { Timed(run.simulate_seconds, [&] { counters = device.Execute(step.program, options); }); });
  }
  if (!counters.completed) {
    run.completed = false;
    run.error = counters.error;
    return;
  }
  run.timed = run.timed || counters.timed;
  run.cycles += counters.cycles;
  if (counters.model_cycles) run.model_cycles = run.model_cycles.value_or(0) + *counters.model_cycles;
  const auto decoded = isa::Decoder(spec).All(step.program.instructions);
  if (counters.timed) AddLedger(run.ledger, counters.ledger);
  run.layers_timed = run.layers_timed && counters.instructions.size() == step.program.instructions.size();
  if (counters.timed && run.layers_timed) {
    for (const LayerWindow& window :
         LayerWindows(step.layer_of, decoded, counters.instructions, counters.cycles))
      run.layers[window.layer].cycles += window.end - window.begin;
  }
  for (size_t i = 0; i < step.layer_of.size(); ++i)
    if (const auto* transfer = std::get_if<isa::Transfer>(&decoded[i].body))
      run.layers[step.layer_of[i]].dram_bytes += TransferBytes(spec, *transfer);
}

/// The arrays that the host has to itself, by the address they would have in DRAM.
class HostArrays {
 public:
  /// A new one; those it would overwrite are gone.
  std::vector<uint8_t>& Make(uint64_t address, uint64_t bytes) {
    auto at = arrays_.lower_bound(address);
    if (at != arrays_.begin() && std::prev(at)->first + std::prev(at)->second.size() > address) --at;
    while (at != arrays_.end() && at->first < address + bytes) at = arrays_.erase(at);
    return arrays_.emplace(address, bytes).first->second;
  }
  std::vector<uint8_t>& At(uint64_t address, uint64_t bytes) {
    const auto at = arrays_.find(address);
    COSIM_CHECK(at != arrays_.end() && at->second.size() == bytes, "no array of {} bytes at {:#x}", bytes,
                address);
    return at->second;
  }

 private:
  std::map<uint64_t, std::vector<uint8_t>> arrays_;
};

void RunCpu(const CpuStep& step, Device& device, HostArrays& held, Run& run) {
  std::vector<std::vector<uint8_t>> arrays(step.arguments.size());
  std::vector<void*> pointers;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const auto& argument = step.arguments[i];
    if (argument.constant) {
      pointers.push_back(const_cast<void*>(argument.constant.get()));
      continue;
    }
    if (argument.on_host) {
      auto& array = argument.is_output ? held.Make(argument.address, argument.bytes)
                                       : held.At(argument.address, argument.bytes);
      pointers.push_back(array.data());
      continue;
    }
    arrays[i].resize(argument.bytes);
    if (!argument.is_output) Timed(run.copy_seconds, [&] { device.Read(argument.address, arrays[i]); });
    pointers.push_back(arrays[i].data());
  }
  double seconds = 0;
  Timed(seconds, [&] { step.kernel->Run(pointers); });
  run.cpu_seconds += seconds;
  run.layers[step.layer].cpu_seconds += seconds;
  for (size_t i = 0; i < step.arguments.size(); ++i)
    if (step.arguments[i].is_output && !step.arguments[i].on_host)
      Timed(run.copy_seconds, [&] { device.Write(step.arguments[i].address, arrays[i]); });
}

void WriteInputs(const Network& network, Device& device, const std::vector<std::vector<uint8_t>>& inputs,
                 Programs programs, HostArrays& held, Run& run) {
  COSIM_CHECK(inputs.size() == network.inputs.size());
  Timed(run.copy_seconds, [&] {
    device.Reserve(network.dram_bytes);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Place& place = network.inputs[i];
      COSIM_CHECK(inputs[i].size() == place.plain_bytes);
      if (place.image) {
        if (programs == Programs::kToLoad) WriteBorder(device, place.address, *place.image, place.bytes);
        WriteRows(device, place.address, *place.image, inputs[i]);
      } else if (place.on_host) {
        held.Make(place.address, place.bytes) = inputs[i];
      } else {
        device.Write(place.address, inputs[i]);
      }
    }
  });
}

std::vector<uint8_t> Unpacked(const Place& place, std::vector<uint8_t> bytes) {
  if (!place.unpack) return bytes;
  std::vector<uint8_t> plain(place.plain_bytes);
  const std::vector<void*> arguments = {bytes.data(), plain.data()};
  place.unpack->Run(arguments);
  return plain;
}

void ReadOutputs(const Network& network, Device& device, HostArrays& held, Run& run) {
  for (const Place& place : network.outputs) {
    std::vector<uint8_t> bytes(place.bytes);
    if (place.on_host) {
      bytes = held.At(place.address, place.bytes);
    } else {
      Timed(run.copy_seconds, [&] { device.Read(place.address, bytes); });
    }
    run.outputs.push_back(Unpacked(place, std::move(bytes)));
  }
}

}  // namespace

double CpuSeconds() { return Seconds(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t CopiedBytes(const Network& network) {
  uint64_t bytes = 0;
  for (const auto* places : {&network.inputs, &network.outputs})
    for (const Place& place : *places) bytes += place.on_host ? 0 : place.plain_bytes;
  for (const auto& step : network.steps)
    if (const auto* call = std::get_if<CpuStep>(&step))
      for (const CpuStep::Argument& argument : call->arguments)
        bytes += argument.constant || argument.on_host ? 0 : argument.bytes;
  return bytes;
}

double SecondsOf(const Run& run, Stretch what) {
  double sum = 0;
  for (const StepTime& step : run.steps)
    if (step.what == what) sum += step.end - step.begin;
  return sum;
}

std::vector<uint8_t> ReadPlain(Device& device, const Place& place) {
  std::vector<uint8_t> bytes(place.bytes);
  device.Read(place.address, bytes);
  return Unpacked(place, std::move(bytes));
}

void LoadPrograms(Device& device, const Network& network) {
  device.Reserve(network.dram_bytes);
  for (const auto& step : network.steps)
    if (const auto* accelerator = std::get_if<AcceleratorStep>(&step))
      LoadSegments(device, accelerator->program);
  for (const Place& place : network.inputs)
    if (place.image) WriteBorder(device, place.address, *place.image, place.bytes);
}

Run Execute(const Network& network, const isa::Spec& spec, Device& device,
            const std::vector<std::vector<uint8_t>>& inputs, bool timing_only, std::mutex* accelerator,
            Programs programs) {
  Run run;
  HostArrays held;
  run.layers.resize(network.layers.size());
  const auto host = [&](Stretch what, const auto& call) {
    NotedBeside(device, accelerator != nullptr, run, what, call);
  };
  if (!timing_only)
    host(Stretch::kCopies, [&] { WriteInputs(network, device, inputs, programs, held, run); });
  for (const auto& step : network.steps) {
    const auto* program = std::get_if<AcceleratorStep>(&step);
    if (!program && timing_only) continue;
    if (!program) {
      host(Stretch::kHostStep, [&] { RunCpu(std::get<CpuStep>(step), device, held, run); });
      continue;
    }
    if (!timing_only && programs == Programs::kToLoad)
      host(Stretch::kCopies,
           [&] { Timed(run.copy_seconds, [&] { LoadSegments(device, program->program); }); });
    RunAccelerator(*program, network, spec, device, timing_only, accelerator, run);
    if (!run.completed) return run;
  }
  if (!timing_only) host(Stretch::kCopies, [&] { ReadOutputs(network, device, held, run); });
  return run;
}

}  // namespace cosim::runtime
