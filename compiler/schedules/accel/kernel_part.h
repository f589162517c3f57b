// SPDX-License-Identifier: Apache-2.0
// Sums over a window and what follows them, as tensors and as stages of a schedule: all of most kernels, and
// twice in those that keep the value between two convolutions on chip. See kernel.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ops/elementwise.h"
#include "compiler/schedules/accel/kernel.h"
#include "compiler/schedules/accel/pool.h"
#include "compiler/te/te.h"

namespace cosim::kernels {

/// A kernel's parameters in DRAM.
struct Arguments {
  std::vector<te::Tensor> tensors;
  std::vector<Role> roles;
  te::Tensor Declare(const std::string& name, std::vector<int64_t> shape, tir::DataType type, Role role) {
    tensors.push_back(te::Placeholder(name, std::move(shape), type));
    roles.push_back(role);
    return tensors.back();
  }
};

class KernelPart {
 public:
  /// `prefix` of all names. `what` has to outlive it.
  KernelPart(const isa::Spec& spec, const Array& array, const Computation& what, std::string prefix);

  /// What it reads. `weights`, `parameters`: their roles. With `data`, which another part computes on chip,
  /// its window is that value.
  void DeclareInputs(Arguments& arguments, Role weights, Role parameters, const te::Tensor& data = {});
  void Compute();

  /// Copies on chip of what it reads: before any stage gets its place, for they change what stages read.
  void CacheReads(te::Schedule& schedule);
  struct Loop {
    const te::Stage* stage;
    te::Axis axis;
  };
  /// Has all of it computed inside `at`, its results in `result_memory`. Returns the loop at which what the
  /// sums read comes on chip.
  Loop Plan(te::Schedule& schedule, const Loop& at, const Tile& tile, int result_memory,
            bool parameters_resident);

  const te::Tensor& result() const { return result_; }
  std::vector<int64_t> OutShape() const;
  static std::vector<std::string> OutNames() { return {"n", "g", "co", "y", "x", "so", "b", "o"}; }

 private:
  const std::string& Name(int memory) const { return spec_.memories[memory].name; }
  std::string Called(const char* name) const { return prefix_ + name; }
  layouts::Layout InputLayout(int64_t h, int64_t w) const;
  layouts::Layout OutputLayout(int64_t h, int64_t w) const;
  layouts::Layout OutputLayout() const { return OutputLayout(w_.OutRows(), w_.OutCols()); }
  layouts::Layout SumsLayout() const { return OutputLayout(w_.oh, w_.ow); }
  layouts::Layout InParts(layouts::Layout layout) const;
  void MakeSums();
  void MakePool();
  tir::Expr Shifted(const graph::Requantize& op, const tir::Expr& sum, const te::Indices& i) const;
  tir::Expr After(const EpilogueStep& step, const tir::Expr& value, const te::Indices& i) const;
  tir::Expr ResultAt(const te::Indices& i) const;

  const isa::Spec& spec_;
  const Array& array_;
  const tir::DataType lane_;  // of values in DRAM
  const KernelTemplate& kind_;
  const Window& w_;
  const std::optional<graph::Op> op_;  // of the sums
  const Epilogue& e_;
  const std::string prefix_;
  te::Tensor data_, weights_, parameters_, bias_, table_, residual_, window_, sum_, result_;
  te::Tensor largest_;           // of the sums, or the sums
  std::vector<PoolStage> pool_;  // what makes the largest of them
  std::vector<te::Axis> reduced_;
  te::Tensor weights_here_, parameters_here_, bias_here_, table_here_, residual_here_,
      data_here_;  // the copies
};

}  // namespace cosim::kernels
