// SPDX-License-Identifier: Apache-2.0
// RTL against models on programs that the compiler wrote: layers of the shapes that resnet18 is made of.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "compiler/cpu/jit.h"
#include "compiler/network/compile.h"
#include "tests/hw/lockstep.h"
#include "tests/hw/models.h"
#include "tests/network_unit/testing.h"

namespace cosim::testing {
namespace {

struct LayerShape {
  const char* name;
  int64_t in, out, kernel, stride, size;  ///< channels, channels, window, stride, rows and columns
};

void PrintTo(const LayerShape& layer, std::ostream* out) { *out << layer.name; }

const LayerShape kLayers[] = {
    {"Window3", 64, 64, 3, 1, 14},
    {"Window3Stride2", 64, 128, 3, 2, 14},
    {"Window1Stride2", 64, 128, 1, 2, 28},
    {"Window7Stride2", 3, 64, 7, 2, 28},
};

class Layers : public ::testing::TestWithParam<std::tuple<std::string, LayerShape>> {
 protected:
  /// The accelerator's programs, on whatever the DRAM holds.
  void ExpectAgreement(const graph::Graph& graph) {
    const std::string& name = std::get<0>(GetParam());
    const isa::Spec& spec = SpecOf(name);
    cpu::JitCompiler cpu;
    const runtime::Network network = network::Compile(graph, spec, {.after_pass = {}}, cpu);
    const std::unique_ptr<sim::RtlModel> model = MakeModel(name);
    int programs = 0;
    for (const auto& step : network.steps) {
      const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
      if (accelerator == nullptr) continue;
      ++programs;
      EXPECT_GT(accelerator->program.instructions.size(), 10u);
      EXPECT_EQ(Compare(*model, spec, accelerator->program).difference, "");
    }
    EXPECT_EQ(programs, 1);
  }
  bool vta() const { return std::get<0>(GetParam()) == "tiny_vta"; }
};

TEST_P(Layers, AgreeWithTheModels) {
  const LayerShape& layer = std::get<1>(GetParam());
  network::GraphBuilder builder;
  const int64_t pad = layer.kernel / 2;
  const graph::Conv2d conv{.stride = {layer.stride, layer.stride}, .pad = {pad, pad, pad, pad}};
  const graph::ValueId input = builder.Input({1, layer.in, layer.size, layer.size});
  builder.graph.SetOutputs({builder.Conv(input, layer.out, conv, layer.kernel, layer.kernel, vta())});
  ExpectAgreement(builder.graph);
}

INSTANTIATE_TEST_SUITE_P(Resnet18, Layers,
                         ::testing::Combine(::testing::Values("tiny_cosim", "tiny_vta"),
                                            ::testing::ValuesIn(kLayers)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + std::string("_") + std::get<1>(info.param).name;
                         });

}  // namespace
}  // namespace cosim::testing
