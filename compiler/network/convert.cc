// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/convert.h"

#include "isa/check.h"
#include "isa/text_escape.h"

namespace cosim::network {

using graph::ValueId;

int BitsOf(const graph::Graph& graph, ValueId value) {
  return 8 * static_cast<int>(graph::SizeOf(graph.node(value).type.dtype));
}

layouts::Blocking BlockingOf(const graph::Graph& graph, const FormKey& form, const Array& array) {
  const int64_t block = form.layout.block, lanes = array.BlockBytes(block) * 8 / array.activation_bits;
  return {
      array.batch,       block, array.activation_bits, BitsOf(graph, form.value), lanes - array.batch * block,
      form.layout.pixels};
}

bool IsPlain(const graph::Graph& graph, const FormKey& form, const Array& array) {
  const auto [n, c, h, w] = Shape4(graph, form.value);
  const layouts::Blocking blocking = BlockingOf(graph, form, array);
  return h * w == 1 && blocking.pixels == 0 && blocking.outer == 1 && blocking.gap == 0 &&
         blocking.bits == blocking.plain_bits &&
         (n * form.layout.groups == 1 || c / form.layout.groups % blocking.inner == 0);
}

namespace {

tir::Function Matrices(const graph::Graph& graph, const FormKey& from, const FormKey& form,
                       const Array& array, const std::string& name) {
  const bool in_blocks = from.layout.kind == Layout::Kind::kBlocked;
  return layouts::PackMatrices(
      "matrices_" + name, graph.node(form.value).type.shape,
      {form.layout.groups, form.layout.transposed, array.block_out, array.layout_out, array.block_in,
       array.layout_in, array.weight_bits, BitsOf(graph, form.value),
       array.weight_bytes * 8 / array.weight_bits - array.block_out * array.block_in, array.weights_by_input},
      in_blocks ? std::optional(BlockingOf(graph, from, array)) : std::nullopt);
}

}  // namespace

FormKey SourceOf(const graph::Graph& graph, const FormKey& form) {
  const auto* op = graph.node(form.value).As<graph::HostOp>();
  const bool turned = op && op->op->Describe() == "transpose permutation=[0,3,1,2]";
  if (form.layout.kind != Layout::Kind::kImage || !turned) return {form.value, {}};
  return {graph.node(form.value).inputs[0], {}};
}

Conversion ConversionOf(const graph::Graph& graph, const FormKey& from, const FormKey& form,
                        const Array& array) {
  const auto& shape = graph.node(form.value).type.shape;
  const std::string name = isa::OneLine(graph.node(form.value).name);
  switch (form.layout.kind) {
    case Layout::Kind::kPlain:
      return {layouts::UnpackBlocked("unpack_" + name, layouts::InGroups(shape, from.layout.groups),
                                     BlockingOf(graph, from, array)),
              name + ".unpack", "unpack", "the host needs it in plain layout"};
    case Layout::Kind::kBlocked:
      return {layouts::PackBlocked("pack_" + name, layouts::InGroups(shape, form.layout.groups),
                                   BlockingOf(graph, form, array), 0),
              name + ".pack", "pack", "the accelerator needs it in blocks"};
    case Layout::Kind::kMatrices:
      return {Matrices(graph, from, form, array, name), name + ".matrices", "pack_matrices",
              "activations become weights"};
    case Layout::Kind::kImage: {
      const graph::Node& node = graph.node(form.layout.patches_for);
      const accel::ImageWindow window = ImageOf(graph, form.value, form.layout);
      return {layouts::PackImage("image_" + node.name, shape, *node.As<graph::Conv2d>(),
                                 window.ImageBytes(array.activation_bytes) / window.RowBytes(),
                                 window.Width(), BitsOf(graph, form.value), from.value != form.value),
              isa::OneLine(node.name) + ".image", "pack_image",
              "few channels: the accelerator gathers the windows from rows of pixels"};
    }
    case Layout::Kind::kPatches:
      break;
  }
  const graph::Node& node = graph.node(form.layout.patches_for);
  COSIM_CHECK(form.layout.kind == Layout::Kind::kPatches);
  return {layouts::PackPatches("patches_" + node.name, shape, graph.node(node.inputs[1]).type.shape,
                               *node.As<graph::Conv2d>(), BlockingOf(graph, form, array)),
          isa::OneLine(node.name) + ".patches", "pack_patches", "few channels: the host unrolls the windows"};
}

}  // namespace cosim::network
