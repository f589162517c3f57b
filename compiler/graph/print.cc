// SPDX-License-Identifier: Apache-2.0
// The printer. Attributes come from each operation's own list, so a new operation prints without a line here.
#include "compiler/graph/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cosim::graph {
namespace {

/// FNV-1a over the elements' bytes, as a little-endian host has them.
uint64_t Hash(const Tensor& tensor) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint8_t byte : tensor.bytes()) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

std::string Format(const TensorPtr& data) { return data ? fmt::format("#{:016x}", Hash(*data)) : "none"; }
std::string Format(const HostOperatorPtr& op) { return op ? fmt::format("({})", op->Describe()) : "none"; }
std::string Format(float value) { return fmt::format("{}", value); }
std::string Format(int64_t value) { return fmt::format("{}", value); }
std::string Format(int32_t value) { return fmt::format("{}", value); }
std::string Format(bool value) { return value ? "yes" : "no"; }

/// Lists are shown whole up to eight elements, longer ones by their ends.
template <typename List>
std::string Format(const List& list) {
  const size_t n = list.size();
  if (n <= 8) return fmt::format("[{}]", fmt::join(list, ","));
  return fmt::format("[{},{},...,{};{}]", list[0], list[1], list[n - 1], n);
}

std::string FormatAttributes(const Op& op) {
  std::vector<std::string> items;
  std::visit(
      [&](const auto& o) {
        o.Attributes(o, [&](std::string_view name, const auto& value) {
          items.push_back(fmt::format("{}={}", name, Format(value)));
        });
      },
      op);
  return items.empty() ? "" : fmt::format(" {{{}}}", fmt::join(items, " "));
}

}  // namespace

std::string Print(const Graph& graph) {
  std::string text = fmt::format("graph {}\n", graph.name());
  auto name = [&](ValueId id) {
    return id >= 0 && id < graph.size() ? "%" + graph.node(id).name : fmt::format("%<{}>", id);
  };
  auto names = [&](const std::vector<ValueId>& ids) {
    std::vector<std::string> list;
    for (ValueId id : ids) list.push_back(name(id));
    return fmt::format("{}", fmt::join(list, ", "));
  };
  for (const Node& node : graph.nodes()) {
    text += fmt::format("%{} = {}({}){} : {}", node.name, Mnemonic(node.op), names(node.inputs),
                        FormatAttributes(node.op), ToString(node.type));
    if (node.quantization) {
      text += fmt::format(" scale={} zero_point={}", Format(node.quantization->scales),
                          node.quantization->zero_point);
    }
    text += "\n";
  }
  return text + fmt::format("return {}\n", names(graph.outputs()));
}

}  // namespace cosim::graph
