// SPDX-License-Identifier: Apache-2.0
// Products of matrices in register tiles, by constants and of two computed ones: the loops for every
// processor that schedules know by the interpreter, and machine code, against the operators' references.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/golden/tolerance.h"
#include "compiler/graph/print.h"
#include "compiler/host/elementwise.h"
#include "compiler/host/linear.h"
#include "compiler/host/spatial.h"
#include "compiler/tir/interpreter.h"
#include "tests/cpu/graph_testing.h"

namespace cosim::cpu {
namespace {

using graph::Graph;
using graph::HostOperatorPtr;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using schedules::CpuTarget;

constexpr CpuTarget kProcessors[] = {
    {.vector_bits = 128, .vector_registers = 16},
    {.vector_bits = 256, .vector_registers = 16},
    {.vector_bits = 512, .vector_registers = 32},
};

Tensor Fractions(Randoms& random, const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(graph::NumElements(shape)));
  for (float& value : values) value = static_cast<float>(random.Between(-(1 << 20), 1 << 20)) / (1 << 19);
  return {shape, std::move(values)};
}

/// An operator of two operands, and what is added to it element by element in the same group.
class OperatorCase {
 public:
  OperatorCase(HostOperatorPtr op, const Shape& a, const Shape& b, bool constant, const Shape& added,
               uint64_t seed)
      : random_(seed) {
    const ValueId x = AddInput("a", a);
    const ValueId y = constant ? graph_.AddConstant("b", Fractions(random_, b)) : AddInput("b", b);
    ValueId last = Add(std::move(op), {x, y});
    group_ = {last};
    if (added.empty()) return;
    const ValueId bias = graph_.AddConstant("bias", Fractions(random_, added));
    group_.push_back(Add(host::Binary("add", host::Arithmetic::kAdd), {last, bias}));
  }

  bool IsTiled(const CpuTarget& target) const {
    return tir::ToString(LowerForCpu(graph_, HostGroup{group_}, target).function).find("tensorized") !=
           std::string::npos;
  }

  void ExpectReference() {
    const ValueId id = group_.back();
    graph_.SetOutputs({id});
    const auto values = golden::Run(graph_, inputs_);
    const golden::Tolerance tolerance = golden::TolerancesOf(graph_).back();
    const auto check = [&](const Tensor& result, const std::string& how) {
      EXPECT_EQ(golden::CountMismatches(result.dtype(), tolerance, result.bytes(), values[id]->bytes()), 0)
          << how << "\n"
          << graph::Print(graph_);
    };
    for (const CpuTarget& target : kProcessors)
      check(Interpret(target, values), fmt::format("interpreted, {} bits", target.vector_bits));
    check(RunGroup(graph_, group_, values), "machine code");
  }

 private:
  ValueId AddInput(const char* name, const Shape& shape) {
    inputs_.push_back(Fractions(random_, shape));
    return graph_.AddInput(name, inputs_.back().type());
  }

  ValueId Add(HostOperatorPtr op, const std::vector<ValueId>& operands) {
    std::vector<graph::HostOperand> known;
    for (const ValueId operand : operands) known.push_back({graph_.node(operand).type});
    const auto types = op->Infer(known);
    EXPECT_EQ(types.index(), 0U) << std::get<std::string>(types);
    return graph_.Add(fmt::format("n{}", graph_.size()),
                      graph::HostOp{op, 0, std::get<0>(types).at(0), "a test"}, operands);
  }

  Tensor Interpret(const CpuTarget& target, const std::vector<graph::TensorPtr>& values) const {
    const LoweredGroup lowered = LowerForCpu(graph_, HostGroup{group_}, target);
    std::vector<Tensor> arrays;
    for (const ValueId input : lowered.inputs) arrays.push_back(*values[input]);
    for (const graph::TensorPtr& table : lowered.tables) arrays.push_back(*table);
    arrays.emplace_back(graph_.node(group_.back()).type);
    std::vector<void*> args;
    for (Tensor& array : arrays) args.push_back(Data(array));
    tir::Interpret(lowered.function, args);
    return arrays.back();
  }

