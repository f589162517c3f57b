// SPDX-License-Identifier: Apache-2.0
// Any bytes as a module, and as the payload of one whose envelope is right: a reason, or a module that can be
// written again, linked, verified and, unless it is long, run. Machine code is not loaded: whoever runs it
// trusts it as a program.
#include "isa/verify/verify.h"
#include "runtime/executor.h"
#include "runtime/module.h"
#include "runtime/module_file.h"
#include "sim/functional/functional_device.h"
#include "tests/fuzz/files.h"
#include "tests/runtime/module_work.h"

namespace cosim::fuzz {
namespace {

constexpr int64_t kMostWork = 1 << 16;  // elements moved and steps
constexpr uint64_t kMostDram = uint64_t{1} << 24;

/// As session::RunModule does.
void Run(const isa::Spec& spec, const runtime::Module& module) {
  for (const auto& step : module.network.steps) {
    const isa::VerifyResult verified = isa::Verify(spec, std::get<runtime::AcceleratorStep>(step).program);
    verified.Render();
    if (!verified.ok()) return;
  }
  if (runtime::testing::WorkOf(spec, module.network, kMostWork) > kMostWork ||
      module.network.dram_bytes > kMostDram)
    return;
  sim::FunctionalDevice device(spec);
  for (const runtime::Sample& sample : module.samples) {
    const auto run = runtime::Execute(module.network, spec, device, sample.inputs, /*timing_only=*/false);
    COSIM_CHECK(run.completed, "{}", run.error);
    COSIM_CHECK(run.outputs.size() == sample.outputs.size());
    for (size_t i = 0; i < run.outputs.size(); ++i)
      COSIM_CHECK(run.outputs[i].size() == sample.outputs[i].size());
  }
}

void Check(const isa::Spec& spec, std::span<const uint8_t> bytes) {
  std::string error;
  auto module = runtime::ReadModule(bytes, error);
  COSIM_CHECK(module.has_value() == error.empty());
  if (!module) return;
  COSIM_CHECK(runtime::ReadModule(runtime::WriteModule(*module), error), "{}", error);
  COSIM_CHECK(!runtime::HasNativeCode(*module) ||
              !runtime::Link(*module, spec, error, runtime::NativeCode::kRefuse));
  std::erase_if(module->network.steps,
                [](const auto& s) { return std::holds_alternative<runtime::CpuStep>(s); });
  if (runtime::Link(*module, spec, error, runtime::NativeCode::kRefuse)) Run(spec, *module);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const isa::Spec spec = TinySpec();
  const std::span<const uint8_t> input(data, size);
  Check(spec, input);
  std::string error;
  const auto envelope = runtime::Open(input, error);  // the first inputs are whole modules
  Check(spec, runtime::Seal(spec.fingerprint, envelope ? envelope->payload : input));
  return 0;
}

}  // namespace cosim::fuzz
