// SPDX-License-Identifier: Apache-2.0
// Kernels through a file: what an object computes, that it is the same every time, and who may load it.
#include "compiler/cpu/object.h"

#include <gmock/gmock.h>

#include <functional>

#include "compiler/cpu/jit.h"
#include "tests/cpu/testing.h"

namespace cosim::cpu {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using tir::LoopKind;

/// out[i] = in[i] + step for `count` elements, through a buffer of its own.
tir::Function AddStep(int64_t count, int64_t step, const std::string& prefix = "") {
  const auto type = tir::DataType::Int(32);
  const auto in = tir::MakeBuffer(prefix + "in", type, {count}),
             out = tir::MakeBuffer(prefix + "out", type, {count}),
             copy = tir::MakeBuffer(prefix + "copy", type, {count});
  const auto first = Loop("i", count, LoopKind::kSerial, [&](const tir::Expr& i) {
    return tir::MakeStmt(tir::Store{copy, {i}, tir::MakeLoad(in, {i}) + tir::Int(step, type)});
  });
  const auto second = Loop("j", count, LoopKind::kVectorized, [&](const tir::Expr& i) {
    return tir::MakeStmt(tir::Store{out, {i}, tir::MakeLoad(copy, {i})});
  });
  return {prefix + "add",
          {in, out},
          tir::MakeStmt(tir::Allocate{copy, tir::MakeStmt(tir::Seq{{first, second}})})};
}

HostTarget Target(const std::string& name) { return FindHostTarget(name).value(); }

std::shared_ptr<const runtime::LoadedObject> Load(const runtime::CpuObject& object) {
  std::string error;
  auto loaded = runtime::LoadedObject::Load(object, error);
  EXPECT_TRUE(loaded) << error;
  return loaded;
}

runtime::CpuObject Link(const ObjectCompiler& compiler) {
  std::string error;
  const auto object = compiler.Link(error);
  EXPECT_TRUE(object) << error;
  return object.value_or(runtime::CpuObject());
}

std::string NameOf(const runtime::CpuKernelPtr& kernel) {
  return dynamic_cast<const runtime::KernelSymbol&>(*kernel).name();
}

std::vector<int32_t> RunOn(const runtime::CpuKernelPtr& kernel, int64_t count, int32_t value) {
  std::vector<int32_t> in(count, value), out(count, -1);
  kernel->Run(std::vector<void*>{in.data(), out.data()});
  return out;
}

// Buffers on the stack and, above 16 KiB, on the heap.
TEST(Object, ComputesWhatItWasCompiledFrom) {
  ObjectCompiler compiler(Target(DefaultObjectTarget()));
  const auto kernels = compiler.CompileAll(std::vector{AddStep(17, 1), AddStep(10000, 2)});
  const auto loaded = Load(Link(compiler));
  ASSERT_TRUE(loaded);
  EXPECT_THAT(RunOn(loaded->Find(NameOf(kernels[0])), 17, 40), Each(41));
  EXPECT_THAT(RunOn(loaded->Find(NameOf(kernels[1])), 10000, 40), Each(42));
  EXPECT_EQ(loaded->Find("no_such_kernel"), nullptr);
}

TEST(Object, EqualFunctionsShareASymbol) {
  ObjectCompiler compiler(Target(DefaultObjectTarget()));
  const auto kernels =
      compiler.CompileAll(std::vector{AddStep(8, 1, "a_"), AddStep(8, 1, "b_"), AddStep(8, 2)});
  EXPECT_EQ(NameOf(kernels[0]), NameOf(kernels[1]));
  EXPECT_NE(NameOf(kernels[0]), NameOf(kernels[2]));
}

TEST(Object, SameFunctionsGiveTheSameBytes) {
  std::vector<runtime::CpuObject> objects;
  for (int i = 0; i < 2; ++i) {
    ObjectCompiler compiler(Target(DefaultObjectTarget()));
    compiler.CompileAll(std::vector{AddStep(64, 1), AddStep(10000, 2)});
    objects.push_back(Link(compiler));
  }
  EXPECT_FALSE(objects[0].bytes.empty());
  EXPECT_EQ(objects[0].bytes, objects[1].bytes);
}

TEST(Object, WithoutKernelsThereIsNothingToLink) {
  EXPECT_THAT(Link(ObjectCompiler(Target(DefaultObjectTarget()))).bytes, ::testing::IsEmpty());
}

// Every level that this machine has, in an object and by the JIT.
TEST(Object, EveryTargetThatRunsHereComputesTheSame) {
  int levels = 0;
  for (const std::string& name : HostTargets()) {
    const HostTarget target = Target(name);
    if (!RunsHere(target)) continue;
    ++levels;
    ObjectCompiler compiler(target);
    const std::string symbol = NameOf(compiler.Compile(AddStep(10000, 3)));
    EXPECT_THAT(RunOn(Load(Link(compiler))->Find(symbol), 10000, 40), Each(43)) << name;
    EXPECT_THAT(RunOn(JitCompiler(target).Compile(AddStep(10000, 3)), 10000, 40), Each(43)) << name;
  }
  EXPECT_GE(levels, 2);  // this machine as it is, and at least one that has a name
}

TEST(Object, SaysWhatItsMachineMustBe) {
  for (const std::string& name : HostTargets()) {
    ObjectCompiler compiler(Target(name));
    compiler.Compile(AddStep(10000, 1));
    const runtime::CpuObject object = Link(compiler);
    EXPECT_EQ(object.architecture, Target(name).architecture);
    EXPECT_EQ(object.level, name == kNativeTarget ? ObjectTarget(Target(name)).name : name);
    std::string error;
    EXPECT_EQ(runtime::LoadedObject::Load(object, error) != nullptr, RunsHere(Target(name))) << name << error;
  }
}

TEST(Object, TwoObjectsLiveSideBySide) {
  std::vector<runtime::CpuKernelPtr> kernels;
  for (int32_t step : {1, 2, 3}) {
    ObjectCompiler compiler(Target(DefaultObjectTarget()));
    const std::string name = NameOf(compiler.Compile(AddStep(16, step)));
    kernels.push_back(Load(Link(compiler))->Find(name));
  }
  for (int32_t step : {1, 2, 3}) EXPECT_THAT(RunOn(kernels[step - 1], 16, 10), Each(10 + step));
}

// Of the processors of boards; that the code is right, tests/board show.
TEST(Object, IsForTheMachineThatItWasAskedFor) {
  constexpr uint8_t kArm = 40, kAarch64 = 183;
  for (const auto& [level, architecture, machine] :
       {std::tuple("armv7", "arm", kArm), std::tuple("aarch64", "aarch64", kAarch64)}) {
    ObjectCompiler compiler(Target(level));
    compiler.CompileAll(std::vector{AddStep(17, 1), AddStep(10000, 2)});
    const runtime::CpuObject object = Link(compiler);
    EXPECT_EQ(object.architecture, architecture);
    ASSERT_GT(object.bytes.size(), 64U);
    EXPECT_EQ(object.bytes[18], machine);
    // Debian's armhf loads what says that floats are passed in registers, and nothing else.
    constexpr uint8_t kHardFloat = 0x04;
    if (machine == kArm) EXPECT_EQ(object.bytes[37] & kHardFloat, kHardFloat);
    std::string error;
    if (runtime::HostArchitecture() != architecture)
      EXPECT_EQ(runtime::LoadedObject::Load(object, error), nullptr);
  }
}

/// out[i] = value(x[i], y[i]) for 64 elements: enough for vectors, and each of them.
tir::Function MapOf(tir::DataType from, tir::DataType to, LoopKind kind,
                    const std::function<tir::Expr(tir::Expr, tir::Expr)>& value) {
  const auto x = tir::MakeBuffer("x", from, {64}), y = tir::MakeBuffer("y", from, {64}),
             out = tir::MakeBuffer("out", to, {64});
  return {"map", {x, y, out}, Loop("i", 64, kind, [&](const tir::Expr& i) {
            return tir::MakeStmt(tir::Store{out, {i}, value(tir::MakeLoad(x, {i}), tir::MakeLoad(y, {i}))});
          })};
}

// A processor that lacks an instruction calls a function, and the board's loader has to have it (Link checks
// that).
TEST(Object, WhateverItComputesLoadsOnItsMachine) {
  const auto single = tir::DataType::Float(32), twice = tir::DataType::Float(64);
  for (const std::string& name : HostTargets()) {
    ObjectCompiler compiler(Target(name));
    std::vector<tir::Function> functions;
    for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
      for (const auto type : {single, twice}) {
        for (int fn = 0; fn <= static_cast<int>(tir::MathFn::kAtanh); ++fn)
          functions.push_back(MapOf(type, type, kind, [&](const tir::Expr& x, const tir::Expr&) {
            return tir::MakeMath(static_cast<tir::MathFn>(fn), x);
          }));
        for (const auto op : {tir::BinaryOp::kDiv, tir::BinaryOp::kPow, tir::BinaryOp::kFMod})
          functions.push_back(MapOf(type, type, kind, [&](const tir::Expr& x, const tir::Expr& y) {
            return tir::MakeBinary(op, x, y);
          }));
        functions.push_back(MapOf(type, type, kind, [&](const tir::Expr& x, const tir::Expr&) {
          return tir::MakeMath(tir::MathFn::kSin, x) + tir::MakeMath(tir::MathFn::kCos, x);
        }));
      }
      for (const int bits : {8, 16, 32, 64}) {
        for (const auto type : {tir::DataType::Int(bits), tir::DataType::UInt(bits)}) {
          for (const auto op : {tir::BinaryOp::kFloorDiv, tir::BinaryOp::kFloorMod})
            functions.push_back(MapOf(type, type, kind, [&](const tir::Expr& x, const tir::Expr& y) {
              return tir::MakeBinary(op, x, y);
            }));
          for (const auto real : {single, twice}) {
            functions.push_back(MapOf(type, real, kind, [&](const tir::Expr& x, const tir::Expr&) {
              return tir::MakeCast(real, x);
            }));
            functions.push_back(MapOf(real, type, kind, [&](const tir::Expr& x, const tir::Expr&) {
              return tir::MakeCast(type, x);
            }));
          }
        }
      }
    }
    compiler.CompileAll(functions);
    EXPECT_FALSE(Link(compiler).bytes.empty()) << name;
  }
}

TEST(Object, IsRefusedByTheWrongMachine) {
  ObjectCompiler compiler(Target(DefaultObjectTarget()));
  compiler.Compile(AddStep(8, 1));
  const runtime::CpuObject object = Link(compiler);
  std::string error;
  runtime::CpuObject other = object;
  other.architecture = "riscv64";
  EXPECT_EQ(runtime::LoadedObject::Load(other, error), nullptr);
  EXPECT_THAT(error, HasSubstr("its CPU code is for riscv64, this machine is "));
  other = object;
  other.level = "x86-64-v9";
  EXPECT_EQ(runtime::LoadedObject::Load(other, error), nullptr);
  EXPECT_EQ(error, "its CPU code needs a processor of level x86-64-v9, which this one is not");
  other = object;
  other.bytes.assign(100, 0x55);
  EXPECT_EQ(runtime::LoadedObject::Load(other, error), nullptr);
  EXPECT_EQ(error, "its CPU code cannot be loaded: it is no ELF file");
}

}  // namespace
}  // namespace cosim::cpu
