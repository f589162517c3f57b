// SPDX-License-Identifier: Apache-2.0
// The example platform as a device of the runtime: every call runs on the platform's processor, which reaches
// memory and accelerator over the bus and waits for the interrupt.
//
// SystemC builds a design once a process, so there is one platform, made for the first device and reused by
// those after it: reconfigured for their spec, memory cleared. Not thread-safe; use it from one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "runtime/device.h"
#include "sim/kernels/simd_level.h"

namespace cosim::sim {

class ExamplePlatform;

class TlmDevice final : public runtime::Device {
 public:
  /// Null, and `error` says why, while another TlmDevice lives, or when the process runs a SystemC design
  /// of its own. `spec` must outlive the device; `level` must be supported by this machine.
  static std::unique_ptr<TlmDevice> Make(const isa::Spec& spec, SimdLevel level, std::string& error);
  /// Likewise, on the RTL; `library` is BuildRtl's for `spec` (sim/rtl/rtl_library.h).
  static std::unique_ptr<TlmDevice> MakeRtl(const isa::Spec& spec, const std::filesystem::path& library,
                                            std::string& error);
  ~TlmDevice() override;
  TlmDevice(const TlmDevice&) = delete;
  TlmDevice& operator=(const TlmDevice&) = delete;

  std::string Name() const override { return uses_rtl_ ? "tlm-rtl" : "tlm"; }
  /// Memory has ExamplePlatform::kMemoryBytes, all there from the beginning; CHECKs that this is enough.
  void Reserve(uint64_t bytes) override;
  void Write(uint64_t address, std::span<const uint8_t> bytes) override;
  void Read(uint64_t address, std::span<uint8_t> bytes) override;
  /// What runs are the words in memory. Counters and ledger come from registers; instruction times and the
  /// text of an error from the model. On the RTL, the run is held against the timing engine, and
  /// Counters::error says what differs. Refuses timing_only and watch_hazards, which hardware cannot do.
  runtime::Counters Execute(const isa::Program& program, const runtime::ExecuteOptions& options) override;
  void PoisonOnChip(uint64_t seed) override;

  /// The platform it runs on.
  ExamplePlatform& platform() { return platform_; }

 private:
  TlmDevice(const isa::Spec& spec, ExamplePlatform& platform, bool uses_rtl)
      : spec_(spec), platform_(platform), uses_rtl_(uses_rtl) {}

  runtime::Counters ExecuteOnModel(const isa::Program& program, const runtime::ExecuteOptions& options);
  runtime::Counters ExecuteOnRtl(const isa::Program& program, const runtime::ExecuteOptions& options);
  runtime::Counters Drive(const isa::Program& program);

  const isa::Spec& spec_;
  ExamplePlatform& platform_;
  bool uses_rtl_;
};

}  // namespace cosim::sim
