// SPDX-License-Identifier: Apache-2.0
// Host operators that reduce, normalize, resize and move, as kernels, against their references.
#include <limits>

#include "compiler/host/index.h"
#include "compiler/host/linear.h"
#include "compiler/host/movement.h"
#include "compiler/host/reduce.h"
#include "compiler/host/resize.h"
#include "tests/ops/testing.h"

namespace cosim::ops {
namespace {

TEST(HostReductions, ReduceAnyDimensions) {
  Randoms random(21);
  const std::vector<std::vector<int64_t>> axes_lists = {{}, {0}, {1}, {-1}, {0, 2}, {1, 2}};
  using host::Reduction;
  for (const auto op :
       {Reduction::kSum, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kProduct,
        Reduction::kL1, Reduction::kL2, Reduction::kLogSum, Reduction::kLogSumExp, Reduction::kSumSquare})
    for (const bool keep : {false, true})
      for (const std::vector<int64_t>& axes : axes_lists)
        ExpectReference(host::Reduce("reduce", op, axes, keep, false), {Reals(random, {3, 4, 5}, 0.5, 1.5)});
  // Rows that are reduced in lanes, with and without a rest.
  for (const auto op : {Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kLogSumExp})
    for (const bool keep : {false, true})
      for (const int64_t row : {64, 77})
        for (const std::vector<int64_t>& axes : {std::vector<int64_t>{-1}, {0, 2}, {}}) {
          ExpectReference(host::Reduce("reduce", op, axes, keep, false), {Reals(random, {3, 2, row}, -2, 2)});
          if (op != Reduction::kLogSumExp)
            ExpectReference(host::Reduce("reduce", op, axes, keep, false),
                            {Numbers(random, DType::kInt32, {3, 2, row}, -99, 99)});
        }
  for (const auto op :
       {Reduction::kSum, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kProduct})
    for (const DType type : {DType::kInt8, DType::kInt32, DType::kInt64, DType::kUint8})
      ExpectReference(host::Reduce("reduce", op, {1}, false, false),
                      {Numbers(random, type, {3, 4, 5}, 0, 9)});
  ExpectReference(host::Reduce("sum", Reduction::kSum, {}, true, false),
                  {Reals(random, {2, 3, 4}), Integers({1})});
}

// A scalar has no dimensions to reduce, and an empty list of axes may ask for none of many: each element by
// itself.
TEST(HostReductions, ReduceScalarsAndNothing) {
  Randoms random(24);
  using host::Reduction;
  for (const auto op :
       {Reduction::kSum, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kProduct,
        Reduction::kL1, Reduction::kL2, Reduction::kLogSum, Reduction::kLogSumExp, Reduction::kSumSquare})
    for (const bool keep : {false, true}) {
      for (const bool none_if_empty : {false, true})
        ExpectReference(host::Reduce("reduce", op, {}, keep, none_if_empty), {Reals(random, {}, 0.5, 1.5)});
      ExpectReference(host::Reduce("reduce", op, {}, keep, true), {Reals(random, {3, 40}, 0.5, 1.5)});
    }
  for (const auto op : {Reduction::kSum, Reduction::kMean, Reduction::kMin, Reduction::kSumSquare})
    ExpectReference(host::Reduce("reduce", op, {}, true, false),
                    {Numbers(random, DType::kInt32, {}, -99, 99)});
  ExpectReference(host::MeanVarianceNormalization({}), {Reals(random, {}, 1, 2)});
  ExpectReference(host::MeanVarianceNormalization({}), {Reals(random, {2, 40}, 1, 2)});
}

TEST(HostReductions, FindExtremes) {
  Randoms random(22);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const Tensor special(Shape{4, 3},
                       std::vector<float>{nan, 1, 2, 1, nan, 3, -infinity, -infinity, -infinity, 1, nan, 1});
  for (const bool largest : {false, true})
    for (const bool last : {false, true}) {
      ExpectReference(host::ArgExtreme(largest, 1, true, last),
                      {Numbers(random, DType::kInt32, {3, 9, 2}, -3, 3)});
      ExpectReference(host::ArgExtreme(largest, -1, false, last), {Reals(random, {3, 40})});
      ExpectReference(host::ArgExtreme(largest, 0, false, last), {Reals(random, {40})});
      ExpectReference(host::ArgExtreme(largest, 1, false, last), {special});
    }
}

TEST(HostReductions, Normalize) {
  Randoms random(23);
  for (const auto op : {host::Normalization::kSoftmax, host::Normalization::kLogSoftmax})
    for (const bool flatten : {false, true})
      for (const int64_t axis : {0, 1, -1})
        ExpectReference(host::Normalize("softmax", op, axis, flatten), {Reals(random, {2, 7, 5}, -9, 9)});
  ExpectReference(host::Normalize("softmax", host::Normalization::kSoftmax, -1, false, 1.5),
                  {Reals(random, {3, 20})});
  for (const auto op : {host::Normalization::kSoftmax, host::Normalization::kLogSoftmax})
    ExpectReference(host::Normalize("softmax", op, -1, false), {Reals(random, {2, 3, 131}, -90, 90)});
  ExpectReference(host::LayerNormalization(-1, 1e-3f),
                  {Reals(random, {2, 3, 131}), Reals(random, {131}), Reals(random, {131})});
  const Operand x = Reals(random, {2, 6, 4, 5}), c = Reals(random, {6}, 0.5, 2);
  ExpectReference(host::BatchNormalization(1e-3f), {x, c, c, c, c});
  ExpectReference(host::InstanceNormalization(1e-3f), {x, c, c});
  ExpectReference(host::LayerNormalization(2, 1e-3f), {x, Reals(random, {4, 5}), Reals(random, {5})});
  ExpectReference(host::LayerNormalization(-1, 1e-3f), {x, Reals(random, {5})});
  ExpectReference(host::MeanVarianceNormalization({0, 2, 3}), {x});
  for (const int64_t size : {1, 3, 4})
    ExpectReference(host::LocalResponseNormalization(size, 0.01f, 0.75f, 1), {x});
}

TEST(HostReductions, Resize) {
  Randoms random(24);
  using host::Coordinates;
  using host::Interpolation;
  for (const auto interpolation : {Interpolation::kNearest, Interpolation::kLinear, Interpolation::kCubic})
    for (const auto coordinates :
         {Coordinates::kHalfPixel, Coordinates::kAlignCorners, Coordinates::kAsymmetric})
      for (const bool outside : {false, true}) {
        const auto op = host::WithoutAbsent(
            host::Resize(
                {.interpolation = interpolation, .coordinates = coordinates, .exclude_outside = outside}),
            {true, false, false, true});
        ExpectReference(op, {Reals(random, {1, 2, 5, 6}), Integers({1, 2, 9, 4})});
        ExpectReference(op,
                        {Numbers(random, DType::kUint8, {1, 2, 5, 6}, 100, 150), Integers({1, 2, 3, 13})});
      }
  const auto crop = host::Resize({.interpolation = Interpolation::kLinear,
                                  .coordinates = Coordinates::kTfCropAndResize,
                                  .extrapolation = 10});
  ExpectReference(host::WithoutAbsent(crop, {true, true, false, true}),
                  {Reals(random, {1, 1, 4, 4}),
                   Constant(Tensor(Shape{8}, std::vector<float>{0, 0, 0.4f, 0.6f, 1, 1, 1.2f, 1.7f})),
                   Integers({1, 1, 3, 3})});
}

TEST(HostMoves, MoveElementsOfAnyType) {
  Randoms random(25);
  for (const DType type : {DType::kFloat32, DType::kInt8, DType::kInt64, DType::kBool, DType::kFloat64}) {
    const Operand x = Numbers(random, type, {2, 3, 4, 6}, 0, 1);
    ExpectReference(host::Transpose({0, 3, 1, 2}), {x});
    ExpectReference(host::Transpose({}), {x});
    ExpectReference(host::ReshapeTo({8, 3, 6}), {x});
    ExpectReference(host::ReshapeTo({144}), {x});
    ExpectReference(host::FlattenAt(2), {x});
    ExpectReference(host::Unsqueeze({0, 3}), {x});
    ExpectReference(host::Identity(), {x});
    ExpectReference(host::Concat(2), {x, Numbers(random, type, {2, 3, 1, 6}, 0, 1), x});
    for (const int32_t part : {0, 1, 2}) ExpectReference(host::Split(-1, {1, 3, 2}, 3), {x}, part);
    ExpectReference(host::Slice(),
                    {x, Integers({-1, 1}), Integers({-100, 3}), Integers({3, 2}), Integers({-2, 1})});
    ExpectReference(host::Expand(), {Numbers(random, type, {3, 1}, 0, 1), Integers({2, 3, 5})});
    ExpectReference(host::Tile(), {x, Integers({1, 2, 1, 3})});
    for (const auto mode : {host::PadMode::kConstant, host::PadMode::kReflect, host::PadMode::kEdge})
      ExpectReference(host::Pad(mode), {x, Integers({0, 1, 3, -1, 0, 0, 2, 5})});
    ExpectReference(host::Pad(host::PadMode::kConstant),
                    {x, Integers({0, 1, 0, 0, 0, 0, 2, 0}), Numbers(random, type, {}, 1, 1)});
    ExpectReference(host::Triangle(true), {x});
    ExpectReference(host::Triangle(false), {x, Tensor(Shape{}, std::vector<int64_t>{1})});
    ExpectReference(host::SpaceToDepth(2), {x});
    ExpectReference(host::ReverseSequence(0, 1), {x, Integers({2, 3})});
  }
  for (const bool columns : {false, true})
    ExpectReference(host::DepthToSpace(2, columns), {Reals(random, {2, 8, 3, 2})});
}

TEST(HostMoves, GatherByIndices) {
  Randoms random(26);
  const Operand x = Reals(random, {5, 4, 6});
  ExpectReference(host::Gather(1), {x, Integers({3, 0, -1, 2, 9})});
  ExpectReference(host::Gather(0), {x, Numbers(random, DType::kInt32, {2, 3}, -5, 4)});
  ExpectReference(host::Gather(2), {x, Tensor(Shape{}, std::vector<int64_t>{-2})});
  ExpectReference(host::GatherElements(1), {x, Numbers(random, DType::kInt64, {5, 2, 6}, -4, 3)});
  ExpectReference(host::GatherNd(0), {x, Numbers(random, DType::kInt64, {7, 2}, 0, 3)});
  ExpectReference(host::GatherNd(1), {x, Numbers(random, DType::kInt64, {5, 3, 1}, -4, 3)});
}

}  // namespace
}  // namespace cosim::ops
