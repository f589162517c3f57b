// SPDX-License-Identifier: Apache-2.0
// Operations of the graph whose ALU op is written into the YAML of an ISA: used where it stands there, on the
// host with the reason where it does not, and the golden model's values either way.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "compiler/session/session.h"
#include "tests/network_fuzz/network_case.h"
#include "tests/network_unit/testing.h"

namespace cosim::testing {

/// isa/cosim.yaml with `ops`, and with fields of alu instructions for the immediates they take.
inline isa::Spec SpecWith(const std::string& ops) {
  Diagnostics diags;
  const auto read = [&](const std::string& path) {
    return isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/" + path, diags)->text;
  };
  std::string text = read("isa/cosim.yaml");
  const std::string last_field = "      hi: int(inp_bits)\n";
  const size_t at = text.find(last_field);
  EXPECT_NE(at, std::string::npos);
  text.insert(at + last_field.size(), "      imm2: int(32)\n      shift2: uint(6)\n      imm3: int(32)\n");
  const auto spec =
      isa::Elaborate({"new_ops.yaml", text + ops}, {"tiny.yaml", read("configs/tiny.yaml")}, {}, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

/// Convolution, the operation, convolution; and the operation on a value that something else reads too.
inline graph::Graph NetworkWith(const graph::Op& op) {
  network::GraphBuilder b;
  const graph::ValueId first = b.Conv(b.Input({1, 9, 6, 6}), 10, {.pad = {1, 1, 1, 1}}, 3, 3, false);
  const graph::ValueId behind = b.Add(op, {first});
  const graph::ValueId second = b.Conv(behind, 10, {}, 1, 1, false);
  const graph::ValueId alone = b.Add(op, {second});
  b.graph.SetOutputs({b.Add(graph::QAdd{{3, 1 << 20, 20}, {-5, 1 << 20, 21}, 1}, {alone, second})});
  return b.graph;
}

struct OpRan {
  int on_host = 0, with_op = 0;  // layers; those on the accelerator that have the operation in them
  std::string reason, fault;
};

inline OpRan RunOn(const isa::Spec& spec, const graph::Graph& graph, const std::string& mnemonic) {
  OpRan ran;
  const auto network = session::CompileFor(spec, graph, {});
  EXPECT_EQ(session::VerifyPrograms(spec, network), "");
  for (const auto& layer : network.layers) {
    if (layer.op.starts_with("pack") || layer.op == "unpack") continue;
    if (!layer.on_accelerator) ++ran.on_host, ran.reason = layer.reason;
    ran.with_op += layer.on_accelerator && layer.op.find(mnemonic) != std::string::npos;
  }
  std::string refusal;
  ran.fault = FaultOnDevices(spec, network, graph, 7, false, refusal);
  return ran;
}

/// Expects `op` to run on the accelerator of an ISA with `yaml`, and on the host of isa/cosim.yaml itself.
inline void ExpectUsed(const graph::Op& op, const std::string& yaml) {
  const std::string mnemonic(graph::Mnemonic(op));
  const graph::Graph graph = NetworkWith(op);
  const OpRan with = RunOn(SpecWith(yaml), graph, mnemonic);
  EXPECT_EQ(with.on_host, 0) << with.reason;
  EXPECT_EQ(with.with_op, 2);
  EXPECT_EQ(with.fault, "");
  const OpRan without = RunOn(SpecWith(""), graph, mnemonic);
  EXPECT_EQ(without.on_host, 2);
  EXPECT_EQ(without.with_op, 0);
  EXPECT_THAT(without.reason, ::testing::HasSubstr("no sequence of up to 8 ALU ops of isa 'cosim"));
  EXPECT_EQ(without.fault, "");
}

}  // namespace cosim::testing
