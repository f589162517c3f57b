// SPDX-License-Identifier: Apache-2.0
// The processor beside the accelerator, from a configuration's 'host:', and what its operations cost.
// docs/rationale/host-time.md says where the costs come from and how far off they may be.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace cosim::isa {

/// What loops of the host do. Arithmetic is on at most 32 bits but where it says otherwise.
enum class HostOp {
  kSimple,    ///< add, shift, compare, select, convert
  kMultiply,  ///< of integers
  kWide,      ///< any of the two on 64 bits, outside of vectors
  kFloat,     ///< add, multiply, compare
  kDivide,    ///< of floats, of integers by what is no power of two; functions count several
  kLoad,      ///< of one element
  kStore,
  kGather,  ///< of an element into a vector, from somewhere else than the one before
};
inline constexpr size_t kHostOps = 8;

/// In cycles of one core.
struct HostCosts {
  std::array<double, kHostOps> scalar{};  ///< by HostOp: one operation
  std::array<double, kHostOps> vector{};  ///< one operation on 16 bytes; kGather: one element
  double iteration = 0;                   ///< of a loop: counting and branching
  double byte = 0;                        ///< of an array, between DRAM and caches
  double call = 0;                        ///< of a step
  double routine_value = 0;               ///< of an array, in a routine of the library
  double routine_mac = 0;
};

struct HostCpu {
  std::string_view name, doc;
  HostCosts costs;
  /// Between its own arrays and memory that it shares with the accelerator, uncached: MB/s (1e6), either way,
  /// whatever its clock.
  double copy_mb_s = 0;
};

/// The processors whose costs are known.
const std::vector<HostCpu>& HostCpus();

/// `host:` of a configuration. `cores` is information: the host's steps run on one.
struct HostProcessor {
  std::string cpu;  ///< a HostCpu's name
  int cores = 1;
  double clock_mhz = 0;
  /// What is known of it.
  const HostCpu& Facts() const;
};

}  // namespace cosim::isa
