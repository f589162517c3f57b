// SPDX-License-Identifier: Apache-2.0
// A compiled network as one file: what a device and this machine need to run it, and nothing of the
// compiler's. docs/reference/module.md describes the bytes. compiler/session makes modules.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/spec/loader.h"
#include "runtime/cpu_object.h"
#include "runtime/network.h"

namespace cosim::runtime {

/// The texts a specification was elaborated from. Paths are file names without folders.
struct SpecSource {
  isa::SourceText isa, config;
  std::vector<isa::Override> overrides;
  std::string isa_name, config_name;
};

/// Where a module comes from. Two compilations that agree in it and in the spec give the same bytes.
struct Provenance {
  std::string producer;   ///< "cosim 0.1.0"
  std::string model;      ///< as the user named it
  uint32_t checksum = 0;  ///< of the quantized graph: operations, types and constants
  uint64_t seed = 1;
  int virtual_threads = 0;
};

/// Arrays as Network::inputs and outputs; the outputs are the golden model's, which no module carries.
struct Sample {
  std::vector<std::vector<uint8_t>> inputs, outputs;
};

/// A model file that needs no other file. A module carries the one it was compiled from when the host
/// computes layers of it by routines of the compiler's library: no file can hold them, but they can be made
/// from it again.
struct ModelFile {
  std::string name;  ///< without folders; it ends as files of its format do
  std::vector<uint8_t> bytes;
  std::map<std::string, std::vector<int64_t>>
      shapes;  ///< of what it leaves open: an input's, or a dimension's
};

/// Stands for the routine that computes one value of the graph of Module::model; cannot run.
class RoutineSymbol final : public CpuKernel {
 public:
  explicit RoutineSymbol(uint32_t value) : value_(value) {}
  uint32_t value() const { return value_; }
  void RunOn(std::span<void* const> args, const Parallel& parallel) const override;

 private:
  uint32_t value_;
};

struct Module {
  uint64_t fingerprint = 0;  ///< of the spec that the programs are for
  SpecSource spec;
  Provenance provenance;
  /// Its kernels are KernelSymbols and RoutineSymbols until Link; Place::value, ::unpack and `values` unused.
  Network network;
  CpuObject code;
  std::vector<Sample> samples;
  std::optional<ModelFile> model;  ///< when there are RoutineSymbols
};

/// Version of the format that is written, and the only one that is read.
inline constexpr uint32_t kModuleVersion = 4;

/// The file's bytes. The same module gives the same bytes.
std::vector<uint8_t> WriteModule(const Module& module);

/// Whether the bytes begin as a module does, whatever follows.
bool LooksLikeModule(std::span<const uint8_t> bytes);

/// Nothing, and `error` set, unless the bytes are whole, undamaged, of this version, and consistent: every
/// index and address in range. Programs have their segments but no instructions yet, kernels only names: see
/// Link.
std::optional<Module> ReadModule(std::span<const uint8_t> bytes, std::string& error);

/// The kernel for a step whose kernel is a RoutineSymbol. Null, and `error` set, when there is none.
using RoutineMaker =
    std::function<CpuKernelPtr(const Module& module, const CpuStep& step, std::string& error)>;

/// What becomes of calls of machine code that the module brings along. It can do what any program of the
/// user's can: whoever loads it trusts where the module comes from (runtime/module_tag.h).
enum class NativeCode {
  kLoad,
  kRefuse,    ///< a module with such calls is refused
  kLeaveOut,  ///< they stay KernelSymbols, which cannot run: enough for timing, which computes nothing
};

/// Whether there are such calls.
bool HasNativeCode(const Module& module);

/// Makes a module that was read ready to run under `spec`: decodes its programs and finds the kernels of its
/// calls. False, and `error` set, when it was compiled for another spec, its words are not this spec's
/// instructions, its code is refused or not for this machine, or it has routines that `routines` cannot make.
/// compiler/session has a maker.
bool Link(Module& module, const isa::Spec& spec, std::string& error, NativeCode native,
          const RoutineMaker& routines = {});

}  // namespace cosim::runtime
