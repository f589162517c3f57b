// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/options.h"

namespace cosim::import::tflite {
namespace {

namespace fb = cosim::tflite;

Activation ActivationOf(fb::ActivationFunctionType type) {
  switch (type) {
    case fb::ActivationFunctionType_NONE:
      return Activation::kNone;
    case fb::ActivationFunctionType_RELU:
      return Activation::kRelu;
    case fb::ActivationFunctionType_RELU_N1_TO_1:
      return Activation::kReluN1To1;
    case fb::ActivationFunctionType_RELU6:
      return Activation::kRelu6;
    default:
      return Activation::kOther;
  }
}

template <typename Table>
WindowOptions Strided(const Table& table) {
  WindowOptions options;
  options.same_padding = table.padding() == fb::Padding_SAME;
  options.stride[0] = table.stride_h();
  options.stride[1] = table.stride_w();
  options.activation = ActivationOf(table.fused_activation_function());
  return options;
}

template <typename Table>
WindowOptions Dilated(const Table& table) {
  WindowOptions options = Strided(table);
  options.dilation[0] = table.dilation_h_factor();
  options.dilation[1] = table.dilation_w_factor();
  return options;
}

/// Of operators that move elements or know one number.
OperatorOptions RearrangingOptions(const fb::Operator& op) {
  const auto bits = [](int32_t mask) { return static_cast<uint32_t>(mask); };
  if (const auto* slice = op.builtin_options_as_StridedSliceOptions())
    return SliceOptions{bits(slice->begin_mask()),       bits(slice->end_mask()),
                        bits(slice->ellipsis_mask()),    bits(slice->new_axis_mask()),
                        bits(slice->shrink_axis_mask()), slice->offset()};
  if (const auto* gather = op.builtin_options_as_GatherOptions())
    return AxisOptions{gather->axis(), gather->batch_dims()};
  if (const auto* hot = op.builtin_options_as_OneHotOptions()) return AxisOptions{hot->axis()};
  if (const auto* reverse = op.builtin_options_as_ReverseSequenceOptions())
    return AxisOptions{reverse->seq_dim(), reverse->batch_dim()};
  if (const auto* local = op.builtin_options_as_LocalResponseNormalizationOptions())
    return LocalResponseOptions{local->radius(), local->bias(), local->alpha(), local->beta()};
  if (const auto* pack = op.builtin_options_as_PackOptions()) return AxisOptions{pack->axis()};
  if (const auto* unpack = op.builtin_options_as_UnpackOptions()) return AxisOptions{unpack->axis()};
  if (const auto* depth = op.builtin_options_as_DepthToSpaceOptions())
    return BlockOptions{depth->block_size()};
  if (const auto* space = op.builtin_options_as_SpaceToDepthOptions())
    return BlockOptions{space->block_size()};
  if (const auto* leaky = op.builtin_options_as_LeakyReluOptions()) return LeakyOptions{leaky->alpha()};
  if (const auto* mirror = op.builtin_options_as_MirrorPadOptions())
    return MirrorOptions{mirror->mode() == fb::MirrorPadMode_SYMMETRIC};
  if (const auto* product = op.builtin_options_as_BatchMatMulOptions())
    return ProductOptions{product->adj_x(), product->adj_y(), product->asymmetric_quantize_inputs()};
  if (const auto* sums = op.builtin_options_as_CumsumOptions())
    return CumulativeOptions{sums->exclusive(), sums->reverse()};
  if (const auto* gelu = op.builtin_options_as_GeluOptions()) return GeluOptions{gelu->approximate()};
  if (const auto* fake = op.builtin_options_as_FakeQuantOptions())
    return FakeQuantOptions{fake->min(), fake->max(), fake->num_bits(), fake->narrow_range()};
  if (const auto* buckets = op.builtin_options_as_BucketizeOptions()) {
    BucketOptions options;
    if (const auto* bounds = buckets->boundaries()) options.bounds.assign(bounds->begin(), bounds->end());
    return options;
  }
  return NoOptions{};
}

template <typename Table>
RecurrentOptions Recurrent(const Table& table) {
  const auto type = table.fused_activation_function();
  RecurrentOptions options{.activation = ActivationOf(type)};
  options.tanh = type == fb::ActivationFunctionType_TANH;
  options.asymmetric = table.asymmetric_quantize_inputs();
  return options;
}

std::optional<OperatorOptions> RecurrentOptionsOf(const fb::Operator& op) {
  if (const auto* svdf = op.builtin_options_as_SVDFOptions()) {
    RecurrentOptions options = Recurrent(*svdf);
    options.rank = svdf->rank();
    return options;
  }
  if (const auto* rnn = op.builtin_options_as_RNNOptions()) return Recurrent(*rnn);
  if (const auto* rnn = op.builtin_options_as_SequenceRNNOptions()) {
    RecurrentOptions options = Recurrent(*rnn);
    options.time_major = rnn->time_major();
    return options;
  }
  const auto clipped = [](const auto& lstm) {
    RecurrentOptions options = Recurrent(lstm);
    options.cell_clip = lstm.cell_clip();
    options.projection_clip = lstm.proj_clip();
    return options;
  };
  if (const auto* lstm = op.builtin_options_as_BidirectionalSequenceLSTMOptions()) {
    RecurrentOptions options = clipped(*lstm);
    options.time_major = lstm->time_major();
    options.merged = lstm->merge_outputs();
    return options;
  }
  if (const auto* rnn = op.builtin_options_as_BidirectionalSequenceRNNOptions()) {
    RecurrentOptions options = Recurrent(*rnn);
    options.time_major = rnn->time_major();
    options.merged = rnn->merge_outputs();
    return options;
  }
  if (const auto* lstm = op.builtin_options_as_LSTMOptions()) {
    RecurrentOptions options = clipped(*lstm);
    options.basic = lstm->kernel_type() != fb::LSTMKernelType_FULL;
    return options;
  }
  if (const auto* lstm = op.builtin_options_as_UnidirectionalSequenceLSTMOptions()) {
    RecurrentOptions options = clipped(*lstm);
    options.time_major = lstm->time_major();
    options.diagonal = lstm->diagonal_recurrent_tensors();
    return options;
  }
  return std::nullopt;
}

std::string Text(const flatbuffers::String* string) { return string ? string->str() : ""; }

std::optional<OperatorOptions> ControlOptionsOf(const fb::Operator& op) {
  if (const auto* branch = op.builtin_options_as_IfOptions())
    return GraphOptions{{branch->then_subgraph_index(), branch->else_subgraph_index()}};
  if (const auto* loop = op.builtin_options_as_WhileOptions())
    return GraphOptions{{loop->cond_subgraph_index(), loop->body_subgraph_index()}};
  if (const auto* call = op.builtin_options_as_CallOnceOptions())
    return GraphOptions{{call->init_subgraph_index(), -1}};
  if (const auto* handle = op.builtin_options_as_VarHandleOptions())
    return VariableOptions{Text(handle->container()) + "/" + Text(handle->shared_name())};
  return std::nullopt;
}

}  // namespace

OperatorOptions OptionsOf(const fb::Operator& op) {
  if (const auto recurrent = RecurrentOptionsOf(op)) return *recurrent;
  if (const auto control = ControlOptionsOf(op)) return *control;
  if (const auto* conv = op.builtin_options_as_Conv2DOptions()) return Dilated(*conv);
  if (const auto* conv = op.builtin_options_as_DepthwiseConv2DOptions()) return Dilated(*conv);
  if (const auto* pool = op.builtin_options_as_Pool2DOptions()) {
    WindowOptions options = Strided(*pool);
    options.kernel[0] = pool->filter_height();
    options.kernel[1] = pool->filter_width();
    return options;
  }
  if (const auto* dense = op.builtin_options_as_FullyConnectedOptions())
    return DenseOptions{ActivationOf(dense->fused_activation_function()), dense->keep_num_dims(),
                        dense->weights_format() != fb::FullyConnectedOptionsWeightsFormat_DEFAULT,
                        dense->asymmetric_quantize_inputs()};
  if (const auto* softmax = op.builtin_options_as_SoftmaxOptions()) return SoftmaxOptions{softmax->beta()};
  if (const auto* add = op.builtin_options_as_AddOptions())
    return ElementwiseOptions{ActivationOf(add->fused_activation_function()), add->pot_scale_int16()};
  if (const auto* sub = op.builtin_options_as_SubOptions())
    return ElementwiseOptions{ActivationOf(sub->fused_activation_function()), sub->pot_scale_int16()};
  if (const auto* mul = op.builtin_options_as_MulOptions())
    return ElementwiseOptions{ActivationOf(mul->fused_activation_function())};
  if (const auto* div = op.builtin_options_as_DivOptions())
    return ElementwiseOptions{ActivationOf(div->fused_activation_function())};
  if (const auto* norm = op.builtin_options_as_L2NormOptions())
    return ElementwiseOptions{ActivationOf(norm->fused_activation_function())};
  if (const auto* concat = op.builtin_options_as_ConcatenationOptions())
    return ConcatOptions{concat->axis(), ActivationOf(concat->fused_activation_function())};
  if (const auto* conv = op.builtin_options_as_TransposeConvOptions()) return Strided(*conv);
  if (const auto* conv = op.builtin_options_as_Conv3DOptions())
    return VolumeOptions{conv->padding() == fb::Padding_SAME,
                         {conv->stride_d(), conv->stride_h(), conv->stride_w()},
                         {conv->dilation_d_factor(), conv->dilation_h_factor(), conv->dilation_w_factor()},
                         ActivationOf(conv->fused_activation_function())};
  if (const auto* resize = op.builtin_options_as_ResizeBilinearOptions())
    return ResizeOptions{resize->align_corners(), resize->half_pixel_centers()};
  if (const auto* resize = op.builtin_options_as_ResizeNearestNeighborOptions())
    return ResizeOptions{resize->align_corners(), resize->half_pixel_centers()};
  if (const auto* reduce = op.builtin_options_as_ReducerOptions()) return ReduceOptions{reduce->keep_dims()};
  return RearrangingOptions(op);
}

}  // namespace cosim::import::tflite
