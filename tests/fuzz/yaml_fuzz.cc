// SPDX-License-Identifier: Apache-2.0
// Any text as an ISA and as a configuration: diagnostics or a spec, never a crash. A spec that is accepted
// can be described.
#include "isa/pages/describe.h"
#include "isa/spec/loader.h"
#include "tests/fuzz/files.h"

namespace cosim::fuzz {
namespace {

void Check(const isa::SourceText& isa, const isa::SourceText& config) {
  Diagnostics diags;
  const auto spec = isa::Elaborate(isa, config, {}, diags);
  COSIM_CHECK(spec.has_value() != diags.HasErrors());
  if (spec) isa::DescribeMarkdown(*spec);
  diags.Render();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const isa::SourceText isa = Source("isa/cosim.yaml"), config = Source("configs/tiny.yaml");
  const isa::SourceText input{"input.yaml", std::string(reinterpret_cast<const char*>(data), size)};
  Check(input, config);
  Check(isa, input);
  return 0;
}

}  // namespace cosim::fuzz
