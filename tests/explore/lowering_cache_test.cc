// SPDX-License-Identifier: Apache-2.0
// Compilations that share a cache give what each gives by itself: the same programs, to the last field.
#include "compiler/network/lowering_cache.h"

#include <gtest/gtest.h>

#include "compiler/cpu/no_code.h"
#include "compiler/network/compile.h"
#include "compiler/session/session.h"
#include "isa/spec/loader.h"

namespace cosim::network {
namespace {

isa::Spec SpecOf(const std::string& config, int latency, int write_latency) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec(
      config, "",
      {{"memory.latency", std::to_string(latency)}, {"memory.write_latency", std::to_string(write_latency)}},
      diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

/// Instructions, segments and layers.
void ExpectEqual(const runtime::Network& a, const runtime::Network& b) {
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (size_t i = 0; i < a.steps.size(); ++i) {
    const auto *x = std::get_if<runtime::AcceleratorStep>(&a.steps[i]),
               *y = std::get_if<runtime::AcceleratorStep>(&b.steps[i]);
    ASSERT_EQ(x == nullptr, y == nullptr);
    if (x == nullptr) continue;
    EXPECT_EQ(x->layer_of, y->layer_of);
    EXPECT_EQ(x->program.code_address, y->program.code_address);
    EXPECT_EQ(x->program.dram_bytes, y->program.dram_bytes);
    ASSERT_EQ(x->program.segments.size(), y->program.segments.size());
    for (size_t s = 0; s < x->program.segments.size(); ++s) {
      EXPECT_EQ(x->program.segments[s].address, y->program.segments[s].address);
      EXPECT_EQ(x->program.segments[s].bytes, y->program.segments[s].bytes);
    }
  }
  for (size_t l = 0; l < a.layers.size(); ++l) EXPECT_EQ(a.layers[l].schedule, b.layers[l].schedule);
}

TEST(LoweringCache, ProgramsAreThoseOfCompilationsWithoutOne) {
  struct Times {
    int latency, write_latency;
  };
  for (const char* config : {"tiny.yaml", "pynq.yaml"}) {
    const graph::Graph graph = session::QuantizeFor(SpecOf(config, 40, 20), "small_cnn", 1).graph;
    LoweringCache cache;
    std::string before;
    int changed = 0;
    for (const auto& [latency, write_latency] :
         {Times{40, 20}, {400, 20}, {3, 200}, {41, 20}, {900, 900}, {40, 20}}) {
      const isa::Spec spec = SpecOf(config, latency, write_latency);
      cpu::NoCodeCompiler cpu;
      const auto shared = Compile(graph, spec, {.after_pass = {}, .cache = &cache}, cpu);
      const auto alone = Compile(graph, spec, {.after_pass = {}}, cpu);
      ExpectEqual(shared, alone);
      std::string schedules;
      for (const runtime::Layer& layer : alone.layers) schedules += layer.schedule + "\n";
      changed += schedules != before;
      before = schedules;
    }
    EXPECT_GE(changed, 2) << config;  // or it would not matter
    EXPECT_FALSE(cache.tiles.empty());
    EXPECT_FALSE(cache.measured.empty());
    EXPECT_FALSE(cache.programs.empty());
  }
}

TEST(LoweringCache, SpecsThatProgramsDependOnHaveKeysOfTheirOwn) {
  const isa::Spec spec = SpecOf("tiny.yaml", 40, 20);
  EXPECT_EQ(LoweringCache::KeyOf(spec), LoweringCache::KeyOf(SpecOf("tiny.yaml", 80, 30)));
  EXPECT_NE(LoweringCache::KeyOf(spec), LoweringCache::KeyOf(SpecOf("pynq.yaml", 40, 20)));
  isa::Spec wider = spec;
  wider.dram.port_bits *= 2;
  EXPECT_NE(LoweringCache::KeyOf(spec), LoweringCache::KeyOf(wider));
}

}  // namespace
}  // namespace cosim::network
