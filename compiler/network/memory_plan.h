// SPDX-License-Identifier: Apache-2.0
// Static DRAM plan: places for all values of a network at once, those that never live together sharing bytes.
#pragma once

#include <cstdint>
#include <vector>

namespace cosim::network {

/// A value lives from the step that writes it to the last that reads it, both included.
struct Lifetime {
  int64_t bytes = 0;
  int first = 0, last = 0;
  uint64_t address = 0;  ///< out
};

/// Assigns addresses from 0 on, multiples of `alignment`; returns the bytes needed. Greedy by size: large
/// values first, each in the lowest gap that is free all its life.
uint64_t PlanMemory(std::vector<Lifetime>& values, uint64_t alignment);

}  // namespace cosim::network
