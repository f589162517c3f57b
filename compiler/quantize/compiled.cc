// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/compiled.h"

#include <algorithm>

#include "compiler/cpu/jit.h"
#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/import/onnx/build.h"
#include "compiler/network/compile.h"
#include "isa/check.h"

namespace cosim::quantize {

using graph::Tensor;
using import::onnx::File;

Operands PointersTo(const std::vector<Tensor>& tensors) {
  Operands operands;
  for (const Tensor& tensor : tensors) operands.push_back(&tensor);
  return operands;
}

std::optional<CompiledFile> CompiledFile::Make(const File& file, const std::set<std::string>& wanted,
                                               const Operands& example, std::string& error) {
  COSIM_CHECK(example.size() == file.inputs.size(), "{} inputs for {}", example.size(), file.name);
  CompiledFile made;
  File shown = file;
  shown.outputs.clear();
  // Each operator as the file has it: integers that stand for several of them have no names for those.
  import::Options options{.host_only = true};
  for (size_t i = 0; i < example.size(); ++i) {
    const std::string& name = file.inputs[i].name;
    options.shapes[name] = example[i]->shape();
    made.inputs_.push_back(name);
    made.input_types_.push_back(example[i]->type());
    if (wanted.count(name)) made.wanted_inputs_.insert(name);
  }
  for (const std::string& name : wanted)
    if (!made.wanted_inputs_.count(name)) shown.outputs.push_back({.name = name, .has_shape = false});
  Diagnostics diagnostics;
  const auto model = import::onnx::Build(std::move(shown), options, diagnostics);
  if (!model) return error = diagnostics.Render(), std::nullopt;
  const graph::Graph graph = graph::RemoveDeadValues(model->graph);
  cpu::JitCompiler cpu;
  made.network_ =
      std::make_unique<runtime::Network>(network::CompileForHost(graph, /*keep_every_value=*/false, cpu));
  for (size_t i = 0; i < model->output_names.size(); ++i)
    made.outputs_.push_back({model->output_names[i], graph.node(graph.outputs()[i]).type});
  made.executor_ = std::make_unique<runtime::HostExecutor>(*made.network_);
  return made;
}

bool CompiledFile::Takes(const Operands& inputs) const {
  return std::ranges::equal(inputs, input_types_, {}, [](const Tensor* input) { return input->type(); });
}

Values CompiledFile::Run(const Operands& inputs) {
  COSIM_CHECK(Takes(inputs), "inputs of other types");
  Values values;
  std::vector<std::span<const uint8_t>> arrays;
  for (size_t i = 0; i < inputs.size(); ++i) {
    arrays.push_back(inputs[i]->bytes());
    if (wanted_inputs_.count(inputs_[i])) values[inputs_[i]] = std::make_shared<const Tensor>(*inputs[i]);
  }
  executor_->Run(arrays);
  last_.resize(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    std::shared_ptr<Tensor>& tensor = last_[i];
    if (tensor.use_count() != 1) tensor = std::make_shared<Tensor>(outputs_[i].type);
    executor_->Read(network_->outputs[i], tensor->mutable_bytes());
    values[outputs_[i].name] = tensor;
  }
  return values;
}

}  // namespace cosim::quantize
