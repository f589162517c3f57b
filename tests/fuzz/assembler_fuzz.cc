// SPDX-License-Identifier: Apache-2.0
// Any text as a program: diagnostics, or a program that disassembles to a text with the same meaning and that
// the verifier has an opinion on.
#include "isa/program/assembler.h"
#include "isa/program/disassembler.h"
#include "isa/verify/verify.h"
#include "tests/fuzz/files.h"

namespace cosim::fuzz {
namespace {

std::string Text(const isa::Spec& spec, const isa::Program& program) {
  return isa::Disassemble(spec, program, {.layer = {}, .contents = true});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const isa::Spec spec = TinySpec();
  Diagnostics diags;
  const auto first =
      isa::Assemble(spec, {"input.s", std::string(reinterpret_cast<const char*>(data), size)}, diags);
  COSIM_CHECK(first.has_value() != diags.HasErrors());
  diags.Render();
  if (!first) return 0;
  const std::string text = Text(spec, first->program);
  const auto second = isa::Assemble(spec, {"again.s", text}, diags);
  COSIM_CHECK(second, "{}\n{}", diags.Render(), text);
  COSIM_CHECK(Text(spec, second->program) == text, "{}", text);
  isa::Verify(spec, first->program).Render();
  return 0;
}

}  // namespace cosim::fuzz
