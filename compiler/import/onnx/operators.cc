// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/operators.h"

#include "compiler/import/onnx/node_view.h"
#include "isa/check.h"

namespace cosim::import::onnx {
namespace {

const Factories& All() {
  static const Factories factories = [] {
    Factories all;
    AddElementwise(all);
    AddStructural(all);
    AddNumeric(all);
    AddSequence(all);
    AddVision(all);
    AddSignal(all);
    return all;
  }();
  return factories;
}

}  // namespace

bool IsKnown(const std::string& op) { return All().count(op) > 0; }

std::vector<std::string> KnownOperators() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : All()) names.push_back(name);
  return names;
}

Made Make(const NodeInfo& node) {
  COSIM_CHECK(IsKnown(node.op), "{}", node.op);
  NodeView view(node);
  auto op = All().at(node.op)(view);
  return view.Finish(std::move(op));
}

graph::DType ElementType(NodeView& node, int64_t number) {
  using graph::DType;
  static const std::map<int64_t, DType> types = {
      {1, DType::kFloat32},  {2, DType::kUint8},    {3, DType::kInt8},    {4, DType::kUint16},
      {5, DType::kInt16},    {6, DType::kInt32},    {7, DType::kInt64},   {9, DType::kBool},
      {10, DType::kFloat16}, {11, DType::kFloat64}, {12, DType::kUint32}, {13, DType::kUint64}};
  const auto at = types.find(number);
  if (at != types.end()) return at->second;
  node.Fail(fmt::format("element type {}", number));
  return DType::kFloat32;
}

}  // namespace cosim::import::onnx
