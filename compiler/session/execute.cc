// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/execute.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "compiler/cpu/host_kernel.h"
#include "compiler/golden/tolerance.h"
#include "compiler/graph/parse_type.h"
#include "compiler/host/movement.h"
#include "isa/check.h"
#include "sim/cycle/cycle_device.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "sim/tlm/tlm_device.h"

namespace cosim::session {
namespace {

using Arrays = std::vector<std::vector<uint8_t>>;

// Null, and `error` set, when there is no such device to be had now.
std::unique_ptr<runtime::Device> MakeDevice(const isa::Spec& spec, const Options& options,
                                            std::string& error) {
  if (options.device == "functional") return std::make_unique<sim::FunctionalDevice>(spec, options.simd);
  if (options.device == "tlm-rtl") return sim::TlmDevice::MakeRtl(spec, options.rtl_library, error);
  if (options.device == "tlm") return sim::TlmDevice::Make(spec, options.simd, error);
  if (options.device == "rtl") {
    auto device = std::make_unique<sim::RtlDevice>(spec, options.rtl_library);
    device->Trace(options.rtl_trace);
    return device;
  }
  return std::make_unique<sim::CycleDevice>(spec, options.simd);
}

// On one device, options.runs times; the last one counts.
bool RunOne(const isa::Spec& spec, const Options& options, const runtime::FrameInputs& inputs, Result& result,
            std::string& error, const std::function<void(runtime::Device&)>& inspect) {
  const auto device = MakeDevice(spec, options, error);
  if (!device) return false;
  for (int i = 0; i < options.runs; ++i) {
    if (options.poison) device->PoisonOnChip(options.seed + i);
    result.run = runtime::Execute(result.network, spec, *device, inputs, options.timing_only);
    error = result.run.error;
    if (!result.run.completed) return false;
  }
  if (const auto* rtl = dynamic_cast<sim::RtlDevice*>(device.get());
      rtl != nullptr && !options.rtl_trace.file.empty() && !rtl->traced()) {
    error = "no waves were written: the run took " + std::to_string(result.run.cycles) + " cycles";
    return false;
  }
  result.host.simulate_s = result.run.simulate_seconds;
  result.host.cpu_fallback_s = result.run.cpu_seconds;
  if (inspect) inspect(*device);
  return true;
}

std::optional<std::vector<Arrays>> RunSeveral(const isa::Spec& spec, const Options& options,
                                              const std::vector<runtime::FrameInputs>& inputs, Result& result,
                                              std::string& error) {
  const int jobs = std::min(options.jobs, options.frames);
  std::vector<std::unique_ptr<runtime::Device>> devices;
  for (int i = 0; i < jobs * runtime::kFramesInFlight; ++i) {
    devices.push_back(MakeDevice(spec, options, error));
    if (!devices.back()) return std::nullopt;
    if (options.poison) devices.back()->PoisonOnChip(options.seed + i);
  }
  std::function<void(int)> done;
  if (options.step)
    done = [&](int count) { options.step(static_cast<size_t>(count), static_cast<size_t>(options.frames)); };
  auto frames = runtime::ExecuteFrames(result.network, spec, devices, inputs, options.frames, done);
  error = frames.error;
  if (!error.empty()) return std::nullopt;
  FramesSummary summary{.count = options.frames, .jobs = jobs, .wall_s = frames.wall_seconds};
  summary.cpu_step_s = frames.cpu_step_seconds;
  summary.overlapped_s = frames.overlapped_seconds;
  std::vector<Arrays> outputs;
  for (runtime::Run& run : frames.frames) {
    summary.cycles += run.cycles;
    result.host.simulate_s += run.simulate_seconds;
    result.host.cpu_fallback_s += run.cpu_seconds;
    outputs.push_back(run.outputs);
  }
  result.frames = summary;
  result.run = std::move(frames.frames.front());
  return outputs;
}

}  // namespace

std::vector<uint8_t> BytesOf(const graph::Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return {bytes.begin(), bytes.end()};
}

std::vector<std::vector<uint8_t>> HandedOver(const std::vector<graph::Tensor>& inputs,
                                             const std::vector<runtime::Place>& places) {
  std::vector<std::vector<uint8_t>> arrays;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::Tensor* const planes = &inputs[i];
    arrays.push_back(
        BytesOf(places[i].channels_last
                    ? graph::Evaluate(*host::Transpose({0, 2, 3, 1}), std::span(&planes, 1)).front()
                    : inputs[i]));
  }
  return arrays;
}

