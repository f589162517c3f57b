// SPDX-License-Identifier: Apache-2.0
// Any bytes as a module, and as the payload of one whose envelope is right: a reason, or a module that can be
// written again, linked and verified. Machine code is not loaded: whoever runs a module trusts it as a
// program.
#include "isa/verify.h"
#include "runtime/module.h"
#include "runtime/module_file.h"
#include "tests/fuzz/files.h"

namespace cosim::fuzz {
namespace {

void Check(const isa::Spec& spec, std::span<const uint8_t> bytes) {
  std::string error;
  auto module = runtime::ReadModule(bytes, error);
  COSIM_CHECK(module.has_value() == error.empty());
  if (!module) return;
  COSIM_CHECK(runtime::ReadModule(runtime::WriteModule(*module), error), "{}", error);
  std::erase_if(module->network.steps,
                [](const auto& s) { return std::holds_alternative<runtime::CpuStep>(s); });
  module->code.bytes.clear();
  if (!runtime::Link(*module, spec, error)) return;
  for (const auto& step : module->network.steps)
    isa::Verify(spec, std::get<runtime::AcceleratorStep>(step).program).Render();
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
