// SPDX-License-Identifier: Apache-2.0
// Networks that an accelerator's addresses do not reach over: the host computes all of them, and every layer
// says so. Only planned where they are large.
#include <gmock/gmock.h>

#include "compiler/cpu/jit.h"
#include "compiler/golden/golden.h"
#include "compiler/network/compile.h"
#include "runtime/executor.h"
#include "sim/functional/functional_device.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using ::testing::HasSubstr;

std::string ReadText(const std::string& path) {
  Diagnostics diags;
  return isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/" + path, diags)->text;
}

/// tiny.yaml under an isa/cosim.yaml whose transfers have so many bits for the element in DRAM.
isa::Spec WithAddressBits(int bits) {
  std::string isa = ReadText("isa/cosim.yaml");
  const std::string from = "dram: uint(32)", to = "dram: uint(" + std::to_string(bits) + ")";
  int fields = 0;
  for (size_t at = 0; (at = isa.find(from, at)) != std::string::npos; at += to.size(), ++fields)
    isa.replace(at, from.size(), to);
  EXPECT_GT(fields, 3);
  Diagnostics diags;
  auto spec = isa::Elaborate({"cosim.yaml", isa}, {"tiny.yaml", ReadText("configs/tiny.yaml")}, {}, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

int OnAccelerator(const runtime::Network& network) {
  int count = 0;
  for (const auto& layer : network.layers) count += layer.on_accelerator;
  return count;
}

void ExpectReason(const runtime::Network& network, const std::string& reason) {
  EXPECT_EQ(OnAccelerator(network), 0);
  for (const auto& layer : network.layers) EXPECT_THAT(layer.reason, HasSubstr(reason)) << layer.name;
  for (const auto& step : network.steps) EXPECT_TRUE(std::holds_alternative<runtime::CpuStep>(step));
}

TEST(Reach, WhatAddressFieldsMissRunsOnTheHostAndIsExact) {
  GraphBuilder b;
  const auto x = b.Input({1, 8, 9, 9});
  b.graph.SetOutputs({b.Conv(b.Conv(x, 8, {}, 3, 3, false), 12, {}, 1, 1, false)});
  cpu::JitCompiler cpu;
  EXPECT_EQ(OnAccelerator(Compile(b.graph, WithAddressBits(32), {}, cpu)), 2);
  const isa::Spec spec = WithAddressBits(8);
  const auto network = Compile(b.graph, spec, {}, cpu);
  ExpectReason(network, "the network takes more than ");

  graph::Tensor input({graph::DType::kInt8, {1, 8, 9, 9}});
  for (int8_t& v : input.mutable_data<int8_t>()) v = static_cast<int8_t>(b.Pick(-128, 127));
  const auto golden = golden::Run(b.graph, {input});
  const auto bytes = [](const graph::Tensor& t) {
    return std::vector<uint8_t>(t.bytes().begin(), t.bytes().end());
  };
  sim::FunctionalDevice device(spec);
  const auto run = runtime::Execute(network, spec, device, {bytes(input)}, false);
  ASSERT_TRUE(run.completed) << run.error;
  EXPECT_EQ(run.outputs.at(0), bytes(*golden[b.graph.outputs()[0]]));
}

// 1 GiB of input, and as much of output: nothing of that size is allocated.
TEST(Reach, ValuesOverTwoGibibytesAreTheHosts) {
  GraphBuilder b;
  b.graph.SetOutputs({b.Conv(b.Input({1, 16, 8192, 8192}), 16, {}, 1, 1, false)});
  cpu::JitCompiler cpu;
  CompileOptions options;
  options.timing_only = true;
  const auto network = Compile(b.graph, Load("cosim.yaml", {}, "pynq.yaml"), options, cpu);
  ExpectReason(network, "bytes: programs are ordered over at most 2147483648");
}

}  // namespace
}  // namespace cosim::network
