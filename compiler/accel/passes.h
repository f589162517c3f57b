// SPDX-License-Identifier: Apache-2.0
// The passes between a lowered function and its instructions, in the order lower.cc runs them. One pass a
// file.
#pragma once

#include <string>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/tir/ir.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// Why a function cannot run on the accelerator, in words for the partition report. Empty: it can.
struct Refusal {
  std::string reason;
  explicit operator bool() const { return !reason.empty(); }
};

/// tensorize.cc: builds the loop tree. Innermost nests become leaves: those that the schedule marks for a
/// tensor intrinsic of the spec (match_intrinsic.cc: by index expression and types, not by name; refused if
/// none computes them), copies between DRAM and chip, and elementwise stages, which select_alu.cc covers with
/// ALU ops. Before: every buffer is a parameter or allocated; scopes name memories of the spec. After: no
/// Store is left.
Refusal Tensorize(const tir::Function& function, const isa::Spec& spec, Kernel& kernel);

/// virtual_threads.cc: replaces each virtual-thread loop by copies of its leaves, thread after thread, inside
/// the loops that the threads share; what is allocated inside gets one copy a thread. Before: loops inside do
/// not depend on the thread. After: no loop is a virtual thread.
void InterleaveVirtualThreads(Kernel& kernel);

/// share_units.cc: gives the leaves of virtual thread t to the t-th of `units` units whose instructions
/// compute the same (FindSameWork), in turn, so that they work at once. What a unit reads from a memory of
/// its own is loaded there; a buffer that units read from several memories gets a place in each. Before: no
/// loop is a virtual thread. After: each leaf's operands stand in the memories that its instruction names.
void ShareUnits(Kernel& kernel, const isa::Spec& spec, int units);

/// Where storage was placed last in each memory, so that neighbouring kernels use different places and can
/// overlap.
struct StorageCursor {
  std::vector<int64_t> next;
};

/// storage.cc: gives every on-chip buffer its address. Copies go to different banks where the depth allows.
/// Refuses with the memory, what is needed and what there is.
Refusal AssignStorage(Kernel& kernel, const isa::Spec& spec, StorageCursor& cursor);

/// The same of two kernels that are on chip at a time: no element belongs to both. What the first one's first
/// thread uses stands with what the second one's last uses, if banks allow: while the ALU has it, gemm works
/// for the others.
Refusal AssignStorageOfBoth(Kernel& first, Kernel& second, const isa::Spec& spec);

}  // namespace cosim::accel
