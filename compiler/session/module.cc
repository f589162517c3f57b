// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/module.h"

#include <fmt/format.h>

#include "compiler/cpu/host_kernel.h"
#include "compiler/cpu/object.h"
#include "compiler/golden/golden.h"
#include "compiler/graph/print.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/import/data/inputs.h"
#include "compiler/ops/definition.h"
#include "compiler/quantize/graph/tensors.h"
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

// Kernels that are routines of the compiler's library and not code that a file could hold become symbols. The
// names of their layers.
std::string NameRoutines(runtime::Network& network) {
  std::string names;
  for (auto& step : network.steps) {
    auto* call = std::get_if<runtime::CpuStep>(&step);
    const auto node = call ? cpu::NodeOf(*call->kernel) : std::nullopt;
    if (!node) continue;
    call->kernel = std::make_shared<runtime::RoutineSymbol>(static_cast<uint32_t>(*node));
    names += (names.empty() ? "" : ", ") + network.layers[call->layer].name;
  }
  return names;
}

runtime::Sample MakeSample(const graph::Graph& graph, const std::vector<Tensor>& inputs,
                           const runtime::Network& network) {
  const auto golden = golden::Run(graph, inputs);
  runtime::Sample sample;
  sample.inputs = HandedOver(inputs, network.inputs);
  for (const runtime::Place& place : network.outputs) sample.outputs.push_back(BytesOf(*golden[place.value]));
  return sample;
}

// The graph that was compiled; nothing, and `error` set, when this program makes another one of the file.
std::optional<graph::Graph> GraphOf(const runtime::Module& module, std::string& error) {
  if (!module.model) return error = "it has routines and no model", std::nullopt;
  import::Options options;
  options.shapes = module.model->shapes;
  Diagnostics diagnostics;
  auto model = import::ImportBytes(module.model->bytes, module.model->name, "", options, diagnostics);
  if (!model) return error = "its model cannot be imported:\n" + diagnostics.Render(), std::nullopt;
  if (ChecksumOf(model->graph) == module.provenance.checksum) return std::move(model->graph);
  error = fmt::format("{} made another graph of its model than this cosim does", module.provenance.producer);
  return std::nullopt;
}

// Whether the arrays of a call are those of a routine on `inputs`.
bool ArraysFit(const graph::Graph& graph, const std::vector<runtime::CpuStep::Argument>& arrays,
               std::vector<graph::ValueId> inputs, graph::ValueId output) {
  inputs.push_back(output);
  if (arrays.size() != inputs.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::TensorType& type = graph.node(inputs[i]).type;
    const int64_t bytes = graph::NumElements(type.shape) * graph::SizeOf(type.dtype);
    if (arrays[i].constant || arrays[i].bytes != static_cast<uint64_t>(bytes) ||
        arrays[i].is_output != (i + 1 == inputs.size()))
      return false;
  }
  return true;
}

runtime::CpuKernelPtr MakeRoutine(const graph::Graph& graph, const runtime::CpuStep& call,
                                  std::string& error) {
  const auto* symbol = dynamic_cast<const runtime::RoutineSymbol*>(call.kernel.get());
  const auto id = static_cast<graph::ValueId>(symbol->value());
  std::vector<graph::ValueId> inputs;
  runtime::CpuKernelPtr kernel;
  if (id >= 0 && id < graph.size() && !graph.node(id).inputs.empty() && !ops::HasDefinition(graph, id))
    kernel = cpu::MakeHostKernel(graph, id, inputs);
  if (kernel && ArraysFit(graph, call.arguments, std::move(inputs), id)) return kernel;
  error = fmt::format("its routine {} is none of its model's", symbol->value());
  return nullptr;
}

}  // namespace

std::optional<runtime::Module> MakeModule(const isa::Spec& spec, runtime::SpecSource source,
                                          const ModuleOptions& options, std::string& error) {
  std::optional<graph::QuantizedGraph> quantized;
  if (!options.model) quantized = QuantizeFor(spec, options.network, options.seed, options.activation_bits);
  const graph::Graph& graph = quantized ? quantized->graph : options.model->graph;
  if (options.model && !options.model->states.empty()) {
    error = fmt::format(
        "{} keeps state from one run to the next, which modules do not do: `cosim run` does, on the model "
        "file "
        "and simulated devices",
        options.network);
    return std::nullopt;
  }
  cpu::ObjectCompiler cpu(options.host_target, options.host_schedules);
  runtime::Module module;
  module.fingerprint = spec.fingerprint;
  module.spec = std::move(source);
  module.provenance = {"cosim " COSIM_VERSION, options.network, ChecksumOf(graph), options.seed,
                       options.virtual_threads};
  module.network = network::Compile(graph, spec,
                                    {.virtual_threads = options.virtual_threads,
                                     .channels_last = !options.model,
                                     .after_pass = {},
                                     .tuned = options.tuned.get()},
                                    cpu);
  DescribePlaces(graph, options.model.get(), module.network);
  error = VerifyPrograms(spec, module.network);
  if (!error.empty()) return std::nullopt;
  auto code = cpu.Link(error);
  if (!code) return std::nullopt;
  module.code = std::move(*code);
  for (int i = 0; i < options.samples; ++i) {
    const uint64_t seed = options.seed + i;
    const auto inputs =
        quantized
            ? graph::QuantizeInputs(quantized->graph, graph::zoo::SyntheticInput(quantized->reference, seed))
        : options.inputs.empty() ? import::RandomInputs(*options.model, seed)
                                 : options.inputs;
    module.samples.push_back(MakeSample(graph, inputs, module.network));
  }
  const std::string routines = NameRoutines(module.network);
  if (routines.empty()) return module;
  if (!options.model) return error = "a module cannot hold the host's routines for " + routines, std::nullopt;
  module.model = options.file;
  return module;
}

bool LinkModule(runtime::Module& module, const isa::Spec& spec, std::string& error,
                runtime::NativeCode native) {
  std::optional<graph::Graph> graph;
  const auto routines = [&](const runtime::Module& from, const runtime::CpuStep& call, std::string& why) {
    if (!graph) graph = GraphOf(from, why);
    return graph ? MakeRoutine(*graph, call, why) : nullptr;
  };
  return runtime::Link(module, spec, error, native, routines);
}

std::optional<Result> RunModule(const isa::Spec& spec, runtime::Module module, const Options& options,
                                std::string& error) {
  Result result;
  result.network = std::move(module.network);
  result.producer = module.provenance.producer;
  if (!VerifyInto(spec, options, result, error)) return std::nullopt;
  std::vector<runtime::FrameInputs> inputs;
  if (options.inputs.empty()) {
    for (const runtime::Sample& sample : module.samples) inputs.push_back(sample.inputs);
  } else {
    inputs.emplace_back();
    for (const Tensor& input : options.inputs) inputs.back().push_back(BytesOf(input));
  }
  const auto outputs = RunFrames(spec, options, inputs, result, error);
  if (!outputs) return std::nullopt;
  const bool compares = options.inputs.empty() && options.check != Check::kNone && !options.timing_only;
  // Types come from the file, and say how to compare.
  if (compares && !PortsOf(result.network.outputs, error)) return std::nullopt;
  if (compares)
    for (size_t f = 0; f < outputs->size(); ++f)
      CompareOutputs((*outputs)[f], module.samples[f % module.samples.size()].outputs, result);
  result.host.peak_rss_mb = PeakRssMb();
  return result;
}

}  // namespace cosim::session
