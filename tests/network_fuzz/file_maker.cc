// SPDX-License-Identifier: Apache-2.0
// Values of a random file: finding one that suits an operator, making one where there is none, and what may
// be computed of it. Floats that the network and the golden model may round differently do not decide
// anything.
#include "tests/network_fuzz/file_maker.h"

#include <algorithm>
#include <cmath>

namespace cosim::testing {
namespace {

/// Operators whose floats are the same to the bit whatever computes them.
bool IsExactOp(const std::string& op) {
  static const std::set<std::string> names = {"ABS",
                                              "ADD",
                                              "BATCH_TO_SPACE_ND",
                                              "BROADCAST_TO",
                                              "CAST",
                                              "CEIL",
                                              "CONCATENATION",
                                              "DEPTH_TO_SPACE",
                                              "DEQUANTIZE",
                                              "EXPAND_DIMS",
                                              "FLOOR",
                                              "DYNAMIC_UPDATE_SLICE",
                                              "FILL",
                                              "GATHER",
                                              "GATHER_ND",
                                              "EMBEDDING_LOOKUP",
                                              "MAXIMUM",
                                              "MAX_POOL_2D",
                                              "MINIMUM",
                                              "MIRROR_PAD",
                                              "MUL",
                                              "NEG",
                                              "ONE_HOT",
                                              "PACK",
                                              "PAD",
                                              "PADV2",
                                              "REDUCE_MAX",
                                              "REDUCE_MIN",
                                              "RELU",
                                              "RELU6",
                                              "RELU_0_TO_1",
                                              "RELU_N1_TO_1",
                                              "RESHAPE",
                                              "ROUND",
                                              "REVERSE_SEQUENCE",
                                              "RESIZE_NEAREST_NEIGHBOR",
                                              "REVERSE_V2",
                                              "SCATTER_ND",
                                              "SELECT",
                                              "SELECT_V2",
                                              "SIGN",
                                              "SLICE",
                                              "SPACE_TO_BATCH_ND",
                                              "SPACE_TO_DEPTH",
                                              "SPLIT",
                                              "SPLIT_V",
                                              "SPARSE_TO_DENSE",
                                              "SQUEEZE",
                                              "SUB",
                                              "TILE",
                                              "STRIDED_SLICE",
                                              "TOPK_V2",
                                              "TRANSPOSE",
                                              "UNPACK",
                                              "ZEROS_LIKE",
                                              "READ_VARIABLE",
                                              "IF",
                                              "WHILE",
                                              "IMAG",
                                              "REAL"};
  return names.contains(op);
}

/// Of these a result may be infinite, no number, or the largest number (of a segment without elements).
bool IsWildOp(const std::string& op) {
  static const std::set<std::string> names = {"BITCAST",
                                              "DIV",
                                              "EXP",
                                              "FLOOR_DIV",
                                              "FLOOR_MOD",
                                              "LOG",
                                              "POW",
                                              "REDUCE_PROD",
                                              "RSQRT",
                                              "SQUARE",
                                              "UNSORTED_SEGMENT_MAX",
                                              "UNSORTED_SEGMENT_MIN",
                                              "SQRT"};
  return names.contains(op);
}

bool IsFloatType(DType type) { return type == DType::kFloat32; }

}  // namespace

FileMaker::FileMaker(uint64_t seed, DType type) : random_(seed), type_(type) {
  file_.name = "random.tflite";
  TensorInfo input = Scaled(type, {Pick(1, 2), Pick(2, 12), Pick(2, 12), Pick(1, 20)});
  input.name = "image";
  const int tensor = Add(input);
  file_.inputs.push_back(tensor);
  values_.push_back({tensor});
  DrawConvolution(*this, tensor);
}

FileMaker::FileMaker(uint64_t seed, DType type, std::vector<TensorInfo> inputs) : random_(seed), type_(type) {
  file_.name = "random.tflite";
  for (TensorInfo& info : inputs) {
    file_.inputs.push_back(Add(std::move(info)));
    values_.push_back({file_.inputs.back()});
  }
}

void FileMaker::Step(uint64_t number) {
  random_ = graph::zoo::Random(number);
  static constexpr std::span<const FileStep> (*kTables[])() = {
      ProductSteps, ElementwiseSteps, MovementSteps, ReductionSteps, StructureSteps, StateSteps};
  static const std::vector<FileStep> all = [] {
    std::vector<FileStep> list;
    for (const auto table : kTables) list.insert(list.end(), table().begin(), table().end());
    return list;
  }();
  const FileStep& step = OneOf(all);
  const int made = step.draw(*this, step.op);
  if (made < 0 || Chance(3)) return;
  const int back = Back(made);
  if (back >= 0) DrawConvolution(*this, OfRank(back, 4));
}

tflite::File FileMaker::Finish() {
  std::set<int> read;
  for (const auto& op : file_.operators) read.insert(op.inputs.begin(), op.inputs.end());
  for (const Value& value : values_)
    if (!read.contains(value.tensor)) file_.outputs.push_back(value.tensor);
  return std::move(file_);
}

tflite::File FileMaker::FinishWith(std::vector<int> outputs) {
  file_.outputs = std::move(outputs);
  return std::move(file_);
}

const FileMaker::Value* FileMaker::ValueOf(int tensor) const {
  const auto at = std::ranges::find(values_, tensor, &Value::tensor);
  return at == values_.end() ? nullptr : &*at;
}

/// Mostly the newest of those that suit, so that networks get deep.
template <typename F>
int FileMaker::Newest(F&& fits) {
  std::vector<int> list;
  for (const Value& value : values_)
    if (fits(value)) list.push_back(value.tensor);
  if (list.empty()) return kNone;
  return Chance(3) ? OneOf(list) : list.back();
}

int FileMaker::Quantized() {
  return Newest([&](const Value& v) { return TypeOf(v.tensor) == type_ && IsQuantized(v.tensor); });
}

int FileMaker::Among(const std::vector<DType>& types) {
  const int x = Quantized();
  if (std::ranges::count(types, type_) > 0) return x;
  return Emit("QUANTIZE", {x}, Scaled(OneOf(types), ShapeOf(x)));
}

int FileMaker::Image() { return OfRank(Quantized(), 4); }

int FileMaker::Real() {
  // What overflows in float32 need not where sums are kept in float64.
  const int x = Newest([&](const Value& v) { return IsFloatType(TypeOf(v.tensor)) && !v.wild; });
  return x >= 0 && Chance(2) ? x : ExactReal();
}

int FileMaker::ExactReal() {
  const int x = Newest([&](const Value& v) { return IsFloatType(TypeOf(v.tensor)) && v.exact && !v.wild; });
  if (x >= 0 && Chance(2)) return x;
  const int q = Quantized();
  return Emit("DEQUANTIZE", {q}, Plain(DType::kFloat32, ShapeOf(q)));
}

int FileMaker::Integer() {
  const int x =
      Newest([&](const Value& v) { return TypeOf(v.tensor) == DType::kInt32 && !IsQuantized(v.tensor); });
  if (x >= 0 && Chance(2)) return x;
  const int q = Quantized();
  return Emit("CAST", {q}, Plain(DType::kInt32, ShapeOf(q)));
}

int FileMaker::Truth() {
  const int x = Newest([&](const Value& v) { return TypeOf(v.tensor) == DType::kBool; });
  if (x >= 0 && Chance(2)) return x;
  const int q = Quantized();
  return Emit("GREATER", {q, Beside(q)}, Plain(DType::kBool, ShapeOf(q)));
}

int FileMaker::Any(const std::string& of) {
  switch (of[static_cast<size_t>(Pick(0, std::ssize(of) - 1))]) {
    case 'f':
      return Real();
    case 'i':
      return Integer();
    case 'b':
      return Truth();
    case '8':
      return Among({DType::kInt8, DType::kUint8});
    default:
      return Quantized();
  }
}

int FileMaker::AnyExact(const std::string& of) {
  const int x = Any(of);
  return x >= 0 && IsFloatType(TypeOf(x)) ? ExactReal() : x;
}

int FileMaker::InShape(int x, Shape shape) {
  if (x < 0 || ShapeOf(x) == shape) return x;
  std::vector<int32_t> list(shape.begin(), shape.end());
  std::vector<int> operands = {x};
  if (Chance(2)) operands.push_back(List(list));
  return Emit("RESHAPE", operands, Like(x, std::move(shape)));
}

int FileMaker::OfRank(int x, size_t rank) {
  if (x < 0) return kNone;
  Shape shape = ShapeOf(x);
  while (shape.size() < rank) shape.insert(shape.begin() + (shape.empty() ? 0 : 1), 1);
  while (shape.size() > rank) {
    const auto at = static_cast<size_t>(Pick(0, std::ssize(shape) - 2));
    shape[at] *= shape[at + 1];
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return InShape(x, shape);
}

int FileMaker::Beside(int x, bool same) {
  if (x < 0) return kNone;
  const bool exact = ValueOf(x) == nullptr || ValueOf(x)->exact;
  if (Chance(2) || same) {
    const int y = Newest([&](const Value& v) {
      return TypeOf(v.tensor) == TypeOf(x) && ShapeOf(v.tensor) == ShapeOf(x) &&
             IsQuantized(v.tensor) == IsQuantized(x) && (v.exact || !exact) && !v.wild;
    });
    return y >= 0 ? y : x;
  }
  Shape shape = ShapeOf(x);
  shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(Pick(0, std::ssize(shape))));
  for (int64_t& extent : shape)
    if (Chance(3)) extent = 1;
  return Constant(NewLike(x, shape));
}

int FileMaker::Back(int x) {
  if (x < 0) return kNone;
  const Value* value = ValueOf(x);
  const DType type = TypeOf(x);
  if (type == type_ && IsQuantized(x)) return x;
  if (value && (value->wild || (!value->exact && !Chance(6)))) return kNone;
  if (IsQuantized(x)) return Emit("QUANTIZE", {x}, Scaled(type_, ShapeOf(x)));
  if (type == DType::kFloat32) return Emit("QUANTIZE", {x}, Scaled(type_, ShapeOf(x)));
  const int real = Emit("CAST", {x}, Plain(DType::kFloat32, ShapeOf(x)));
  return real < 0 ? kNone : Emit("QUANTIZE", {real}, Scaled(type_, ShapeOf(x)));
}

TensorInfo FileMaker::Plain(DType dtype, Shape shape) const {
  return {.name = "", .dtype = dtype, .shape = std::move(shape)};
}

// No power of two, under which additions of int16 have another arithmetic, and below 1.
TensorInfo FileMaker::Scaled(DType dtype, Shape shape) {
  const float scale = std::ldexp(static_cast<float>(Pick(65, 127)), -7 - static_cast<int>(Pick(0, 7)));
  return Scaled(dtype, std::move(shape), scale, Chance(2) ? 0 : static_cast<int32_t>(Pick(-128, 127)));
}

TensorInfo FileMaker::Scaled(DType dtype, Shape shape, float scale, int32_t zero_point) const {
  TensorInfo info = Plain(dtype, std::move(shape));
  info.scales = {scale};
  info.zero_points = {dtype == DType::kInt8 ? zero_point : dtype == DType::kUint8 ? zero_point + 128 : 0};
  return info;
}

TensorInfo FileMaker::Like(int x, Shape shape) const {
  if (x < 0) return Plain(DType::kInt8, std::move(shape));
  TensorInfo info = Plain(TypeOf(x), std::move(shape));
  info.scales = Info(x).scales;
  info.zero_points = Info(x).zero_points;
  return info;
}

TensorInfo FileMaker::NewLike(int x, Shape shape) {
  return x >= 0 && IsQuantized(x) ? Scaled(TypeOf(x), std::move(shape)) : Like(x, std::move(shape));
}

int FileMaker::Add(TensorInfo info) {
  file_.tensors.push_back(std::move(info));
  return static_cast<int>(std::ssize(file_.tensors)) - 1;
}

int FileMaker::Constant(TensorInfo info) {
  graph::Tensor data({info.dtype, info.shape});
  if (info.dtype == DType::kFloat32) {
    for (float& v : data.mutable_data<float>()) v = static_cast<float>(Pick(-512, 512)) / 128;
  } else if (info.dtype == DType::kInt32 && info.scales.empty()) {
    for (int32_t& v : data.mutable_data<int32_t>()) v = static_cast<int32_t>(Pick(-300, 300));
  } else {
    for (uint8_t& v : data.mutable_bytes())
      v = static_cast<uint8_t>(Pick(0, info.dtype == DType::kBool ? 1 : 255));
  }
  info.data = std::make_shared<const graph::Tensor>(std::move(data));
  return Add(std::move(info));
}

int FileMaker::List(std::vector<int32_t> list) {
  TensorInfo info = Plain(DType::kInt32, {std::ssize(list)});
  info.data = std::make_shared<const graph::Tensor>(info.shape, std::move(list));
  return Add(std::move(info));
}

int FileMaker::Scalar(int32_t value) {
  TensorInfo info = Plain(DType::kInt32, {});
  info.data = std::make_shared<const graph::Tensor>(info.shape, std::vector<int32_t>{value});
  return Add(std::move(info));
}

int FileMaker::Number(float value) {
  TensorInfo info = Plain(DType::kFloat32, {});
  info.data = std::make_shared<const graph::Tensor>(info.shape, std::vector<float>{value});
  return Add(std::move(info));
}

int FileMaker::Emit(const std::string& op, std::vector<int> inputs, TensorInfo result,
                    tflite::OperatorOptions options) {
  const auto made = EmitAll(op, std::move(inputs), {std::move(result)}, std::move(options));
  return made.empty() ? kNone : made[0];
}

std::vector<int> FileMaker::EmitAll(const std::string& op, std::vector<int> inputs,
                                    std::vector<TensorInfo> results, tflite::OperatorOptions options) {
  bool exact = IsExactOp(op), wild = IsWildOp(op), floats = false, rounded = false;
  for (int input : inputs) {
    if (input == kNone) return {};
    const Value* value = input < 0 ? nullptr : ValueOf(input);
    if (!value) continue;
    floats |= IsFloatType(TypeOf(input));
    rounded |= !value->exact;
    wild |= value->wild;
  }
  for (const TensorInfo& result : results) {
    const int64_t size = graph::NumElements(result.shape);
    if (size > kMostElements || size < 1) return {};
    floats |= IsFloatType(result.dtype);
  }
  tflite::OperatorInfo info{.name = op, .inputs = std::move(inputs), .options = std::move(options)};
  for (TensorInfo& result : results) {
    const bool real = IsFloatType(result.dtype), whole = !real && !rounded && !wild;
    const int tensor = Add(std::move(result));
    info.outputs.push_back(tensor);
    if (Info(tensor).complex || Info(tensor).resource) continue;
    values_.push_back({tensor, whole || (!rounded && (exact || !floats)), wild && real});
  }
  file_.operators.push_back(std::move(info));
  return file_.operators.back().outputs;
}

int FileMaker::AddGraph(tflite::File graph) {
  file_.others.push_back(std::move(graph));
  return static_cast<int>(std::ssize(file_.others));
}

}  // namespace cosim::testing
