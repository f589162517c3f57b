// SPDX-License-Identifier: Apache-2.0
// What compilations share that differ in the times of the memory only: kernels by tile, programs that were
// measured, whole programs. Which tiles are measured, and what they cost, each compilation finds for itself.
// One cache is for one graph, one LoweringCache::KeyOf and one set of CompileOptions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/passes.h"
#include "compiler/network/pack.h"
#include "compiler/schedules/accel/kernel.h"
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

/// A program that stands ready to be timed.
struct TimedProgram {
  std::vector<isa::Decoded> instructions;
  uint64_t code_address = 0;
};

/// A program behind its constants, and where what follows it may stand.
struct BuiltProgram {
  runtime::AcceleratorStep step;
  uint64_t free_from = 0;
};

class LoweringCache {
 public:
  /// All of a spec that programs depend on: equal ones may share a cache.
  static std::string KeyOf(const isa::Spec& spec);

  /// A number for what `key` says, the same for equal keys; never 0.
  int64_t IdentityOf(const std::string& key) {
    return identities_.emplace(key, static_cast<int64_t>(identities_.size()) + 1).first->second;
  }

  std::map<std::string, LoweredTile> tiles;
  std::map<std::string, std::vector<PackedConstant>> constants;
  std::map<std::string, std::optional<TimedProgram>> measured;  ///< nothing: addresses do not reach that far
  std::map<std::string, BuiltProgram> programs;
  std::set<std::string> verified;  ///< digests of programs that the verifier has nothing against

 private:
  std::map<std::string, int64_t> identities_;
};

}  // namespace cosim::network
