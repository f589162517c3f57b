// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/host_kernel.h"

#include <algorithm>
#include <cstring>

#include "compiler/graph/float_executor.h"
#include "isa/check.h"

namespace cosim::cpu {
namespace {

using graph::Tensor;
using graph::TensorPtr;

class HostKernel : public runtime::CpuKernel {
 public:
  struct Operand {
    TensorPtr constant;  ///< null: argument number `argument`
    graph::TensorType type;
    size_t argument = 0;
  };
  HostKernel(const graph::Graph& graph, graph::ValueId id, std::vector<Operand> operands)
      : id_(id), node_(graph.node(id)), operands_(std::move(operands)) {}

  graph::ValueId id() const { return id_; }

  void RunOn(std::span<void* const> args, const runtime::Parallel&) const override {
    std::vector<TensorPtr> operands;
    for (const Operand& operand : operands_) operands.push_back(TensorOf(operand, args));
    const Tensor result = graph::EvaluateFloat(node_, operands);
    COSIM_CHECK(result.type() == node_.type, "'{}' gives {} instead of {}", node_.name,
                graph::ToString(result.type()), graph::ToString(node_.type));
    const auto bytes = result.bytes();
    if (!bytes.empty()) std::memcpy(args.back(), bytes.data(), bytes.size());
  }

 private:
  static TensorPtr TensorOf(const Operand& operand, std::span<void* const> args) {
    if (operand.constant) return operand.constant;
    Tensor tensor(operand.type);
    const auto bytes = tensor.mutable_bytes();
    if (!bytes.empty()) std::memcpy(bytes.data(), args[operand.argument], bytes.size());
    return std::make_shared<const Tensor>(std::move(tensor));
  }

  graph::ValueId id_;
  graph::Node node_;
  std::vector<Operand> operands_;
};

}  // namespace

runtime::CpuKernelPtr MakeHostKernel(const graph::Graph& graph, graph::ValueId id,
                                     std::vector<graph::ValueId>& inputs) {
  std::vector<HostKernel::Operand> operands;
  for (graph::ValueId input : graph.node(id).inputs) {
    const graph::Node& from = graph.node(input);
    if (const auto* constant = from.As<graph::Constant>()) {
      operands.push_back({constant->data, from.type, 0});
      continue;
    }
    const auto at = std::find(inputs.begin(), inputs.end(), input);
    operands.push_back({nullptr, from.type, static_cast<size_t>(at - inputs.begin())});
    if (at == inputs.end()) inputs.push_back(input);
  }
  return std::make_shared<HostKernel>(graph, id, std::move(operands));
}

runtime::HostWork RoutineWork(const graph::Graph& graph, graph::ValueId id) {
  runtime::HostWork work;
  const auto add = [&](const graph::TensorType& type) {
    const int64_t values = graph::NumElements(type.shape);
    work.routine_values += values;
    work.bytes += values * static_cast<int64_t>(graph::SizeOf(type.dtype));
  };
  for (graph::ValueId input : graph.node(id).inputs) add(graph.node(input).type);
  add(graph.node(id).type);
  work.routine_macs = graph::Macs(graph, id);
  return work;
}

std::optional<graph::ValueId> NodeOf(const runtime::CpuKernel& kernel) {
  const auto* host = dynamic_cast<const HostKernel*>(&kernel);
  return host ? std::optional(host->id()) : std::nullopt;
}

}  // namespace cosim::cpu