double PeakRssMb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void DescribePlaces(const graph::Graph& graph, const import::Model* model, runtime::Network& network) {
  const std::vector<golden::Tolerance> tolerances = golden::TolerancesOf(graph);
  const auto describe = [&](runtime::Place& place, const std::optional<graph::Quantization>& quantization) {
    const graph::Node& node = graph.node(place.value);
    const golden::Tolerance& tolerance = tolerances[static_cast<size_t>(place.value)];
    place.tolerance = tolerance.relative;
    place.rounded = tolerance.rounded;
    graph::TensorType type = node.type;
    if (place.channels_last) std::rotate(type.shape.begin() + 1, type.shape.begin() + 2, type.shape.end());
    place.type = graph::ToString(type);
    place.element_bytes = graph::SizeOf(node.type.dtype);
    if (!quantization || quantization->scales.size() != 1) return;
    place.scale = quantization->scales.front();
    place.zero_point = quantization->zero_point;
  };
  const auto quantization = [&](const runtime::Place& place) { return graph.node(place.value).quantization; };
  for (size_t i = 0; i < network.inputs.size(); ++i)
    describe(network.inputs[i], model ? model->input_quantization[i] : quantization(network.inputs[i]));
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    describe(network.outputs[i], model ? model->output_quantization[i] : quantization(network.outputs[i]));
    if (model) network.outputs[i].name = model->output_names[i];
  }
  for (runtime::Place& value : network.values) describe(value, quantization(value));
  network.carried.clear();
  if (model)
    for (const import::State& state : model->states) network.carried.push_back({state.input, state.output});
}

std::optional<std::vector<import::Port>> PortsOf(const std::vector<runtime::Place>& places,
                                                 std::string& error) {
  std::vector<import::Port> ports;
  for (const runtime::Place& place : places) {
    auto type = graph::ParseTensorType(place.type);
    if (!type || static_cast<uint64_t>(graph::NumElements(type->shape) * graph::SizeOf(type->dtype)) !=
                     place.plain_bytes) {
      error = fmt::format("'{}' has {} bytes and the type '{}'", place.name, place.plain_bytes, place.type);
      return std::nullopt;
    }
    ports.push_back({place.name, std::move(*type), std::nullopt});
    if (place.scale != 0) ports.back().quantization = graph::Quantization{{place.scale}, place.zero_point, 0};
  }
  return ports;
}

sim::Work WorkOf(const isa::Spec& spec, const runtime::Network& network) {
  constexpr size_t kAtATime = 256;  // decoded, they take much room
  sim::Work work = sim::WorkOf(spec, {});
  const isa::Decoder decoder(spec);
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (!accelerator) continue;
    std::span<const isa::Instruction> rest = accelerator->program.instructions;
    for (; !rest.empty(); rest = rest.subspan(std::min(kAtATime, rest.size())))
      work += sim::WorkOf(spec, decoder.All(rest.first(std::min(kAtATime, rest.size()))));
  }
  return work;
}

bool VerifyInto(const isa::Spec& spec, const Options& options, Result& result, std::string& error) {
  if (options.progress) options.progress("verifying the programs");
  CpuTimer timer(result.host.verify_s);
  error = VerifyPrograms(spec, result.network, options.cache);
  const MacsByPlace macs = CountMacs(result.network);
  result.macs = macs.accelerator + macs.host;
  result.macs_host = macs.host;
  result.ideal_cycles = (macs.accelerator + spec.MacsPerCycle() - 1) / spec.MacsPerCycle();
  result.warnings = WarningsOf(spec, result.network);
  for (const auto& step : result.network.steps) {
    const auto* call = std::get_if<runtime::CpuStep>(&step);
    if (call && cpu::NodeOf(*call->kernel))
      result.unchecked.push_back(result.network.layers[call->layer].name);
  }
  for (const auto& step : result.network.steps)
    if (const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step))
      result.instructions += static_cast<int64_t>(accelerator->program.instructions.size());
  result.work = WorkOf(spec, result.network);
  return error.empty();
}

std::optional<std::vector<Arrays>> RunFrames(const isa::Spec& spec, const Options& options,
                                             const std::vector<runtime::FrameInputs>& inputs, Result& result,
                                             std::string& error,
                                             const std::function<void(runtime::Device&)>& inspect) {
  COSIM_CHECK(!inputs.empty());
  if (options.progress) options.progress("running on the " + options.device + " device");
  std::optional<std::vector<Arrays>> outputs;
  if (options.frames > 1)
    outputs = RunSeveral(spec, options, inputs, result, error);
  else if (RunOne(spec, options, inputs.front(), result, error, inspect))
    outputs = std::vector<Arrays>{result.run.outputs};
  if (outputs) result.end_to_end = EndToEndOf(result.network, result.run, spec.clock_mhz, options.host);
  return outputs;
}

Compared Compare(const runtime::Place& place, const std::vector<uint8_t>& bytes,
                 const std::vector<uint8_t>& expected) {
  const auto type = graph::ParseTensorType(place.type);
  COSIM_CHECK(type, "'{}' has the type '{}'", place.name, place.type);
  return {place.name, static_cast<int64_t>(expected.size() / place.element_bytes),
          golden::CountMismatches(type->dtype, {place.tolerance, place.rounded}, bytes, expected)};
}

void CompareOutputs(const Arrays& outputs, const Arrays& expected, Result& result) {
  result.outputs.resize(result.network.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const runtime::Place& place = result.network.outputs[i];
    const Compared one = Compare(place, outputs[i], expected[i]);
    Compared& sum = result.outputs[i];
    sum = {one.name, sum.values + one.values, sum.mismatches + one.mismatches};
  }
}

}  // namespace cosim::session
