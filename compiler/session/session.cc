// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/cpu/jit.h"
#include "compiler/cpu/no_code.h"
#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/quantize/graph/tensors.h"
#include "compiler/schedules/accel/array.h"
#include "compiler/session/execute.h"
#include "isa/digest.h"
#include "isa/verify/verify.h"

namespace cosim::session {
namespace {

using graph::Tensor;

struct Frame {
  std::vector<Tensor> reals, inputs;
};

// Frame i has the seed of the experiment plus i; a model from a file has the inputs it was given, in every
// frame.
// Timing only, nobody looks at them.
std::vector<Frame> MakeFrames(const graph::QuantizedGraph* quantized, const Options& options) {
  if (!quantized || options.timing_only) return {{{}, options.inputs}};
  std::vector<Frame> frames;
  for (int i = 0; i < options.frames; ++i) {
    frames.push_back({graph::zoo::SyntheticInput(quantized->reference, options.seed + i), {}});
    frames.back().inputs = graph::QuantizeInputs(quantized->graph, frames.back().reals);
  }
  return frames;
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

graph::QuantizeOptions QuantizeOptionsFor(const isa::Spec& spec, uint64_t seed, int activation_bits) {
  std::string why;
  const kernels::Array array = kernels::FindArray(spec, why);
  const bool channels = array.HasParameters();
  graph::QuantizeOptions options;
  options.activation_bits = activation_bits;
  if (activation_bits == 0) options.activation_bits = array.gemm >= 0 && array.activation_bits >= 16 ? 16 : 8;
  if (array.gemm >= 0)
    options.weight_bits = std::clamp(spec.memories[array.weights].fields[0].type.width, 2, 8);
  options.scheme = channels ? graph::QuantizationScheme::kPerChannel : graph::QuantizationScheme::kPowerOfTwo;
  options.seed = seed;
  return options;
}

graph::QuantizedGraph QuantizeFor(const isa::Spec& spec, const std::string& network, uint64_t seed,
                                  int activation_bits) {
  return graph::QuantizeGraph(graph::zoo::Build(network, seed),
                              QuantizeOptionsFor(spec, seed, activation_bits));
}

runtime::Network CompileFor(const isa::Spec& spec, const graph::Graph& graph,
                            const network::CompileOptions& options) {
  cpu::JitCompiler cpu;
  return network::Compile(graph, spec, options, cpu);
}

namespace {

runtime::Network CompileToRun(const isa::Spec& spec, const graph::Graph& graph, const Options& options) {
  const network::CompileOptions compile{.virtual_threads = options.virtual_threads,
                                        .keep_every_value = options.check == Check::kLayers,
                                        .channels_last = !options.model,
                                        .blank_constants = options.timing_only,
                                        .after_pass = {},
                                        .cache = options.cache,
                                        .tuned = options.tuned.get()};
  if (!options.timing_only) return CompileFor(spec, graph, compile);
  cpu::NoCodeCompiler no_code;
  return network::Compile(graph, spec, compile, no_code);
}

}  // namespace

namespace {

/// Of all that the verifier looks at, for one spec: words, micro-ops, and where everything stands.
std::string DigestOf(const runtime::AcceleratorStep& step) {
  std::string text = fmt::format("{} {}\n", step.program.code_address, step.program.dram_bytes);
  for (const isa::Segment& segment : step.program.segments) {
    text += fmt::format("{} {} {}\n", static_cast<int>(segment.kind), segment.address, segment.bytes.size());
    if (segment.kind != isa::Segment::Kind::kConstants)
      text.append(segment.bytes.begin(), segment.bytes.end());
  }
  return isa::Sha256Hex(text);
}

}  // namespace

std::string VerifyPrograms(const isa::Spec& spec, const runtime::Network& network,
                           network::LoweringCache* cache) {
  std::string text;
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (!accelerator) continue;
    const std::string digest = cache != nullptr ? DigestOf(*accelerator) : "";
    if (cache != nullptr && cache->verified.count(digest) > 0) continue;
    isa::VerifyOptions options;
    options.layer = [&](int64_t i) { return network.layers[accelerator->layer_of[i]].name; };
    const auto result = isa::Verify(spec, accelerator->program, options);
    if (!result.ok()) text += result.Render();
    if (result.ok() && cache != nullptr) cache->verified.insert(digest);
  }
  return text;
}

std::optional<Result> RunExperiment(const isa::Spec& spec, const Options& options, std::string& error) {
  const auto say = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  Result result;
  std::shared_ptr<const graph::QuantizedGraph> quantized = options.quantized;
  if (!options.model && !quantized) {
    say("quantizing " + options.network);
    CpuTimer timer(result.host.quantize_s);
    quantized = std::make_shared<const graph::QuantizedGraph>(
        QuantizeFor(spec, options.network, options.seed, options.activation_bits));
  }
  const graph::Graph& graph = quantized ? quantized->graph : options.model->graph;
  {
    say("compiling");
    CpuTimer timer(result.host.compile_s);
    result.network = CompileToRun(spec, graph, options);
  }
  DescribePlaces(graph, options.model.get(), result.network);
  if (!VerifyInto(spec, options, result, error)) return std::nullopt;

  const auto frames = MakeFrames(quantized.get(), options);
  std::vector<runtime::FrameInputs> inputs;
  for (const Frame& frame : frames) inputs.push_back(HandedOver(frame.inputs, result.network.inputs));
  std::vector<std::vector<uint8_t>> values;  // as Network::values
  const auto outputs = RunFrames(spec, options, inputs, result, error, [&](runtime::Device& device) {
    if (options.timing_only) return;
    for (const auto& place : result.network.values) values.push_back(runtime::ReadPlain(device, place));
  });
  if (!outputs) return std::nullopt;
  if (options.check != Check::kNone && !options.timing_only) {
    say("checking against the golden model");
    CpuTimer timer(result.host.check_s);
    for (size_t f = 0; f < outputs->size(); ++f) {
      Frame frame = frames[f % frames.size()];
      for (const runtime::Carried& value : result.network.carried)
        if (f > 0) {
          const auto to = frame.inputs.at(value.input).mutable_bytes();
          std::ranges::copy((*outputs)[f - 1].at(value.output), to.begin());
        }
      const auto golden = golden::Run(graph, frame.inputs);
      std::vector<std::vector<uint8_t>> expected;
      for (const auto& place : result.network.outputs) expected.push_back(BytesOf(*golden[place.value]));
      CompareOutputs((*outputs)[f], expected, result);
      for (size_t i = 0; i < values.size(); ++i) {
        const auto& place = result.network.values[i];
        const Tensor& want = *golden[place.value];
        result.layers.push_back(Compare(place, values[i], BytesOf(want)));
      }
      if (options.report_quantization && quantized)
        result.quantization =
            graph::ReportQuantization(*quantized, graph::RunFloat(quantized->reference, frame.reals), golden);
    }
  }
  result.host.peak_rss_mb = PeakRssMb();
  return result;
}

}  // namespace cosim::session
