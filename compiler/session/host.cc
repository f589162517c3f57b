// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/host.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <unordered_map>

#include "compiler/cpu/host_kernel.h"
#include "compiler/cpu/jit.h"
#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/passes/fold_batch_norm.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/network/compile.h"
#include "compiler/quantize/graph/tensors.h"
#include "compiler/session/execute.h"
#include "isa/check.h"
#include "isa/text_escape.h"
#include "runtime/threads/thread_pool.h"

namespace cosim::session {
namespace {

using graph::Tensor;
using Arrays = std::vector<std::vector<uint8_t>>;

/// What is run: a model's graph, or one made of the zoo's.
struct Subject {
  std::optional<graph::QuantizedGraph> quantized;
  std::optional<graph::Graph> real;
  const import::Model* model = nullptr;

  const graph::Graph& graph() const { return model ? model->graph : quantized ? quantized->graph : *real; }
  std::vector<Tensor> Inputs(const Options& options) const {
    if (model) return options.inputs;
    auto reals = graph::zoo::SyntheticInput(quantized ? quantized->reference : *real, options.seed);
    return quantized ? graph::QuantizeInputs(quantized->graph, reals) : reals;
  }
};

Subject MakeSubject(const Options& options, const HostOptions& host) {
  Subject subject;
  subject.model = options.model.get();
  if (subject.model) return subject;
  graph::Graph source = graph::zoo::Build(options.network, options.seed);
  if (host.float32) {
    subject.real = graph::RemoveDeadValues(graph::FoldBatchNorm(graph::FoldConstants(source)));
    return subject;
  }
  graph::QuantizeOptions quantize{.seed = options.seed};
  if (options.activation_bits != 0) quantize.activation_bits = options.activation_bits;
  subject.quantized = graph::QuantizeGraph(std::move(source), quantize);
  return subject;
}

/// By the operands of the layer's first node, whose name it has.
std::vector<bool> IntegerLayers(const graph::Graph& graph, const runtime::Network& network) {
  std::unordered_map<std::string, bool> by_name;
  for (graph::ValueId id = 0; id < graph.size(); ++id) {
    const graph::Node& node = graph.node(id);
    if (graph::Macs(graph, id) == 0) continue;
    const graph::DType type = graph.node(node.inputs[0]).type.dtype;
    by_name[isa::OneLine(node.name)] =
        type != graph::DType::kFloat16 && type != graph::DType::kFloat32 && type != graph::DType::kFloat64;
  }
  std::vector<bool> integer;
  for (const runtime::Layer& layer : network.layers) {
    const auto at = by_name.find(layer.name);
    integer.push_back(at != by_name.end() && at->second);
  }
  return integer;
}

void CountWork(Result& result) {
  for (const auto& step : result.network.steps) {
    const runtime::CpuStep& call = std::get<runtime::CpuStep>(step);
    if (cpu::NodeOf(*call.kernel)) result.unchecked.push_back(result.network.layers[call.layer].name);
  }
  for (const runtime::Layer& layer : result.network.layers) result.macs += layer.macs;
  result.macs_host = result.macs;
}

void CheckAgainstGolden(const Subject& subject, const std::vector<Tensor>& inputs, const Options& options,
                        const Arrays& values, Result& result) {
  CpuTimer timer(result.host.check_s);
  const auto golden = golden::Run(subject.graph(), inputs);
  Arrays expected;
  for (const auto& place : result.network.outputs) expected.push_back(BytesOf(*golden[place.value]));
  CompareOutputs(result.run.outputs, expected, result);
  for (size_t i = 0; i < values.size(); ++i) {
    const runtime::Place& place = result.network.values[i];
    result.layers.push_back(Compare(place, values[i], BytesOf(*golden[place.value])));
  }
  if (options.report_quantization && subject.quantized) {
    const auto reals = graph::zoo::SyntheticInput(subject.quantized->reference, options.seed);
    result.quantization = graph::ReportQuantization(
        *subject.quantized, graph::RunFloat(subject.quantized->reference, reals), golden);
  }
}

/// What parsing and compiling have freed: the heap would keep it beside the memory of the run.
void ReturnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

const runtime::HostTimes& HostResult::Fastest() const {
  return *std::ranges::min_element(runs, {}, &runtime::HostTimes::wall);
}

double HostResult::MedianMs() const {
  std::vector<double> walls;
  for (const runtime::HostTimes& run : runs) walls.push_back(run.wall);
  std::ranges::sort(walls);
  const size_t n = walls.size();
  return 1e3 * (walls[(n - 1) / 2] + walls[n / 2]) / 2;
}

double HostResult::LeastCpuMs() const {
  return 1e3 * std::ranges::min(runs, {}, &runtime::HostTimes::cpu).cpu;
}

double HostResult::Gops(size_t layer) const {
  const double seconds = Fastest().layers[layer];
  return seconds > 0 ? 2e-9 * static_cast<double>(result.network.layers[layer].macs) / seconds : 0;
}

double HostResult::PeakShare(size_t layer) const {
  return Gops(layer) / (threads * (integer[layer] ? peak.integer_gops : peak.float_gops));
}

graph::Graph HostGraph(const Options& options, const HostOptions& host) {
  return MakeSubject(options, host).graph();
}

HostResult RunOnHost(Options& options, const HostOptions& host) {
  COSIM_CHECK(host.repeat > 0 && host.threads > 0);
  const auto say = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  ReturnFreedMemory();
  HostResult measured;
  Result& result = measured.result;
  measured.peak = runtime::MeasureHostPeak();
  measured.threads = host.threads;
  std::optional<Subject> subject = [&] {
    if (!options.model && !host.float32) say("quantizing " + options.network);
    CpuTimer timer(result.host.quantize_s);
    return std::optional(MakeSubject(options, host));
  }();
  {
    say("compiling");
    CpuTimer timer(result.host.compile_s);
    cpu::JitCompiler cpu(host.target, host.schedules);
    result.network = network::CompileForHost(subject->graph(), options.check == Check::kLayers, cpu);
  }
  DescribePlaces(subject->graph(), subject->model, result.network);
  measured.integer = IntegerLayers(subject->graph(), result.network);
  CountWork(result);

  const std::vector<Tensor> inputs = subject->Inputs(options);
  if (options.check == Check::kNone) {  // weights as the kernels read them are enough
    subject.reset();
    options.model.reset();
  }
  ReturnFreedMemory();
  Arrays arrays, values;
  for (const Tensor& input : inputs) arrays.push_back(BytesOf(input));
  const runtime::ThreadPool pool(host.threads);
  runtime::HostExecutor executor(result.network, pool.parallel());
  say("running on this machine");
  executor.Run(arrays);  // touches code and memory for the first time
  for (int i = 0; i < host.repeat; ++i) measured.runs.push_back(executor.Run(arrays));
  for (const auto& place : result.network.outputs) result.run.outputs.push_back(executor.Read(place));
  for (const auto& place : result.network.values) values.push_back(executor.Read(place));
  for (const double seconds : measured.Fastest().layers) {
    result.run.layers.push_back({.cpu_seconds = seconds});
    result.host.cpu_fallback_s += seconds;
  }
  if (options.check != Check::kNone) {
    say("checking against the golden model");
    CheckAgainstGolden(*subject, inputs, options, values, result);
  }
  result.host.peak_rss_mb = PeakRssMb();
  return measured;
}

}  // namespace cosim::session
