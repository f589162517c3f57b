// SPDX-License-Identifier: Apache-2.0
// Instructions of several units that compute the same, and the threads that are dealt to them.
#include <gmock/gmock.h>

#include <utility>

#include "compiler/accel/capabilities.h"
#include "compiler/accel/passes.h"
#include "tests/accel/testing.h"

namespace cosim::accel {
namespace {

using ::testing::HasSubstr;

/// tiny.yaml under cosim with an instruction 'gemm2' of a unit of its own; with `own_weights` it reads memory
/// 'wgt2', which can be loaded, and names its factors the other way round.
isa::Spec TwoUnits(bool own_weights) {
  isa::Spec spec = Load("tiny.yaml", "cosim");
  isa::InstructionFormat gemm = spec.formats[spec.FormatIndex("gemm")];
  isa::Unit unit = spec.units[gemm.unit];
  unit.name = gemm.name = "gemm2";
  gemm.unit = static_cast<int>(spec.units.size());
  spec.units.push_back(std::move(unit));
  if (own_weights) {
    isa::Memory memory = spec.memories[spec.MemoryIndex("wgt")];
    memory.name = "wgt2";
    isa::InstructionFormat load = spec.formats[spec.FormatIndex("load_wgt")];
    load.name = "load_wgt2";
    load.memory = gemm.intrinsic->sources[1].memory = static_cast<int>(spec.memories.size());
    std::swap(gemm.intrinsic->sources[0], gemm.intrinsic->sources[1]);
    spec.memories.push_back(std::move(memory));
    spec.formats.push_back(std::move(load));
  }
  spec.formats.push_back(std::move(gemm));
  return spec;
}

TEST(FindSameWork, PairsFactorsByWhatTheyAre) {
  const isa::Spec spec = TwoUnits(true);
  const auto same = FindSameWork(spec, spec.FormatIndex("gemm"));
  ASSERT_EQ(same.size(), 2u);
  EXPECT_EQ(same[0].format, spec.FormatIndex("gemm"));
  EXPECT_EQ(same[0].sources, (std::vector<int>{0, 1}));
  EXPECT_EQ(same[1].format, spec.FormatIndex("gemm2"));
  EXPECT_EQ(same[1].sources, (std::vector<int>{1, 0}));
}

TEST(FindSameWork, WantsTheSameSumsInTheSameMemory) {
  const auto count = [](const auto& change, bool own_weights = true) {
    isa::Spec spec = TwoUnits(own_weights);
    change(spec, spec.formats[spec.FormatIndex("gemm2")]);
    return FindSameWork(spec, spec.FormatIndex("gemm")).size();
  };
  EXPECT_EQ(count([](isa::Spec&, isa::InstructionFormat&) {}), 2u);
  EXPECT_EQ(count([](isa::Spec& spec, isa::InstructionFormat& f) { f.unit = spec.UnitIndex("gemm"); }), 1u);
  EXPECT_EQ(count([](isa::Spec&, isa::InstructionFormat& f) { f.intrinsic->dst.memory += 1; }), 1u);
  EXPECT_EQ(count([](isa::Spec&, isa::InstructionFormat& f) {
              std::swap(f.intrinsic->sources[0].axes[0], f.intrinsic->sources[0].axes[1]);
            }),
            1u)
      << "weights stand the other way round";
  EXPECT_EQ(count([](isa::Spec&, isa::InstructionFormat& f) { f.intrinsic->sources[1].parts = 2; }), 1u)
      << "it takes several elements";
  EXPECT_EQ(count([](isa::Spec&, isa::InstructionFormat& f) { f.intrinsic->sources[1].lines = 2; }), 1u)
      << "it takes several rows";
  EXPECT_EQ(count([](isa::Spec& spec, isa::InstructionFormat&) {
              spec.memories[spec.MemoryIndex("wgt2")].fields[0].type.is_signed = false;
            }),
            1u);
  EXPECT_EQ(count([](isa::Spec& spec, isa::InstructionFormat&) {
              spec.formats[spec.FormatIndex("load_wgt2")].memory = spec.MemoryIndex("wgt");
            }),
            1u)
      << "nothing loads 'wgt2'";
}

/// Four threads, each with sums and inputs of its own; weights too, or one buffer for all.
Kernel FourThreads(const isa::Spec& spec, bool own_weights) {
  const auto buffer = [&](const char* name, const char* memory, int copies) {
    return OnChipBuffer{
        tir::MakeBuffer(name, kInt8, {4}, memory), spec.MemoryIndex(memory), 4, copies, 4, -1};
  };
  Kernel kernel;
  kernel.name = "k";
  kernel.buffers = {buffer("sum", "acc", 4), buffer("x", "inp", 4), buffer("w", "wgt", own_weights ? 4 : 1)};
  const tir::Buffer dram = tir::MakeBuffer("weights", kInt8, {40});
  const Dim i{tir::MakeVar("i"), tir::Int(4)};
  const auto access = [&](int b, int copy) {
    return Access{kernel.buffers[b].buffer, tir::Int(0), {1}, copy};
  };
  for (int t = 0; t < (own_weights ? 4 : 1); ++t) {
    TransferLeaf load;
    load.dims = {i};
    load.dram = {dram, tir::Int(10 * t), {1}, 0};
    load.sram = access(2, t);
    kernel.body.push_back({load});
  }
  for (int t = 0; t < 4; ++t) {
    GemmLeaf gemm;
    gemm.format = spec.FormatIndex("gemm");
    gemm.dims = {i};
    gemm.dst = access(0, t);
    gemm.sources = {access(1, t), access(2, own_weights ? t : 0)};
    kernel.body.push_back({gemm});
  }
  return kernel;
}

TEST(ShareUnits, DealsThreadsInTurn) {
  const isa::Spec spec = TwoUnits(false);
  Kernel kernel = FourThreads(spec, false);
  const std::string before = ToString(kernel);
  ShareUnits(kernel, spec, 1);
  EXPECT_EQ(ToString(kernel), before);
  ShareUnits(kernel, spec, 2);
  EXPECT_THAT(ToString(kernel), HasSubstr("  gemm for i < 4: sum[0 + 1*i] += x[0 + 1*i] w[0 + 1*i]\n"
                                          "  gemm2 for i < 4: sum#1[0 + 1*i] += x#1[0 + 1*i] w[0 + 1*i]\n"
                                          "  gemm for i < 4: sum#2[0 + 1*i] += x#2[0 + 1*i] w[0 + 1*i]\n"
                                          "  gemm2 for i < 4: sum#3[0 + 1*i] += x#3[0 + 1*i] w[0 + 1*i]\n"));
}

TEST(ShareUnits, LoadsWhatAUnitReadsIntoItsMemory) {
  const isa::Spec spec = TwoUnits(true);
  Kernel kernel = FourThreads(spec, true);
  ShareUnits(kernel, spec, 2);
  EXPECT_EQ(ToString(kernel),
            "kernel k\n"
            "  buffer sum: 4 elements x 4 copies in acc\n"
            "  buffer x: 4 elements x 4 copies in inp\n"
            "  buffer w: 4 elements x 2 copies in wgt\n"
            "  buffer w.wgt2: 4 elements x 2 copies in wgt2\n"
            "  load for i < 4: w[0 + 1*i] = weights[0 + 1*i]\n"
            "  load for i < 4: w.wgt2[0 + 1*i] = weights[10 + 1*i]\n"
            "  load for i < 4: w#1[0 + 1*i] = weights[20 + 1*i]\n"
            "  load for i < 4: w.wgt2#1[0 + 1*i] = weights[30 + 1*i]\n"
            "  gemm for i < 4: sum[0 + 1*i] += x[0 + 1*i] w[0 + 1*i]\n"
            "  gemm2 for i < 4: sum#1[0 + 1*i] += w.wgt2[0 + 1*i] x#1[0 + 1*i]\n"
            "  gemm for i < 4: sum#2[0 + 1*i] += x#2[0 + 1*i] w#1[0 + 1*i]\n"
            "  gemm2 for i < 4: sum#3[0 + 1*i] += w.wgt2#1[0 + 1*i] x#3[0 + 1*i]\n");
}

TEST(ShareUnits, LoadsWhatAllUnitsReadIntoEachMemory) {
  const isa::Spec spec = TwoUnits(true);
  Kernel kernel = FourThreads(spec, false);
  ShareUnits(kernel, spec, 2);
  EXPECT_THAT(ToString(kernel), HasSubstr("  buffer w: 4 elements in wgt\n"
                                          "  buffer w.wgt2: 4 elements in wgt2\n"
                                          "  load for i < 4: w[0 + 1*i] = weights[0 + 1*i]\n"
                                          "  load for i < 4: w.wgt2[0 + 1*i] = weights[0 + 1*i]\n"));
}

}  // namespace
}  // namespace cosim::accel
