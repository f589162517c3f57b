// SPDX-License-Identifier: Apache-2.0
// The loop tree as text, for people and for tests of the passes.
#include <fmt/format.h>

#include "compiler/accel/ir.h"

namespace cosim::accel {
namespace {

std::string Indent(int depth) { return std::string(static_cast<size_t>(depth) * 2, ' '); }

// "window#1[ci.o * 64 + 58*y + x]": copy 1 of the buffer; strides stand before the dims they belong to.
std::string Text(const Access& access, const std::vector<Dim>& dims) {
  std::string text = access.buffer->name;
  if (access.copy > 0) text += fmt::format("#{}", access.copy);
  text += "[" + tir::ToString(access.offset);
  for (size_t d = 0; d < dims.size(); ++d)
    if (access.strides[d] != 0) text += fmt::format(" + {}*{}", access.strides[d], dims[d].var->name);
  return text + "]";
}

std::string Text(const std::vector<Dim>& dims) {
  std::string text;
  for (const Dim& dim : dims)
    text += fmt::format("{}{} < {}", text.empty() ? "" : ", ", dim.var->name, tir::ToString(dim.extent));
  return "for " + text;
}

class Printer {
 public:
  std::string Run(const Kernel& kernel) {
    text_ = fmt::format("kernel {}\n", kernel.name);
    for (const OnChipBuffer& buffer : kernel.buffers) {
      text_ += fmt::format("  buffer {}: {} elements", buffer.buffer->name, buffer.elements);
      if (buffer.copies > 1) text_ += fmt::format(" x {} copies", buffer.copies);
      text_ += fmt::format(" in {}", buffer.buffer->scope);
      if (buffer.address >= 0) text_ += fmt::format(" at {}", buffer.address);
      if (buffer.address >= 0 && buffer.copies > 1)
        text_ += fmt::format(", copies {} apart", buffer.copy_stride);
      text_ += "\n";
    }
    Print(kernel.body, 1);
    return text_;
  }

 private:
  void Print(const Nodes& nodes, int depth) {
    for (const Node& node : nodes) std::visit([&](const auto& n) { Print(n, depth); }, node.node);
  }

  void Print(const Loop& loop, int depth) {
    text_ += fmt::format("{}loop {} in {}..+{}{}:\n", Indent(depth), loop.var->name, tir::ToString(loop.min),
                         tir::ToString(loop.extent), loop.virtual_thread ? " virtual_thread" : "");
    Print(loop.body, depth + 1);
  }

  void Print(const Guard& guard, int depth) {
    text_ += fmt::format("{}if {}:\n", Indent(depth), tir::ToString(guard.condition));
    Print(guard.body, depth + 1);
  }

  void Print(const TransferLeaf& leaf, int depth) {
    const std::string dram = Text(leaf.dram, leaf.dims), sram = Text(leaf.sram, leaf.dims);
    text_ += fmt::format("{}{} {}: {} = {}", Indent(depth), leaf.is_store ? "store" : "load", Text(leaf.dims),
                         leaf.is_store ? dram : sram, leaf.is_store ? sram : dram);
    if (!leaf.bounds.empty())
      text_ += leaf.repeats ? ", padding the nearest" : fmt::format(", padding {}", leaf.pad_value);
    text_ += "\n";
  }

  void Print(const GemmLeaf& leaf, int depth) {
    text_ +=
        fmt::format("{}{} {}: {} +=", Indent(depth), leaf.name, Text(leaf.dims), Text(leaf.dst, leaf.dims));
    for (const Access& source : leaf.sources) text_ += " " + Text(source, leaf.dims);
    if (leaf.pitch != 0) text_ += fmt::format(", rows {} apart", leaf.pitch);
    if (leaf.initialize) text_ += ", starts at 0";
    text_ += "\n";
  }

  void Print(const AluLeaf& leaf, int depth) {
    text_ += fmt::format("{}alu {} {}: {} =", Indent(depth), leaf.op, Text(leaf.dims),
                         Text(leaf.result, leaf.dims));
    for (const Access& operand : leaf.operands) text_ += " " + Text(operand, leaf.dims);
    for (const tir::Buffer& table : leaf.tables) text_ += " " + table->name;
    for (const auto& [field, value] : leaf.immediates) text_ += fmt::format(" #{}={}", field, value);
    text_ += "\n";
  }

  std::string text_;
};

}  // namespace

std::string ToString(const Kernel& kernel) { return Printer().Run(kernel); }

}  // namespace cosim::accel
