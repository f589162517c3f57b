// SPDX-License-Identifier: Apache-2.0
// A compiled network as one file: what a device and this machine need to run it, and nothing of the
// compiler's. docs/reference/module.md describes the bytes. compiler/session makes modules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/loader.h"
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

struct Module {
  uint64_t fingerprint = 0;  ///< of the spec that the programs are for
  SpecSource spec;
  Provenance provenance;
  Network network;  ///< its kernels are KernelSymbols until Link; Place::value, ::unpack and `values` unused
  CpuObject code;
  std::vector<Sample> samples;
};

/// Version of the format that is written, and the only one that is read.
inline constexpr uint32_t kModuleVersion = 1;

/// The file's bytes. The same module gives the same bytes.
std::vector<uint8_t> WriteModule(const Module& module);

/// Whether the bytes begin as a module does, whatever follows.
bool LooksLikeModule(std::span<const uint8_t> bytes);

/// Nothing, and `error` set, unless the bytes are whole, undamaged, of this version, and consistent: every
/// index and address in range. Programs have their segments but no instructions yet, kernels only names: see
/// Link.
std::optional<Module> ReadModule(std::span<const uint8_t> bytes, std::string& error);

/// Makes a module that was read ready to run under `spec`: decodes its programs and loads its CPU code.
/// False, and `error` set, when it was compiled for another spec, its words are not this spec's instructions,
/// or its code is not for this machine.
bool Link(Module& module, const isa::Spec& spec, std::string& error);

}  // namespace cosim::runtime
