// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/module.h"

#include "compiler/cpu/object.h"
#include "compiler/golden/golden.h"
#include "compiler/graph/print.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/session/execute.h"
#include "runtime/module_file.h"

namespace cosim::session {
namespace {

using graph::Tensor;

// The text shows constants by their hashes.
uint32_t ChecksumOf(const graph::Graph& graph) {
  const std::string text = graph::Print(graph);
  return runtime::Checksum({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Operators that are routines of this program and not code that a file could hold: the names of their layers.
std::string LayersWithoutCode(const runtime::Network& network) {
  std::string names;
  for (const auto& step : network.steps) {
    const auto* call = std::get_if<runtime::CpuStep>(&step);
    if (call && !dynamic_cast<const runtime::KernelSymbol*>(call->kernel.get()))
      names += (names.empty() ? "" : ", ") + network.layers[call->layer].name;
  }
  return names;
}

runtime::Sample MakeSample(const graph::QuantizedGraph& quantized, const std::vector<runtime::Place>& outputs,
                           uint64_t seed) {
  const auto inputs =
      graph::QuantizeInputs(quantized.graph, graph::zoo::SyntheticInput(quantized.reference, seed));
  const auto golden = golden::Run(quantized.graph, inputs);
  runtime::Sample sample;
  for (const Tensor& input : inputs) sample.inputs.push_back(BytesOf(input));
  for (const runtime::Place& place : outputs) sample.outputs.push_back(BytesOf(*golden[place.value]));
  return sample;
}

}  // namespace

std::optional<runtime::Module> MakeModule(const isa::Spec& spec, runtime::SpecSource source,
                                          const ModuleOptions& options, std::string& error) {
  const auto quantized = QuantizeFor(spec, options.network, options.seed);
  cpu::ObjectCompiler cpu(options.cpu_level);
  runtime::Module module;
  module.fingerprint = spec.fingerprint;
  module.spec = std::move(source);
  module.provenance = {"cosim " COSIM_VERSION, options.network, ChecksumOf(quantized.graph), options.seed,
                       options.virtual_threads};
  module.network = network::Compile(quantized.graph, spec,
                                    {.virtual_threads = options.virtual_threads, .after_pass = {}}, cpu);
  if (const std::string names = LayersWithoutCode(module.network); !names.empty()) {
    error = "a module cannot hold the host's routines for " + names;
    return std::nullopt;
  }
  DescribePlaces(quantized.graph, module.network);
  error = VerifyPrograms(spec, module.network);
  if (!error.empty()) return std::nullopt;
  auto code = cpu.Link(error);
  if (!code) return std::nullopt;
  module.code = std::move(*code);
  for (int i = 0; i < options.samples; ++i)
    module.samples.push_back(MakeSample(quantized, module.network.outputs, options.seed + i));
  return module;
}

std::optional<Result> RunModule(const isa::Spec& spec, runtime::Module module, const Options& options,
                                std::string& error) {
  Result result;
  result.network = std::move(module.network);
  result.producer = module.provenance.producer;
  if (!VerifyInto(spec, options, result, error)) return std::nullopt;
  std::vector<runtime::FrameInputs> inputs;
  for (const runtime::Sample& sample : module.samples) inputs.push_back(sample.inputs);
  const auto outputs = RunFrames(spec, options, inputs, result, error);
  if (!outputs) return std::nullopt;
  if (options.check != Check::kNone && !options.timing_only)
    for (size_t f = 0; f < outputs->size(); ++f)
      CompareOutputs((*outputs)[f], module.samples[f % module.samples.size()].outputs, result);
  result.host.peak_rss_mb = PeakRssMb();
  return result;
}

}  // namespace cosim::session
