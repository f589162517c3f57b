// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/loss.h"

#include <algorithm>

namespace cosim::quantize {

// About what a good value of eight bits has: differences above say nothing.
constexpr double kMostDb = 40;

void LossFinder::AddRun(const Values& reference, const Values& quantized) {
  for (const auto& [name, exact] : reference) {
    const auto at = quantized.find(name);
    if (at == quantized.end() || exact->dtype() != graph::DType::kFloat32 ||
        at->second->dtype() != graph::DType::kFloat32 || exact->size() != at->second->size())
      continue;
    values_[name].Add(*exact, *at->second);
  }
}

std::vector<LossFinder::Loss> LossFinder::Losses(const import::onnx::File& reference) const {
  std::vector<Loss> losses;
  std::map<std::string, double> db;  // of what was computed so far; absent: as good as it gets
  for (const auto& node : reference.nodes) {
    double before = kMostDb;
    for (const std::string& name : node.inputs)
      if (const auto at = db.find(name); at != db.end()) before = std::min(before, at->second);
    for (const std::string& name : node.outputs) db[name] = before;
    if (node.outputs.empty()) continue;
    const auto compared = values_.find(node.outputs[0]);
    if (compared == values_.end()) continue;
    const double own = compared->second.SqnrDb();
    losses.push_back({node.op, node.outputs[0], own, before - std::min(own, kMostDb)});
    db[node.outputs[0]] = std::min(own, kMostDb);
  }
  return losses;
}

}  // namespace cosim::quantize
