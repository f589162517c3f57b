// SPDX-License-Identifier: Apache-2.0
// Variants of isa/cosim.yaml by edits of its YAML alone, and running small networks on them: compiled,
// verified, and held to the golden model on the functional and the cycle device, and on the RTL where it has
// a template.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "compiler/session/warnings.h"
#include "sim/cycle/timing_engine.h"
#include "tests/network_fuzz/isa_edit.h"
#include "tests/network_fuzz/network_case.h"
#include "tests/network_unit/testing.h"

namespace cosim::testing {

using Edits = std::vector<std::string>;
using network::GraphBuilder;

inline std::string TextOfFile(const std::string& path) {
  Diagnostics diags;
  return isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/" + path, diags)->text;
}

inline isa::YamlNode CosimTree() {
  Diagnostics diags;
  return *isa::ParseYaml({"isa.yaml", TextOfFile("isa/cosim.yaml")}, diags);
}

/// isa/cosim.yaml after edits, each of which has to apply, under configs/tiny.yaml.
inline isa::Spec SpecAfter(const Edits& edits, const std::vector<isa::Override>& overrides) {
  isa::YamlNode tree = CosimTree();
  for (const std::string& text : edits) EXPECT_TRUE(Apply(*ParseEdit(text), tree)) << text;
  Diagnostics diags;
  const auto spec = isa::Elaborate({"edited.yaml", Emit(tree)},
                                   {"tiny.yaml", TextOfFile("configs/tiny.yaml")}, overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return spec ? *spec : isa::Spec{};
}

inline Edits Join(std::initializer_list<Edits> lists) {
  Edits all;
  for (const Edits& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// A unit as gemm is, with queues, sync and micro-ops of its own.
inline Edits CopyOfGemm(const std::string& name) {
  return {"copy:units/gemm=" + name,
          "copy:memories/gemm_uop=" + name + "_uop",
          "copy:instructions/gemm=" + name,
          "set:instructions/" + name + "/unit=" + name,
          "set:instructions/" + name + "/micro_ops=" + name + "_uop",
          "copy:instructions/sync_gemm=sync_" + name,
          "set:instructions/sync_" + name + "/unit=" + name,
          "copy:instructions/load_gemm_uop=load_" + name + "_uop",
          "set:instructions/load_" + name + "_uop/memory=" + name + "_uop",
          "copy:queues/load_to_gemm=load_to_" + name,
          "set:queues/load_to_" + name + "/to=" + name,
          "copy:queues/gemm_to_load=" + name + "_to_load",
          "set:queues/" + name + "_to_load/from=" + name,
          "copy:queues/gemm_to_alu=" + name + "_to_alu",
          "set:queues/" + name + "_to_alu/from=" + name,
          "copy:queues/alu_to_gemm=alu_to_" + name,
          "set:queues/alu_to_" + name + "/to=" + name};
}

/// gemm2 reads wgt too: a bank at a time, as gemm does.
inline Edits SecondUnit() {
  return Join({CopyOfGemm("gemm2"),
               {"add:memories/wgt/banks=4",
                "set:memories/wgt/depth=floor_div(wgt_bytes * 8, wgt.bits * wgt.banks) * wgt.banks",
                "add:instructions/gemm/fields/lock_wgt=uint(wgt.banks)",
                "add:instructions/gemm2/fields/lock_wgt=uint(wgt.banks)"}});
}

/// gemm2 has weights of its own.
inline Edits SecondUnitWithWeights() {
  return Join({CopyOfGemm("gemm2"),
               {"copy:memories/wgt=wgt2", "copy:instructions/load_wgt=load_wgt2",
                "set:instructions/load_wgt2/memory=wgt2",
                "set:instructions/gemm2/computes=acc[dst][b, o] += wgt2[wgt][o, k] * inp[src][b, k]"}});
}

inline Edits LaneMemory() {
  return {"copy:memories/par=dw",
          "drop:memories/dw/fields",
          "add:memories/dw/type=int(wgt_bits)",
          "set:memories/dw/depth=256",
          "copy:instructions/load_par=load_dw",
          "set:instructions/load_dw/memory=dw",
          "set:instructions/load_dw/fields/sram=uint(index_bits(dw.depth))"};
}
inline const char* const kPerLane =
    "set:instructions/mac/computes=acc[dst][b, c] += inp[src][b, c] * dw[wgt][c]";

/// A unit that multiplies lane by lane.
inline Edits LaneUnit() { return Join({LaneMemory(), CopyOfGemm("mac"), {kPerLane}}); }

/// The same as a second instruction of gemm.
inline Edits LaneInstruction() { return Join({LaneMemory(), {"copy:instructions/gemm=mac", kPerLane}}); }

/// Memories and a port with room, so that what computes is the bottleneck.
inline std::vector<isa::Override> Roomy(int block) {
  const auto set = [](const char* name, int64_t value) { return isa::Override{name, std::to_string(value)}; };
  const int64_t elements = 4096;
  return {set("parameters.block_in", block),
          set("parameters.block_out", block),
          set("parameters.alu_lanes", block),
          set("parameters.inp_bytes", elements * block),
          set("parameters.acc_bytes", elements * 4 * block),
          set("parameters.wgt_bytes", elements * block * block),
          set("parameters.uop_bytes", 16384),
          set("parameters.tokens", 16),
          set("parameters.commands", 16),
          set("parameters.fetch_words", 64),
          set("parameters.load_beats", 64),
          set("memory.port_bits", 256)};
}

struct Ran {
  int64_t Count(const std::string& instruction) const {
    const auto found = instructions.find(instruction);
    return found == instructions.end() ? 0 : found->second;
  }

  int64_t cycles = 0;
  std::vector<std::string> reasons;  // of layers on the host, conversions apart
  std::map<std::string, int64_t> instructions;
  std::string warnings, fault, refusal;  // of a device; of the RTL
};

/// Compiles, verifies and runs on the functional and cycle devices, and the RTL with `rtl`.
inline Ran RunVariant(const isa::Spec& spec, const graph::Graph& graph, bool rtl = false) {
  Ran ran;
  const auto network = session::CompileFor(spec, graph, {});
  EXPECT_EQ(session::VerifyPrograms(spec, network), "");
  for (const auto& layer : network.layers)
    if (!layer.on_accelerator && !layer.op.starts_with("pack") && layer.op != "unpack")
      ran.reasons.push_back(layer.reason);
  for (const auto& step : network.steps) {
    const auto* program = std::get_if<runtime::AcceleratorStep>(&step);
    if (!program) continue;
    const auto decoded = sim::DecodeAll(spec, program->program);
    const auto counters = sim::TimingEngine(spec).Run(decoded, program->program.code_address);
    EXPECT_TRUE(counters.completed) << counters.error;
    ran.cycles += counters.cycles;
    for (const auto& instruction : program->program.instructions)
      ++ran.instructions[spec.formats[instruction.format].name];
  }
  for (const auto& warning : session::WarningsOf(spec, network)) ran.warnings += warning.text + "\n";
  ran.fault = FaultOnDevices(spec, network, graph, 7, rtl, ran.refusal);
  return ran;
}

/// Two convolutions of `channels` with a residual add, as ResNet has them.
inline graph::Graph ResidualBlock(int64_t channels, int64_t size) {
  GraphBuilder b;
  const graph::Conv2d attributes{.pad = {1, 1, 1, 1}};
  const auto x = b.Input({1, channels, size, size});
  const auto y = b.Conv(b.Conv(x, channels, attributes, 3, 3, false), channels, attributes, 3, 3, false);
  b.graph.SetOutputs({b.Add(graph::QAdd{{3, 77, 6}, {-4, 90, 7}, 5}, {y, x})});
  return b.graph;
}

inline graph::Graph Depthwise(int64_t channels, int64_t size, int64_t stride = 1) {
  GraphBuilder b;
  graph::Conv2d attributes{.stride = {stride, stride}, .pad = {1, 1, 1, 1}};
  attributes.groups = channels;
  attributes.input_zero_point = 3;
  b.graph.SetOutputs({b.Conv(b.Input({1, channels, size, size}), channels, attributes, 3, 3, false)});
  return b.graph;
}

inline void ExpectExact(const Ran& ran) {
  EXPECT_THAT(ran.reasons, ::testing::IsEmpty());
  EXPECT_EQ(ran.fault, "");
  EXPECT_EQ(ran.refusal, "");
}

}  // namespace cosim::testing
