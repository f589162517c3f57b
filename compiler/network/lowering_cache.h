// SPDX-License-Identifier: Apache-2.0
// What compilations share that differ in times only, of the memory and of the units: kernels by tile,
// programs that were measured, whole programs. Which tiles are measured, and what they cost, each compilation
// finds for itself. Those that differ in sizes too share kernels without their places. One cache is for one
// graph, one LoweringCache::KeyOf and one set of CompileOptions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/passes.h"
#include "compiler/accel/pipeline.h"
#include "compiler/network/pack.h"
#include "compiler/schedules/accel/kernel.h"
#include "compiler/schedules/accel/tile_space.h"
#include "isa/program/decode.h"
#include "runtime/network.h"

namespace cosim::network {

/// A constant in its final form.
struct PackedConstant {
  kernels::Role role = kernels::Role::kWeights;
  std::string name;
  std::vector<uint8_t> bytes;
};

/// A kernel with its place on chip, or why there is none.
struct LoweredTile {
  std::string refusal;
  bool another_tile_may_pass = false;
  accel::Kernel kernel;
  std::vector<kernels::Role> roles;
  accel::StorageCursor cursor;     ///< behind it
  std::vector<std::string> texts;  ///< after each pass of the pipeline, if somebody looks
};

/// Two kernels that are written by turns, with places for both.
struct LoweredPair {
  LoweredTile first, second;
};

/// A kernel before it gets its place on chip, or why there is none.
struct UnplacedKernel {
  std::string name;
  accel::PipelineResult result;
  accel::Kernel kernel;
  std::vector<kernels::Role> roles;
};

/// What compilations share that differ in how much memories and queues hold and in what anything takes in
/// cycles. A key of it begins with ScopeOf's text.
class KernelCache {
 public:
  /// Of a spec, all that unplaced kernels depend on, in a line.
  static std::string ScopeOf(const isa::Spec& spec);

  /// Null: not known.
  std::shared_ptr<const UnplacedKernel> Find(const std::string& key) const {
    const auto known = kernels_.find(key);
    return known == kernels_.end() ? nullptr : known->second;
  }
  void Put(const std::string& key, std::shared_ptr<const UnplacedKernel> kernel) {
    constexpr size_t kMost = 4000;  // of some ten kilobytes each
    if (kernels_.size() >= kMost) kernels_.clear();
    kernels_[key] = std::move(kernel);
  }
  size_t size() const { return kernels_.size(); }

 private:
  std::unordered_map<std::string, std::shared_ptr<const UnplacedKernel>> kernels_;
};

/// A program that stands ready to be timed, and what that gave last.
struct TimedProgram {
  std::vector<isa::Decoded> instructions;
  uint64_t code_address = 0;
  int64_t timed_by = 0;  ///< LoweringCache::compilation
  runtime::Cycle cycles = 0;
  bool at_least = false;  ///< it takes more than `cycles`; nobody wanted to know how many
};

/// A program behind its constants, and where what follows it may stand.
struct BuiltProgram {
  runtime::AcceleratorStep step;
  uint64_t free_from = 0;
};

/// The tiles of a kernel, and those to try first under the latencies that were asked for last.
struct RankedTiles {
  std::shared_ptr<const kernels::TileSpace> space;
  int64_t latency = -1, write_latency = -1;
  std::shared_ptr<const kernels::Ranking> ranking;
};

class LoweringCache {
 public:
  /// All of a spec that programs depend on: equal ones may share a cache.
  static std::string KeyOf(const isa::Spec& spec);

  /// A number for what `key` says, the same for equal keys; never 0.
  int64_t IdentityOf(const std::string& key) {
    return identities_.emplace(key, static_cast<int64_t>(identities_.size()) + 1).first->second;
  }

  /// The number of the present compilation: times are the same within one.
  int64_t compilation = 0;

  /// Where unplaced kernels are kept under keys that begin with `scope`: ScopeOf's, and the graph. May be
  /// null.
  std::shared_ptr<KernelCache> kernels;
  std::string scope;

  std::map<std::string, RankedTiles> ranked;  ///< by all else that the tile model knows of a kernel
  std::map<std::string, LoweredTile> tiles;
  std::map<std::string, std::optional<LoweredPair>> pairs;  ///< nothing: they do not fit
  std::map<std::string, std::vector<PackedConstant>> constants;
  std::map<std::string, std::optional<TimedProgram>> measured;  ///< nothing: addresses do not reach that far
  std::map<std::string, BuiltProgram> programs;
  std::set<std::string> built;     ///< digests of the keys of programs that were asked for
  std::set<std::string> verified;  ///< digests of programs that the verifier has nothing against

 private:
  std::map<std::string, int64_t> identities_;
};

}  // namespace cosim::network
