// SPDX-License-Identifier: Apache-2.0
// A TensorFlow Lite file as plain structures, checked: every index leads somewhere, constants have the size
// of their shape, operands are computed before they are read. Only this and options.h see FlatBuffers;
// what operators mean is tflite/build.cc's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/tensor.h"
#include "isa/diagnostics.h"

namespace cosim::import::tflite {

enum class Activation { kNone, kRelu, kRelu0To1, kReluN1To1, kRelu6, kOther };

struct WindowOptions {  ///< convolutions, transposed ones, and pools
  bool same_padding = false;
  int64_t stride[2] = {1, 1}, dilation[2] = {1, 1}, kernel[2] = {1, 1};  ///< vertical, horizontal
  Activation activation = Activation::kNone;
};
struct DenseOptions {
  Activation activation = Activation::kNone;
  bool keep_dimensions = false, shuffled = false;
  bool asymmetric = false;  ///< float values that meet integer weights may have a zero point
};
struct SoftmaxOptions {
  float beta = 1;
};
struct ElementwiseOptions {  ///< ADD, SUB, MUL, DIV, L2_NORMALIZATION
  Activation activation = Activation::kNone;
  bool powers_of_two = true;  ///< ADD, SUB: int16 may use an arithmetic for scales that are powers of two
};
struct ConcatOptions {
  int64_t axis = 0;
  Activation activation = Activation::kNone;
};
struct ReduceOptions {
  bool keep_dimensions = false;
};
struct SliceOptions {  ///< STRIDED_SLICE: bits of dimensions
  uint32_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  bool offset = false;  ///< ends are lengths
};
struct AxisOptions {  ///< GATHER, ONE_HOT, PACK, UNPACK; REVERSE_SEQUENCE: of steps, and of sequences
  int64_t axis = 0, batch = 0;
};
struct LocalResponseOptions {
  int64_t radius = 0;
  float bias = 0, alpha = 0, beta = 0;
};
struct BlockOptions {  ///< DEPTH_TO_SPACE, SPACE_TO_DEPTH
  int64_t block = 0;
};
struct LeakyOptions {
  float alpha = 0;
};
struct MirrorOptions {
  bool symmetric = false;  ///< the border is repeated too
};
struct ProductOptions {  ///< BATCH_MATMUL
  bool transpose_a = false, transpose_b = false;
  bool asymmetric = false;  ///< as of DenseOptions
};
struct CumulativeOptions {
  bool exclusive = false, reverse = false;
};
struct GeluOptions {
  bool approximate = false;
};
struct ResizeOptions {
  bool align_corners = false, half_pixel_centers = false;
};
struct VolumeOptions {  ///< CONV_3D
  bool same_padding = false;
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};  ///< depth, vertical, horizontal
  Activation activation = Activation::kNone;
};
struct GraphOptions {  ///< IF: what holds, what does not; WHILE: condition, body; CALL_ONCE
  int graphs[2] = {-1, -1};
};
struct VariableOptions {  ///< VAR_HANDLE
  std::string name;
};
struct RecurrentOptions {  ///< LSTM, RNN, SVDF and their kin
  Activation activation = Activation::kNone;
  bool tanh = false;  ///< the activation is that, which is no Activation
  float cell_clip = 0, projection_clip = 0;
  bool time_major = false, basic = false, diagonal = false;
  bool asymmetric = false;  ///< as of DenseOptions
  int rank = 0;             ///< SVDF
  bool merged = false;      ///< both directions in one result
};
struct FakeQuantOptions {
  float min = 0, max = 0;
  int64_t bits = 0;
  bool narrow = false;  ///< the least integer is left out
};
struct BucketOptions {
  std::vector<float> bounds;
};
struct NoOptions {};

using OperatorOptions =
    std::variant<NoOptions, WindowOptions, DenseOptions, SoftmaxOptions, ElementwiseOptions, ConcatOptions,
                 ReduceOptions, SliceOptions, AxisOptions, BlockOptions, LeakyOptions, MirrorOptions,
                 ProductOptions, CumulativeOptions, GeluOptions, ResizeOptions, VolumeOptions, GraphOptions,
                 VariableOptions, RecurrentOptions, LocalResponseOptions, FakeQuantOptions, BucketOptions>;

struct TensorInfo {
  std::string name;
  graph::DType dtype = graph::DType::kFloat32;
  std::string type_in_file;  ///< "complex64"; empty: that of dtype
  graph::Shape shape;
  std::vector<float> scales;         ///< empty: not quantized
  std::vector<int32_t> zero_points;  ///< as many as scales
  int axis = 0;                      ///< of more than one scale
  graph::TensorPtr data;             ///< constants
  std::string unusable;              ///< why nothing can be computed with it; empty if it can
  bool variable = false;             ///< keeps its value from one run to the next
  bool complex = false;              ///< complex64, which few operators take; unusable to all others
  bool resource = false;             ///< a handle of a variable, not a value
};

/// The type of its elements in the file, as messages have it.
inline std::string_view TypeName(const TensorInfo& info) {
  return info.type_in_file.empty() ? graph::Name(info.dtype) : std::string_view(info.type_in_file);
}

struct OperatorInfo {
  std::string name;                  ///< "CONV_2D", or the custom operator's own
  std::vector<int> inputs, outputs;  ///< tensors; -1 is an absent input
  OperatorOptions options;
  int version = 1;
  bool custom = false;
  /// Options of a custom operator that are numbers; nothing when they cannot be read.
  std::optional<std::map<std::string, double>> custom_options;
};

struct File {
  std::string name;
  std::vector<TensorInfo> tensors;
  std::vector<OperatorInfo> operators;  ///< in an order in which they can run
  std::vector<int> inputs, outputs;
  std::vector<File> others;  ///< of the first graph: those behind it, without others of their own
};

/// Largest number of elements of one tensor.
inline constexpr int64_t kMostElements = int64_t{1} << 30;

/// Whether a tensor of this type may have it: bytes are asymmetric in this format, and int32
/// that QUANTIZE makes or reads.
bool IsZeroPoint(int64_t value, graph::DType type);

std::optional<File> Read(std::span<const uint8_t> bytes, const std::string& name, Diagnostics& diagnostics);

}  // namespace cosim::import::tflite
