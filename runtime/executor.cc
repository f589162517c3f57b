// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <algorithm>
#include <ctime>

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
    const uint64_t begin = transfer.dram + r * transfer.stride * element,
                   end = begin + transfer.cols * element;
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

void RunAccelerator(const AcceleratorStep& step, const Network& network, const isa::Spec& spec,
                    Device& device, bool timing_only, Run& run) {
  ExecuteOptions options{.timing_only = timing_only, .record_instructions = true, .layer_of = {}};
  options.layer_of = [&](size_t i) { return network.layers[step.layer_of[i]].name; };
  const double start = ThreadSeconds();
  const Counters counters = device.Execute(step.program, options);
  run.simulate_seconds += ThreadSeconds() - start;
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

void RunCpu(const CpuStep& step, Device& device, Run& run) {
  std::vector<std::vector<uint8_t>> arrays(step.arguments.size());
  std::vector<void*> pointers;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const auto& argument = step.arguments[i];
    if (argument.constant) {
      pointers.push_back(const_cast<void*>(argument.constant.get()));
      continue;
    }
    arrays[i].resize(argument.bytes);
    if (!argument.is_output) device.Read(argument.address, arrays[i]);
    pointers.push_back(arrays[i].data());
  }
  const double start = ThreadSeconds();
  step.kernel->Run(pointers);
  const double seconds = ThreadSeconds() - start;
  run.cpu_seconds += seconds;
  run.layers[step.layer].cpu_seconds += seconds;
  for (size_t i = 0; i < step.arguments.size(); ++i)
    if (step.arguments[i].is_output) device.Write(step.arguments[i].address, arrays[i]);
}

}  // namespace

double CpuSeconds() { return Seconds(CLOCK_PROCESS_CPUTIME_ID); }

double SecondsOfSteps(const Run& run, bool on_accelerator) {
  double sum = 0;
  for (const StepTime& step : run.steps)
    if (step.on_accelerator == on_accelerator) sum += step.end - step.begin;
  return sum;
}

std::vector<uint8_t> ReadPlain(Device& device, const Place& place) {
  std::vector<uint8_t> bytes(place.bytes);
  device.Read(place.address, bytes);
  if (!place.unpack) return bytes;
  std::vector<uint8_t> plain(place.plain_bytes);
  const std::vector<void*> arguments = {bytes.data(), plain.data()};
  place.unpack->Run(arguments);
  return plain;
}

Run Execute(const Network& network, const isa::Spec& spec, Device& device,
            const std::vector<std::vector<uint8_t>>& inputs, bool timing_only, std::mutex* accelerator) {
  Run run;
  run.layers.resize(network.layers.size());
  if (!timing_only) {
    device.Reserve(network.dram_bytes);
    COSIM_CHECK(inputs.size() == network.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      COSIM_CHECK(inputs[i].size() == network.inputs[i].bytes);
      device.Write(network.inputs[i].address, inputs[i]);
    }
  }
  for (const auto& step : network.steps) {
    const auto* program = std::get_if<AcceleratorStep>(&step);
    if (!program && timing_only) continue;
    if (program && !timing_only) LoadSegments(device, program->program);
    std::unique_lock<std::mutex> turn;
    if (program && accelerator) turn = std::unique_lock(*accelerator);
    StepTime time{program != nullptr, Seconds(CLOCK_MONOTONIC), 0};
    if (program)
      RunAccelerator(*program, network, spec, device, timing_only, run);
    else
      RunCpu(std::get<CpuStep>(step), device, run);
    time.end = Seconds(CLOCK_MONOTONIC);
    run.steps.push_back(time);
    if (!run.completed) return run;
  }
  if (!timing_only)
    for (const Place& place : network.outputs) run.outputs.push_back(ReadPlain(device, place));
  return run;
}

}  // namespace cosim::runtime
