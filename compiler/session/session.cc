// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/session.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "compiler/cpu/jit.h"
#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/network/array.h"
#include "compiler/network/compile.h"
#include "isa/check.h"
#include "isa/verify.h"
#include "sim/cycle/cycle_device.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "sim/tlm/tlm_device.h"

namespace cosim::session {
namespace {

using graph::Tensor;
using graph::TensorPtr;

/// Adds the CPU time of a scope.
class CpuTimer {
 public:
  explicit CpuTimer(double& total) : total_(total), start_(runtime::CpuSeconds()) {}
  ~CpuTimer() { total_ += runtime::CpuSeconds() - start_; }

 private:
  double& total_;
  double start_;
};

std::vector<uint8_t> BytesOf(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return {bytes.begin(), bytes.end()};
}

Compared Compare(const std::string& name, const std::vector<uint8_t>& bytes, const Tensor& golden) {
  const auto want = golden.bytes();
  COSIM_CHECK(bytes.size() == want.size());
  const auto element = static_cast<size_t>(graph::SizeOf(golden.dtype()));
  Compared compared{name, golden.size(), 0};
  for (size_t i = 0; i < want.size(); i += element)
    compared.mismatches += std::memcmp(bytes.data() + i, want.data() + i, element) != 0;
  return compared;
}

double PeakRssMb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

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

int64_t SumMacs(const runtime::Network& network) {
  int64_t macs = 0;
  for (const auto& layer : network.layers) macs += layer.macs;
  return macs;
}

}  // namespace

int64_t Result::Values() const {
  int64_t sum = 0;
  for (const auto& list : {outputs, layers})
    for (const Compared& c : list) sum += c.values;
  return sum;
}

int64_t Result::Mismatches() const {
  int64_t sum = 0;
  for (const auto& list : {outputs, layers})
    for (const Compared& c : list) sum += c.mismatches;
  return sum;
}

graph::QuantizedGraph QuantizeFor(const isa::Spec& spec, const std::string& network, uint64_t seed) {
  std::string why;
  const network::Array array = network::FindArray(spec, why);
  const bool channels = array.parameters >= 0;
  graph::QuantizeOptions options;
  if (array.gemm >= 0)
    options.weight_bits = std::clamp(spec.memories[array.weights].fields[0].type.width, 2, 8);
  options.scheme = channels ? graph::QuantizationScheme::kPerChannel : graph::QuantizationScheme::kPowerOfTwo;
  options.seed = seed;
  return graph::QuantizeGraph(graph::zoo::Build(network, seed), options);
}

runtime::Network CompileFor(const isa::Spec& spec, const graph::Graph& graph,
                            const network::CompileOptions& options) {
  cpu::CpuCompiler cpu;
  return network::Compile(graph, spec, options, cpu);
}

std::string VerifyPrograms(const isa::Spec& spec, const runtime::Network& network) {
  std::string text;
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (!accelerator) continue;
    isa::VerifyOptions options;
    options.layer = [&](int64_t i) { return network.layers[accelerator->layer_of[i]].name; };
    const auto result = isa::Verify(spec, accelerator->program, options);
    if (!result.ok()) text += result.Render();
  }
  return text;
}

std::optional<Result> RunExperiment(const isa::Spec& spec, const Options& options, std::string& error) {
  const auto say = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  Result result;
  std::optional<graph::QuantizedGraph> quantized;
  if (!options.model) {
    say("quantizing " + options.network);
    CpuTimer timer(result.host.quantize_s);
    quantized = QuantizeFor(spec, options.network, options.seed);
  }
  const graph::Graph& graph = quantized ? quantized->graph : options.model->graph;
  {
    say("compiling");
    CpuTimer timer(result.host.compile_s);
    result.network = CompileFor(spec, graph,
                                {.virtual_threads = options.virtual_threads,
                                 .keep_every_value = options.check == Check::kLayers,
                                 .after_pass = {}});
  }
  {
    say("verifying the programs");
    CpuTimer timer(result.host.verify_s);
    error = VerifyPrograms(spec, result.network);
    if (!error.empty()) return std::nullopt;
  }
  result.macs = SumMacs(result.network);
  result.ideal_cycles = (result.macs + spec.MacsPerCycle() - 1) / spec.MacsPerCycle();
  for (const auto& step : result.network.steps)
    if (const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step))
      result.instructions += static_cast<int64_t>(accelerator->program.instructions.size());

  std::vector<Tensor> float_inputs;
  if (quantized) float_inputs = graph::zoo::SyntheticInput(quantized->reference, options.seed);
  const auto inputs = quantized ? graph::QuantizeInputs(graph, float_inputs) : options.inputs;
  for (graph::ValueId output : graph.outputs()) result.output_types.push_back(graph.node(output).type);
  std::vector<std::vector<uint8_t>> bytes;
  for (const Tensor& input : inputs) bytes.push_back(BytesOf(input));
  say("running on the " + options.device + " device");
  const auto device = MakeDevice(spec, options, error);
  if (!device) return std::nullopt;
  for (int i = 0; i < options.runs; ++i) {
    if (options.poison) device->PoisonOnChip(options.seed + i);
    result.run = runtime::Execute(result.network, spec, *device, bytes, options.timing_only);
    if (!result.run.completed) {
      error = result.run.error;
      return std::nullopt;
    }
  }
  if (const auto* rtl = dynamic_cast<sim::RtlDevice*>(device.get());
      rtl != nullptr && !options.rtl_trace.file.empty() && !rtl->traced()) {
    error = "no waves were written: the run took " + std::to_string(result.run.cycles) + " cycles";
    return std::nullopt;
  }
  result.host.simulate_s = result.run.simulate_seconds;
  result.host.cpu_fallback_s = result.run.cpu_seconds;

  if (options.check != Check::kNone && !options.timing_only) {
    say("checking against the golden model");
    CpuTimer timer(result.host.check_s);
    const auto golden = golden::Run(graph, inputs);
    for (size_t i = 0; i < result.network.outputs.size(); ++i) {
      const auto& place = result.network.outputs[i];
      result.outputs.push_back(Compare(place.name, result.run.outputs[i], *golden[place.value]));
    }
    for (const auto& place : result.network.values)
      result.layers.push_back(Compare(place.name, runtime::ReadPlain(*device, place), *golden[place.value]));
    if (options.report_quantization && quantized)
      result.quantization =
          graph::ReportQuantization(*quantized, graph::RunFloat(quantized->reference, float_inputs), golden);
  }
  result.host.peak_rss_mb = PeakRssMb();
  return result;
}

}  // namespace cosim::session
