// SPDX-License-Identifier: Apache-2.0
// A random TensorFlow Lite file, made operator by operator: what the functions that draw operators share.
// Which operators they draw is said by their tables; random_file.h has what comes of it.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/zoo/random.h"
#include "compiler/import/tflite/reader.h"

namespace cosim::testing {

namespace tflite = import::tflite;
using graph::DType;
using graph::Shape;
using tflite::TensorInfo;

/// Tensors are numbers in the file. kNone is what a step gives that came to nothing, and what every step on
/// it gives; kAbsent is an optional operand that is not there.
class FileMaker {
 public:
  static constexpr int kAbsent = -1, kNone = -2;
  static constexpr int64_t kMostElements = 3000;  ///< of a value

  /// Values are mostly of `type`: int8, uint8 or int16.
  FileMaker(uint64_t seed, DType type);
  /// A graph that others call, which takes these, tensors 0 and following.
  FileMaker(uint64_t seed, DType type, std::vector<TensorInfo> inputs);

  /// One operator, or a few, and often a convolution behind it.
  void Step(uint64_t number);

  /// The file. Values that nothing reads are its outputs.
  tflite::File Finish();
  /// The same with these outputs.
  tflite::File FinishWith(std::vector<int> outputs);

  int64_t Pick(int64_t low, int64_t high) { return low + random_.Below(high - low + 1); }
  bool Chance(int64_t in) { return Pick(1, in) == 1; }
  template <typename T>
  const T& OneOf(const std::vector<T>& list) {
    return list[static_cast<size_t>(Pick(0, std::ssize(list) - 1))];
  }

  DType type() const { return type_; }
  const TensorInfo& Info(int tensor) const { return file_.tensors[static_cast<size_t>(tensor)]; }
  const Shape& ShapeOf(int tensor) const { return Info(tensor).shape; }
  DType TypeOf(int tensor) const { return Info(tensor).dtype; }
  bool IsQuantized(int tensor) const { return Info(tensor).scales.size() == 1; }

  // Values that there are, or made of such.
  int Quantized();                             ///< of type()
  int Among(const std::vector<DType>& types);  ///< quantized, of one of these types
  int Image();                                 ///< of type(), with 4 dimensions
  int Real();                                  ///< float32
  int ExactReal();  ///< float32, of which every bit is known: what jumps may be computed of it
  int Integer();    ///< int32
  int Truth();      ///< bool
  /// Quantized, float32 or int32, as `of` says ("qfi"; b, 8: bool, quantized int8 or uint8).
  int Any(const std::string& of);
  /// The same with the exactness that comparisons need.
  int AnyExact(const std::string& of);
  /// The value, or one made of it, in another shape.
  int InShape(int x, Shape shape);
  /// Of the rank, by joining or adding dimensions.
  int OfRank(int x, size_t rank);
  /// A second operand: another value of the type, or a constant that broadcasts to `x`; `same`: of its shape.
  int Beside(int x, bool same = false);
  /// A value as one of type(): kNone where that is not to be had exactly enough.
  int Back(int x);

  // Tensors without a value.
  TensorInfo Plain(DType dtype, Shape shape) const;
  /// Of a quantized type, with a random scale and zero point.
  TensorInfo Scaled(DType dtype, Shape shape);
  /// Of a quantized type; `zero_point` as of int8.
  TensorInfo Scaled(DType dtype, Shape shape, float scale, int32_t zero_point) const;
  /// As that of `x`, in another shape.
  TensorInfo Like(int x, Shape shape) const;
  /// As that of `x`, its scale drawn anew where it has one.
  TensorInfo NewLike(int x, Shape shape);

  int Add(TensorInfo info);
  int Constant(TensorInfo info);  ///< of random elements
  int List(std::vector<int32_t> list);
  int Scalar(int32_t value);
  int Number(float value);

  /// An operator of one result, which becomes a value; kNone where an operand is or the result is too large.
  int Emit(const std::string& op, std::vector<int> inputs, TensorInfo result,
           tflite::OperatorOptions options = tflite::NoOptions{});
  /// Of several.
  std::vector<int> EmitAll(const std::string& op, std::vector<int> inputs, std::vector<TensorInfo> results,
                           tflite::OperatorOptions options = tflite::NoOptions{});
  /// The newest operator.
  tflite::OperatorInfo& Last() { return file_.operators.back(); }
  uint64_t Bits() { return random_.Bits(); }
  /// A graph that others call: which it is.
  int AddGraph(tflite::File graph);

  int64_t Size(int tensor) const { return graph::NumElements(ShapeOf(tensor)); }

 private:
  struct Value {
    int tensor = 0;
    bool exact = true;  ///< floats: the same to the bit however they are computed; else: of such alone
    bool wild = false;  ///< floats that may be no numbers
  };
  const Value* ValueOf(int tensor) const;
  template <typename F>
  int Newest(F&& fits);

  graph::zoo::Random random_;
  DType type_;
  tflite::File file_;
  std::vector<Value> values_;
};

/// How an operator is drawn: one of several names may share a function. The value to go on with, or kNone.
struct FileStep {
  const char* op;
  int (*draw)(FileMaker& maker, const std::string& op);
};
std::span<const FileStep> ProductSteps();      ///< convolutions, matrices, pools
std::span<const FileStep> ElementwiseSteps();  ///< arithmetic, functions, comparisons, choices
std::span<const FileStep> MovementSteps();     ///< what only moves elements, resizing
std::span<const FileStep> ReductionSteps();    ///< reductions, rows, places, segments
std::span<const FileStep> StructureSteps();    ///< shapes, graphs, variables, detections, spectra
std::span<const FileStep> StateSteps();        ///< layers with a state

/// A convolution of one pixel of `x`, quantized with 4 dimensions, to `y`, which has as many pixels.
int DrawPointConvolution(FileMaker& maker, int x, const TensorInfo& y);
/// A convolution of `x`, a value of type() with 4 dimensions, that an accelerator can run.
int DrawConvolution(FileMaker& maker, int x);

}  // namespace cosim::testing
