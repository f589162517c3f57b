// SPDX-License-Identifier: Apache-2.0
// The inputs of a file as inputs of the graph: what dimensions they leave open gets its value here.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/onnx/builder.h"
#include "isa/text_escape.h"

namespace cosim::import::onnx {
namespace {

/// What exporters call the number of inputs that run at once.
bool IsBatch(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name == "n" || name == "batch" || name == "batch_size" || name == "batchsize" ||
         name == "batch_dim" || name == "bs";
}

const std::string* OpenName(const ValueInfo& input, size_t d) {
  return d < input.dimensions.size() ? std::get_if<std::string>(&input.dimensions[d]) : nullptr;
}

}  // namespace

bool Builder::HasShape(const std::string& name) const {
  return std::ranges::any_of(file_.inputs, [&](const ValueInfo& input) {
    return input.name == name || std::ranges::any_of(input.dimensions, [&](const auto& dimension) {
             const auto* open = std::get_if<std::string>(&dimension);
             return open != nullptr && *open == name;
           });
  });
}

/// The open dimensions that are 1 unless somebody says otherwise: those that are called so, and the first of
/// an input, under the same name wherever it stands.
void Builder::BindBatches() {
  for (const ValueInfo& input : file_.inputs)
    for (size_t d = 0; d < input.dimensions.size(); ++d)
      if (const std::string* name = OpenName(input, d); name && !name->empty() && (d == 0 || IsBatch(*name)))
        batches_.insert(*name);
}

std::optional<graph::Shape> Builder::ShapeOf(const ValueInfo& input) {
  const auto given = options_.shapes.find(input.name);
  const auto unbound = [&](const std::string& what) {
    diagnostics_.Error(codes::kUnboundShape, {file_.name}, fmt::format("input '{}': {}", input.name, what))
        .hint = fmt::format("--shape {} (an example) gives all of its dimensions",
                            isa::ShellWord(input.name + "=1x3x224x224"));
    return std::nullopt;
  };
  if (given != options_.shapes.end() && given->second.size() != input.dimensions.size())
    return unbound(fmt::format("it has {} dimensions", input.dimensions.size()));
  graph::Shape shape;
  int64_t elements = 1;
  std::vector<std::string> open;
  for (size_t d = 0; d < input.dimensions.size(); ++d) {
    const int64_t* fixed = std::get_if<int64_t>(&input.dimensions[d]);
    const std::string name = fixed ? "" : std::get<std::string>(input.dimensions[d]);
    const auto by_name = options_.shapes.find(name);
    int64_t extent = fixed ? *fixed : -1;
    if (given != options_.shapes.end()) {
      if (fixed && *fixed != given->second[d]) return unbound(fmt::format("dimension {} is {}", d, *fixed));
      extent = given->second[d];
    } else if (!fixed && by_name != options_.shapes.end() && by_name->second.size() == 1) {
      extent = by_name->second[0];
    } else if (!fixed && (name.empty() ? d == 0 : batches_.count(name) > 0)) {
      extent = 1;
      model_.notes.push_back(
          fmt::format("input '{}': dimension {}{} is open in the file and taken as 1; --shape says otherwise",
                      input.name, d, name.empty() ? "" : fmt::format(" ('{}')", name)));
    }
    if (extent < 0 && !fixed) {
      open.push_back(fmt::format("dimension {} ('{}')", d, name));
      continue;
    }
    shape.push_back(extent);
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements) {
      diagnostics_.Error(
          codes::kTooLarge, {file_.name},
          fmt::format("input '{}' has an extent of {}, or too many elements", input.name, extent));
      return std::nullopt;
    }
  }
  if (!open.empty())
    return unbound(fmt::format("{} {} open", fmt::join(open, ", "), open.size() == 1 ? "is" : "are"));
  return shape;
}

void Builder::AddInput(const ValueInfo& input) {
  names_.insert(input.name);
  if (const auto at = options_.constants.find(input.name); at != options_.constants.end()) {
    constants_[input.name] = at->second;
    return;
  }
  broken_.insert(input.name);
  if (!input.unsupported.empty())
    return Unsupported(fmt::format("value '{}' {}", input.name, input.unsupported));
  if (input.form != Form::kTensor) return AddElements(input);
  const auto shape = ShapeOf(input);
  if (!shape) return;
  broken_.erase(input.name);
  values_.Define(input.name, model_.graph.AddInput(values_.Unique(input.name), {input.dtype, *shape}));
  model_.input_quantization.emplace_back();
}

/// A sequence or an optional, whose elements are known.
void Builder::AddElements(const ValueInfo& input) {
  const auto given = options_.elements.find(input.name);
  if (given == options_.elements.end())
    return Unsupported(fmt::format("value '{}' is {}: what is in it is only known when the network runs",
                                   input.name, input.form == Form::kSequence ? "a sequence" : "an optional"));
  broken_.erase(input.name);
  Bundle list;
  for (const graph::TensorPtr& tensor : given->second.tensors)
    list.items.push_back(AddConstant(fmt::format("{}[{}]", input.name, list.items.size()), tensor));
  if (input.form == Form::kSequence) return Define(input.name, std::move(list));
  Bundle optional{.is_optional = true, .items = {}};
  if (input.form == Form::kOptionalTensor) optional.items = list.items;
  if (input.form == Form::kOptionalSequence && given->second.present) {
    optional.items = {Fresh(input.name + ".value")};
    Define(optional.items[0], std::move(list));
  }
  Define(input.name, std::move(optional));
}

}  // namespace cosim::import::onnx