  Randoms random_;
  Graph graph_{"product"};
  std::vector<Tensor> inputs_;
  std::vector<ValueId> group_;
};

TEST(ProductTiles, ActivationsByActivations) {
  const std::pair<Shape, Shape> shapes[] = {
      {{9, 17}, {17, 21}},            // nothing fills whole tiles
      {{3, 16, 8}, {3, 8, 32}},       // everything does
      {{2, 3, 5, 7}, {2, 3, 7, 40}},  // two dimensions of matrices
      {{2, 3, 5, 7}, {3, 7, 19}},     // … of which one has them all
      {{1, 5, 7}, {4, 7, 19}},       {{5, 40, 7}, {7, 6}},
  };
  for (const auto& [a, b] : shapes) {
    OperatorCase product(host::MatMul(), a, b, false, {}, 51);
    for (const CpuTarget& target : kProcessors) EXPECT_TRUE(product.IsTiled(target)) << graph::ToString(a);
    product.ExpectReference();
  }
}

TEST(ProductTiles, ByConstantsWithWhatFollows) {
  for (const Shape& a : {Shape{9, 17}, Shape{1, 12, 17}, Shape{2, 3, 5, 17}, Shape{1, 17}})
    for (const Shape& added : {Shape{}, Shape{21}, Shape{1}}) {
      OperatorCase product(host::MatMul(), a, {17, 21}, true, added, 52);
      EXPECT_TRUE(product.IsTiled(kProcessors[1]));
      product.ExpectReference();
    }
}

TEST(ProductTiles, RowsOrColumnsOfGemm) {
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      for (const bool constant : {false, true}) {
        OperatorCase product(host::Gemm(1, 1, transpose_a, transpose_b),
                             transpose_a ? Shape{17, 9} : Shape{9, 17},
                             transpose_b ? Shape{21, 17} : Shape{17, 21}, constant, {21}, 53);
        EXPECT_TRUE(product.IsTiled(kProcessors[0]));
        product.ExpectReference();
      }
}

TEST(ProductTiles, VectorsAndUnknownProcessorsGetPortableLoops) {
  OperatorCase row(host::MatMul(), {1, 64}, {64, 32}, false, {}, 54);
  EXPECT_FALSE(row.IsTiled(kProcessors[2]));
  row.ExpectReference();
  OperatorCase vector(host::MatMul(), {8, 64}, {64}, false, {}, 55);
  EXPECT_FALSE(vector.IsTiled(kProcessors[2]));
  vector.ExpectReference();
  EXPECT_FALSE(OperatorCase(host::MatMul(), {16, 64}, {64, 32}, false, {}, 56).IsTiled({}));
}

TEST(PhaseTiles, TransposedConvolutionsByConstants) {
  Randoms random(58);
  for (int trial = 0; trial < 24; ++trial) {
    const auto few = [&](int64_t low, int64_t high) { return random.Between(low, high); };
    const std::vector<int64_t> strides = {few(1, 3), few(1, 3)};
    const Shape x = {few(1, 2), few(1, 5), few(2, 6), few(2, 20)},
                w = {x[1], few(0, 1) == 0 ? 16 : few(1, 20), few(strides[0], 5), few(strides[1], 5)};
    const auto op =
        host::ConvTranspose({.strides = strides, .pads = {few(0, 1), few(0, 1), few(0, 1), few(0, 1)}},
                            {.output_padding = {few(0, strides[0] - 1), few(0, strides[1] - 1)}}, 1);
    OperatorCase transposed(op, x, w, true, {w[1], 1, 1}, 59);
    EXPECT_TRUE(transposed.IsTiled(kProcessors[1])) << graph::ToString(w);
    transposed.ExpectReference();
  }
}

TEST(PhaseTiles, KernelsShorterThanTheirStrideAreSpread) {
  OperatorCase transposed(host::ConvTranspose({.strides = {3, 2}}, {}, 1), {1, 3, 4, 5}, {3, 8, 2, 2}, true,
                          {}, 60);
  EXPECT_FALSE(transposed.IsTiled(kProcessors[1]));
  transposed.ExpectReference();
}

TEST(ProductTiles, ManyRoundsInChunks) {
  OperatorCase product(host::MatMul(), {6, 5000}, {5000, 20}, false, {}, 57);
  product.ExpectReference();
}

}  // namespace
}  // namespace cosim::cpu
