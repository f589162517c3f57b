// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/walk.h"

#include <algorithm>
#include <set>

#include "compiler/quantize/compiled.h"

namespace cosim::quantize {

using graph::Tensor;
using import::onnx::File;
using import::onnx::NodeInfo;

Walk::Walk(const File& file, const std::vector<std::vector<Tensor>>& inputs) : file_(file) {
  for (size_t i = 0; i < file.nodes.size(); ++i) {
    const NodeInfo& node = file.nodes[i];
    constant_.push_back(std::ranges::all_of(node.inputs, [&](const std::string& name) {
      return name.empty() || file.initializers.count(name) > 0;
    }));
    for (const std::string& name : node.outputs) producer_[name] = i;
    for (const std::string& name : node.inputs) last_use_[name] = i;
  }
  for (const auto& list : inputs) {
    Values& values = values_.emplace_back();
    for (size_t i = 0; i < list.size(); ++i)
      values[file.inputs[i].name] = std::make_shared<const Tensor>(list[i]);
  }
}

bool Walk::To(size_t node, std::string& error) {
  File part;
  part.name = file_.name;
  part.opset = file_.opset;
  part.opsets = file_.opsets;
  std::set<std::string> made, wanted, read;
  std::set<size_t> constants;  // nodes that are there
  for (size_t i = at_; i < node; ++i) {
    const NodeInfo& info = file_.nodes[i];
    if (constant_[i]) continue;
    for (const std::string& name : info.inputs) {
      if (const auto at = file_.initializers.find(name); at != file_.initializers.end())
        part.initializers.insert(*at);
      const auto from = producer_.find(name);
      if (from == producer_.end() || !constant_[from->second]) {
        if (!name.empty() && !made.count(name)) read.insert(name);
        continue;
      }
      if (!constants.insert(from->second).second) continue;
      part.nodes.push_back(file_.nodes[from->second]);
      for (const std::string& operand : part.nodes.back().inputs)
        if (!operand.empty()) part.initializers.insert(*file_.initializers.find(operand));
    }
    part.nodes.push_back(info);
    for (const std::string& name : info.outputs) {
      made.insert(name);
      if (const auto use = last_use_.find(name); use != last_use_.end() && use->second >= node)
        wanted.insert(name);
    }
  }
  at_ = node;
  for (const auto& [name, tensor] : part.initializers) read.erase(name);
  std::optional<CompiledFile> code;
  for (Values& values : values_) {
    Operands operands;
    for (const std::string& name : read) operands.push_back(values.at(name).get());
    if (!code && !wanted.empty()) {
      for (const std::string& name : read)
        part.inputs.push_back(
            {.name = name,
             .dtype = values.at(name)->dtype(),
             .dimensions = {values.at(name)->shape().begin(), values.at(name)->shape().end()}});
      code = CompiledFile::Make(part, wanted, operands, error);
      if (!code) return false;
    }
    if (code)
      for (auto& [name, value] : code->Run(operands)) values[name] = value;
    std::erase_if(values, [&](const auto& entry) {
      const auto use = last_use_.find(entry.first);
      return use == last_use_.end() || use->second < node;
    });
  }
  return true;
}

}  // namespace cosim::quantize
