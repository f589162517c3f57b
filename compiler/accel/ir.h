// SPDX-License-Identifier: Apache-2.0
// The accelerator's loop tree: what a lowered function becomes once every leaf is something the accelerator
// does. Loops that stay here run in the compiler, which writes out one or more instructions a leaf and an
// iteration; the dimensions of a leaf become hardware loops, micro-ops, or rows and columns of a transfer.
//
// Positions count elements of the memory concerned. A leaf's access is offset + sum over its dims of stride *
// index; offset and extents are expressions of the loops around the leaf, strides are numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/accel/gather.h"
#include "compiler/tir/ir.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// A part of an on-chip memory that one loop iteration (or virtual thread) owns.
struct OnChipBuffer {
  tir::Buffer buffer;
  int memory = -1;
  int64_t elements = 0;
  int copies = 1;           ///< one for each virtual thread around the allocation
  int64_t copy_stride = 0;  ///< elements from one copy to the next; less than 0: it stands before
  int64_t address = -1;     ///< of copy 0, assigned by AssignStorage
};

struct Dim {
  tir::Var var;
  tir::Expr extent;
};

struct Access {
  tir::Buffer buffer;
  tir::Expr offset;              ///< elements, from the buffer's start
  std::vector<int64_t> strides;  ///< elements, one a dim
  int copy = 0;                  ///< which copy of an on-chip buffer
};

/// Where a dim's index (plus an offset) must stay for the element to come from DRAM; elsewhere it is padding.
struct Bound {
  int dim;
  tir::Expr low, high;
};  ///< low <= index < high

/// A copy between DRAM and an on-chip memory.
struct TransferLeaf {
  bool is_store = false;
  std::vector<Dim> dims;
  Access dram, sram;
  std::vector<Bound> bounds;
  int64_t pad_value = 0;
  bool repeats = false;  ///< padding is the nearest element, not pad_value
};

/// One tensor intrinsic an index point. `outer_reduction`: loops around the leaf that the sum runs over; the
/// first point of them all overwrites the accumulators when `initialize` is set.
struct GemmLeaf {
  int format = -1;
  std::string name = "gemm";  ///< the format's, as it is printed
  std::vector<Dim> dims;
  Access dst;
  std::vector<Access> sources;
  int64_t pitch = 0;  ///< elements from one row that an index point reads to the next (isa::Gemm)
  bool initialize = false;
  std::vector<tir::Var> outer_reduction;
};

/// One ALU op an index point.
struct AluLeaf {
  int op = -1;
  std::vector<Dim> dims;
  Access result;
  std::vector<Access> operands;
  std::vector<std::pair<int, int64_t>> immediates;  ///< (instruction field, value)
  std::vector<tir::Buffer> tables;                  ///< what it looks up, each all of its memory
};

struct Node;
using Nodes = std::vector<Node>;

struct Loop {
  tir::Var var;
  tir::Expr min, extent;
  bool virtual_thread = false;
  std::vector<tir::Buffer> allocations;  ///< made anew in every iteration
  Nodes body;
};

/// Runs `body` only where a virtual thread has an iteration left.
struct Guard {
  tir::Expr condition;
  Nodes body;
};

struct Node {
  std::variant<Loop, Guard, TransferLeaf, GemmLeaf, AluLeaf> node;
};

/// One fused group, ready to be written out.
struct Kernel {
  std::string name;
  std::vector<tir::Buffer> params;  ///< DRAM buffers, in the order of the function's parameters
  std::vector<OnChipBuffer> buffers;
  Nodes body;
  std::optional<Gathered> gathered;  ///< a param that is read as an image
  int64_t identity = 0;              ///< not 0: kernels of the same number in one LoweringCache are equal
};

std::string ToString(const Kernel& kernel);

}  // namespace cosim::accel
