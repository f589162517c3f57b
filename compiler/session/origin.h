// SPDX-License-Identifier: Apache-2.0
// What a result came from: the files, by name and digest, what was set on top of them, and two fingerprints,
// one of the hardware and one of the experiment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "runtime/module.h"

namespace cosim::session {

struct OriginFile {
  std::string name;    ///< what reports call it: "cosim", "pynq"
  std::string path;    ///< of a module: the file's name
  std::string sha256;  ///< of its bytes, 64 hexadecimal digits
};

struct Origin {
  OriginFile isa, config;
  std::vector<std::string> set;  ///< "memory.latency=80", in their order
  std::string memory;            ///< low, typical or high
  /// 16 hexadecimal digits each. Equal hardware: the same RTL. Equal experiments: the same cycles and
  /// milliseconds.
  std::string hardware, experiment;
  std::string schedules;  ///< digest of those that were given; empty: the compiler's
  std::string version;    ///< "cosim 0.1.0"
};

/// What an experiment is beyond its hardware, clock and memory.
struct ExperimentKey {
  std::string network;  ///< a name that stands for all of it: of the zoo, or a file's with its digest
  uint64_t seed = 1;
  int activation_bits = 0, virtual_threads = 2;
  std::string schedules;  ///< that were given, by digest; empty: the compiler's
};

/// `source` is what `spec` was elaborated from; `isa_path` and `config_path` are where, "" if not from files.
Origin OriginOf(const isa::Spec& spec, const runtime::SpecSource& source, const std::string& isa_path,
                const std::string& config_path, const ExperimentKey& key);

/// All that selects the RTL: the spec's fingerprint and the choices of `hardware:`.
std::string HardwareFingerprint(const isa::Spec& spec);

}  // namespace cosim::session
