// SPDX-License-Identifier: Apache-2.0
// Layers through the host's loops on one core: portable ones and those for this processor, beside a loop of
// nothing but multiply-adds. Items are multiply-accumulates.
#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/cpu/jit.h"
#include "compiler/cpu/lower_group.h"
#include "compiler/graph/graph.h"
#include "sim/kernels/aligned_buffer.h"

namespace cosim {
namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::ValueId;

/// The JIT without what it knows of this processor.
class PortableCompiler final : public cpu::CpuCompiler {
 public:
  std::vector<runtime::CpuKernelPtr> CompileAll(std::span<const tir::Function> functions) override {
    return jit_.CompileAll(functions);
  }

 private:
  cpu::JitCompiler jit_;
};

graph::Tensor Random(DType dtype, const Shape& shape) {
  std::mt19937 random(7);
  graph::Tensor tensor({dtype, shape});
  if (dtype == DType::kFloat32) {
    for (float& value : tensor.mutable_data<float>())
      value = static_cast<float>(random() % 2000) / 1000.0F - 1.0F;
  } else {
    for (int8_t& value : tensor.mutable_data<int8_t>()) value = static_cast<int8_t>(random() % 256);
  }
  return tensor;
}

struct Layer {
  std::string name;
  Shape x, w;
  graph::Conv2d op;
};

const Layer kLayers[] = {
    {"conv7x7s2_3_112", {1, 3, 224, 224}, {64, 3, 7, 7}, {.stride = {2, 2}, .pad = {3, 3, 3, 3}}},
    {"conv3x3_64_56", {1, 64, 56, 56}, {64, 64, 3, 3}, {.pad = {1, 1, 1, 1}}},
    {"conv3x3_128_28", {1, 128, 28, 28}, {128, 128, 3, 3}, {.pad = {1, 1, 1, 1}}},
    {"conv3x3_256_14", {1, 256, 14, 14}, {256, 256, 3, 3}, {.pad = {1, 1, 1, 1}}},
    {"conv3x3_512_7", {1, 512, 7, 7}, {512, 512, 3, 3}, {.pad = {1, 1, 1, 1}}},
    {"conv3x3s2_64_28", {1, 64, 56, 56}, {128, 64, 3, 3}, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}},
    {"conv1x1_256_14", {1, 256, 14, 14}, {1024, 256, 1, 1}, {}},
    {"conv1x1_64_56", {1, 64, 56, 56}, {64, 64, 1, 1}, {}},
    {"depthwise3x3_256_14", {1, 256, 14, 14}, {256, 1, 3, 3}, {.pad = {1, 1, 1, 1}, .groups = 256}},
    {"depthwise3x3s2_64_56",
     {1, 64, 112, 112},
     {64, 1, 3, 3},
     {.stride = {2, 2}, .pad = {1, 1, 1, 1}, .groups = 64}},
    {"dense_512_1000", {1, 512}, {1000, 512}, {}},
    {"matmul_128x256x1024", {128, 256}, {1024, 256}, {}},
};

void Run(benchmark::State& state, const Layer& layer, DType dtype, cpu::CpuCompiler& compiler) {
  Graph g("layer");
  const ValueId x = g.AddInput("x", {dtype, layer.x});
  const ValueId w = g.AddConstant("w", Random(dtype, layer.w));
  const ValueId y = layer.x.size() == 4 ? g.Add("y", layer.op, {x, w}) : g.Add("y", graph::Dense{}, {x, w});
  g.SetOutputs({y});
  const std::vector<ValueId> group = {y};
  const cpu::GroupKernel kernel = cpu::CompileGroups(compiler, g, std::vector{cpu::HostGroup{group}}).front();
  graph::Tensor input = Random(dtype, layer.x), output(g.node(y).type);
  std::vector<void*> args;
  std::vector<std::unique_ptr<sim::AlignedBuffer<uint8_t>>> arrays;
  const auto add = [&](std::span<const uint8_t> bytes) {
    const auto size = static_cast<int64_t>(bytes.size());
    arrays.push_back(std::make_unique<sim::AlignedBuffer<uint8_t>>(size));
    std::copy(bytes.begin(), bytes.end(), arrays.back()->data());
    args.push_back(arrays.back()->data());
  };
  for (const ValueId id : kernel.inputs) {
    const auto* constant = g.node(id).As<graph::Constant>();
    add(constant ? constant->data->bytes() : input.bytes());
  }
  for (const graph::TensorPtr& table : kernel.tables) add(table->bytes());
  add(output.bytes());
  for ([[maybe_unused]] auto _ : state) {
    kernel.kernel->Run(args);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * graph::Macs(g, y));
}

typedef float Vector512 __attribute__((vector_size(64)));
typedef float Vector256 __attribute__((vector_size(32)));

/// Chains of multiply-adds, so many that none waits for its last one.
template <typename Vector>
inline __attribute__((always_inline)) void AddProducts(benchmark::State& state) {
  constexpr int kChains = 16, kRounds = 1000;
  Vector sums[kChains] = {}, factor = {};
  benchmark::DoNotOptimize(factor);
  for ([[maybe_unused]] auto _ : state) {
    for (int round = 0; round < kRounds; ++round)
#pragma GCC unroll 16
      for (int i = 0; i < kChains; ++i) sums[i] = sums[i] * factor + factor;
    benchmark::DoNotOptimize(sums);
  }
  state.SetItemsProcessed(state.iterations() * kRounds * kChains *
                          static_cast<int64_t>(sizeof(Vector) / sizeof(float)));
}

__attribute__((target("avx512f,fma"))) void Peak512(benchmark::State& state) {
  AddProducts<Vector512>(state);
}
__attribute__((target("avx2,fma"))) void Peak256(benchmark::State& state) { AddProducts<Vector256>(state); }

cpu::CpuCompiler& Portable() {
  static PortableCompiler compiler;
  return compiler;
}
cpu::CpuCompiler& Native() {
  static cpu::JitCompiler compiler;
  return compiler;
}

const bool registered = [] {
  if (__builtin_cpu_supports("avx512f")) {
    benchmark::RegisterBenchmark("host/peak/float", Peak512);
  } else if (__builtin_cpu_supports("avx2")) {
    benchmark::RegisterBenchmark("host/peak/float", Peak256);
  }
  for (const Layer& layer : kLayers)
    for (const DType dtype : {DType::kFloat32, DType::kInt8})
      for (const bool native : {false, true})
        benchmark::RegisterBenchmark(("host/" + layer.name + (dtype == DType::kFloat32 ? "/float" : "/int8") +
                                      (native ? "/tiles" : "/portable"))
                                         .c_str(),
                                     [&layer, dtype, native](benchmark::State& state) {
                                       Run(state, layer, dtype, native ? Native() : Portable());
                                     });
  return true;
}();

}  // namespace
}  // namespace cosim
