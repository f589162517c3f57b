// SPDX-License-Identifier: Apache-2.0
// A small module made by hand: one program of a few instructions, one call, one sample. Its spec texts are
// short; the program is for isa::testing::MakeSpec.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "isa/program/assembler.h"
#include "isa/program/codec.h"
#include "isa/spec/loader.h"
#include "runtime/module.h"

namespace cosim::runtime::testing {

inline isa::Spec TinySpec() {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", "", {}, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

/// The example program, above values of one page.
inline isa::Program ExampleProgram(const isa::Spec& spec) {
  Diagnostics diags;
  const auto source = isa::ReadSource(COSIM_SOURCE_DIR "/docs/examples/gemm.s", diags);
  const auto assembly = isa::Assemble(spec, *source, diags);
  EXPECT_TRUE(assembly) << diags.Render();
  isa::Program program = assembly->program;
  program.fingerprint = spec.fingerprint;
  std::vector<isa::CodecError> errors;
  std::erase_if(program.segments, [](const auto& s) { return s.kind == isa::Segment::Kind::kInstructions; });
  program.segments.push_back(*isa::EncodeProgram(spec, program, errors));
  return program;
}

inline Module SmallModule(const isa::Spec& spec) {
  Module module;
  module.fingerprint = spec.fingerprint;
  module.spec = {
      {"some.yaml", "isa text"}, {"tiny.yaml", "config text"}, {{"memory.latency", "7"}}, "some", "tiny"};
  module.provenance = {"cosim 0", "model", 0x12345678, 5, 2};
  Network& network = module.network;
  network.name = "model";
  network.layers = {{.name = "a", .op = "conv2d", .on_accelerator = true, .schedule = "co=1", .macs = 1000},
                    {.name = "b", .op = "softmax", .reason = "no such op"}};
  AcceleratorStep step;
  step.program = ExampleProgram(spec);
  step.layer_of.assign(step.program.instructions.size(), 0);
  network.value_bytes = 4096;
  for (const auto& segment : step.program.segments)
    network.value_bytes = std::min(network.value_bytes, segment.address);
  network.dram_bytes = step.program.dram_bytes;
  CpuStep call;
  call.kernel = std::make_shared<KernelSymbol>("cosim_kernel_0");
  call.layer = 1;
  call.work = {{1, 2}, {3, 4}, 5, 6, 7, 8};
  const auto table = std::make_shared<std::vector<uint8_t>>(std::vector<uint8_t>{1, 2, 3, 4});
  call.arguments = {{0, 4, nullptr, false},
                    {0, 4, std::shared_ptr<const void>(table, table->data()), false},
                    {64, 4, nullptr, true}};
  network.steps.emplace_back(std::move(step));
  network.steps.emplace_back(std::move(call));
  Place in, out;
  in.name = "x";
  in.bytes = in.plain_bytes = 4;
  in.type = "int8[1,4]";
  in.scale = 0.5F;
  in.zero_point = -3;
  out = in;
  out.name = "y";
  out.address = 64;
  network.inputs = {in};
  network.outputs = {out};
  module.code = {std::string(HostArchitecture()),
                 HostArchitecture() == "x86_64" ? "x86-64-v2"
                 : HostArchitecture() == "arm"  ? "armv7"
                                                : "aarch64",
                 {0x7F, 'E', 'L', 'F'}};
  module.samples = {{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}};
  return module;
}

}  // namespace cosim::runtime::testing
