// SPDX-License-Identifier: Apache-2.0
// Compilations that share a cache give what each gives by itself: the same programs, to the last field.
#include "compiler/network/lowering_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "compiler/cpu/no_code.h"
#include "compiler/network/compile.h"
#include "compiler/session/session.h"
#include "isa/spec/loader.h"

namespace cosim::network {
namespace {

isa::Spec SpecOf(const std::string& config, const std::vector<isa::Override>& set) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec(config, "", set, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

isa::Spec SpecOf(const std::string& config, int latency, int write_latency) {
  return SpecOf(config, {{"memory.latency", std::to_string(latency)},
                         {"memory.write_latency", std::to_string(write_latency)}});
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

TEST(LoweringCache, OneIsForAllLanesBuffersAndCommands) {
  const graph::Graph graph = session::QuantizeFor(SpecOf("tiny.yaml", {}), "small_cnn", 1).graph;
  const std::string key = LoweringCache::KeyOf(SpecOf("tiny.yaml", {}));
  LoweringCache cache;
  for (const isa::Override& set : {isa::Override{"parameters.commands", "2"},
                                   {"parameters.commands", "16"},
                                   {"parameters.load_beats", "64"},
                                   {"parameters.fetch_words", "64"},
                                   {"memory.outstanding", "1"}}) {
    const isa::Spec spec = SpecOf("tiny.yaml", {set});
    ASSERT_EQ(LoweringCache::KeyOf(spec), key) << set.path;
    cpu::NoCodeCompiler cpu;
    const auto shared = Compile(graph, spec, {.after_pass = {}, .cache = &cache}, cpu);
    ExpectEqual(shared, Compile(graph, spec, {.after_pass = {}}, cpu));
    EXPECT_EQ(session::VerifyPrograms(spec, shared), "") << set.path;
  }
  EXPECT_NE(LoweringCache::KeyOf(SpecOf("tiny.yaml", {{"parameters.tokens", "2"}})), key);
  EXPECT_NE(LoweringCache::KeyOf(SpecOf("tiny.yaml", {{"parameters.acc_bytes", "2048"}})), key);
}

TEST(KernelCache, ProgramsAreThoseOfCompilationsWithoutOneWhateverMemoriesHold) {
  const graph::Graph graph = session::QuantizeFor(SpecOf("tiny.yaml", {}), "small_cnn", 1).graph;
  const auto kernels = std::make_shared<KernelCache>();
  const std::string scope = KernelCache::ScopeOf(SpecOf("tiny.yaml", {}));
  size_t made = 0;
  for (const isa::Override& set : {isa::Override{"parameters.tokens", "8"},
                                   {"parameters.tokens", "2"},
                                   {"parameters.acc_bytes", "8192"},
                                   {"parameters.inp_bytes", "2048"},
                                   {"parameters.wgt_bytes", "4096"},
                                   {"parameters.uop_bytes", "1024"},
                                   {"parameters.acc_banks", "4"},
                                   {"parameters.alu_lanes", "1"},
                                   {"memory.latency", "300"}}) {
    const isa::Spec spec = SpecOf("tiny.yaml", {set});
    ASSERT_EQ(KernelCache::ScopeOf(spec), scope) << set.path;
    LoweringCache cache;
    cache.kernels = kernels;
    cache.scope = scope;
    cpu::NoCodeCompiler cpu;
    const auto shared = Compile(graph, spec, {.after_pass = {}, .cache = &cache}, cpu);
    ExpectEqual(shared, Compile(graph, spec, {.after_pass = {}}, cpu));
    if (made == 0) made = kernels->size();
  }
  EXPECT_GT(made, 0u);
  EXPECT_LT(kernels->size(), 4 * made);  // nine times as many, or nothing would be shared
  for (const isa::Override& set :
       {isa::Override{"parameters.block_out", "8"}, {"isa.alu_ops.mac_inp", "off"}})
    EXPECT_NE(KernelCache::ScopeOf(SpecOf("tiny.yaml", {set})), scope) << set.path;
}

TEST(Compile, BlankConstantsTakeThePlaceOfPackedOnes) {
  for (const char* config : {"tiny.yaml", "pynq.yaml"}) {
    const isa::Spec spec = SpecOf(config, {});
    const graph::Graph graph = session::QuantizeFor(spec, "small_cnn", 1).graph;
    cpu::NoCodeCompiler cpu;
    const auto packed = Compile(graph, spec, {.after_pass = {}}, cpu),
               blank = Compile(graph, spec, {.blank_constants = true, .after_pass = {}}, cpu);
    int constants = 0;
    for (size_t i = 0; i < packed.steps.size(); ++i) {
      const auto *x = std::get_if<runtime::AcceleratorStep>(&packed.steps[i]),
                 *y = std::get_if<runtime::AcceleratorStep>(&blank.steps[i]);
      if (x == nullptr) continue;
      ASSERT_EQ(x->program.segments.size(), y->program.segments.size());
      for (size_t s = 0; s < x->program.segments.size(); ++s) {
        const isa::Segment &a = x->program.segments[s], &b = y->program.segments[s];
        EXPECT_EQ(a.address, b.address);
        EXPECT_EQ(a.bytes.size(), b.bytes.size()) << a.name;
        if (a.kind != isa::Segment::Kind::kConstants) {
          EXPECT_EQ(a.bytes, b.bytes);
          continue;
        }
        constants += a.bytes != b.bytes;
        EXPECT_EQ(std::ranges::count(b.bytes, 0), std::ssize(b.bytes));
      }
    }
    EXPECT_GT(constants, 3);
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
