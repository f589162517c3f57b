// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/origin.h"

#include <fmt/format.h>

#include "isa/digest.h"
#include "isa/spec/config_host.h"
#include "isa/spec/config_memory.h"

namespace cosim::session {
namespace {

constexpr size_t kFingerprintDigits = 16;

std::string Fingerprint(const std::string& text) {
  return isa::Sha256Hex(text).substr(0, kFingerprintDigits);
}

OriginFile FileOf(const std::string& name, const std::string& path, const isa::SourceText& source) {
  return {name, path.empty() ? source.path : path, isa::Sha256Hex(source.text)};
}

// One thing a line; strings come last in theirs, and only one stands in each.
std::string ExperimentText(const isa::Spec& spec, const std::optional<isa::HostProcessor>& host,
                           const Origin& origin, const ExperimentKey& key) {
  const isa::MemorySystem& dram = spec.dram;
  return fmt::format("hardware {}\nclock {}\n", origin.hardware, spec.clock_mhz) +
         fmt::format("memory {} {} {} {} {}\n", dram.latency, dram.write_latency, dram.jitter,
                     dram.dram_bytes, dram.seed) +
         (host ? fmt::format("host {} {}\n", host->cpu, host->clock_mhz) : "host unknown\n") +
         fmt::format("seed {}\nbits {}\nthreads {}\n", key.seed, key.activation_bits, key.virtual_threads) +
         (key.schedules.empty() ? "" : fmt::format("schedules {}\n", key.schedules)) +
         fmt::format("version {}\nnetwork {}\n", origin.version, key.network);
}

}  // namespace

std::string HardwareFingerprint(const isa::Spec& spec) {
  const isa::Hardware& hardware = spec.hardware;
  std::string text = fmt::format("spec {}\nmacs_per_dsp {}\nlut_inputs {}\n", spec.FingerprintText(),
                                 hardware.macs_per_dsp, hardware.lut_inputs);
  if (hardware.wide_product_dsps != isa::Hardware{}.wide_product_dsps)
    text += fmt::format("wide_product_dsps {}\n", hardware.wide_product_dsps);
  return Fingerprint(text);
}

Origin OriginOf(const isa::Spec& spec, const runtime::SpecSource& source, const std::string& isa_path,
                const std::string& config_path, const ExperimentKey& key) {
  Origin origin{.isa = FileOf(spec.isa, isa_path, source.isa),
                .config = FileOf(spec.config, config_path, source.config)};
  for (const isa::Override& each : source.overrides) origin.set.push_back(each.path + "=" + each.value);
  origin.memory = isa::MemorySetting(source.config, source.overrides);
  origin.hardware = HardwareFingerprint(spec);
  origin.schedules = key.schedules;
  origin.version = "cosim " COSIM_VERSION;
  origin.experiment =
      Fingerprint(ExperimentText(spec, isa::HostOf(source.config, source.overrides), origin, key));
  return origin;
}

}  // namespace cosim::session
