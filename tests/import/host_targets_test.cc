// SPDX-License-Identifier: Apache-2.0
// Whole networks in code for every processor of --host-target: at once where this machine is one, else under
// qemu.
#include <gmock/gmock.h>

#include <algorithm>

#include "compiler/cpu/host_target.h"
#include "compiler/cpu/jit.h"
#include "compiler/cpu/object.h"
#include "compiler/golden/golden.h"
#include "compiler/network/compile.h"
#include "compiler/session/execute.h"
#include "runtime/host_executor.h"
#include "tests/import/foreign_process.h"
#include "tests/import/goldens.h"

namespace cosim::import {
namespace {

const std::vector<Emulator> kEmulators = {
    {"armv7", "arm-linux-gnueabihf", "qemu-arm", "cortex-a9"},
    {"aarch64", "aarch64-linux-gnu", "qemu-aarch64", "cortex-a53"},
    {"aarch64-dotprod", "aarch64-linux-gnu", "qemu-aarch64", "neoverse-n1"},
};

std::string NameOf(const std::string& target) {
  std::string name = target;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// A model compiled for a target, whose kernels run wherever they can.
class HostTargets : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    COSIM_NEED_DATA();
    target_ = *cpu::FindHostTarget(GetParam());
    emulator_ = std::ranges::find(kEmulators, GetParam(), &Emulator::target);
    if (emulator_ == kEmulators.end() && !cpu::RunsHere(target_))
      GTEST_SKIP() << "this machine is no " << GetParam() << ", and no emulator of it is known";
    if (emulator_ != kEmulators.end())
      if (const std::string missing = MissingFor(*emulator_); !missing.empty())
        GTEST_SKIP() << missing << " is not installed";
  }

  void Compile(const std::string& path) {
    model_ = Import(DataFolder() + "/" + path);
    ASSERT_TRUE(model_);
    if (emulator_ == kEmulators.end()) {
      cpu::JitCompiler compiler(target_);
      network_ = network::CompileForHost(model_->graph, false, compiler);
    } else {
      cpu::ObjectCompiler compiler(target_);
      network_ = network::CompileForHost(model_->graph, false, compiler);
      std::string error;
      const auto object = compiler.Link(error);
      ASSERT_TRUE(object) << error;
      const auto process = ForeignProcess::Start(*emulator_, *object);
      ASSERT_TRUE(process);
      int calls = 0;
      for (auto& step : network_.steps) {
        auto& call = std::get<runtime::CpuStep>(step);
        if (!dynamic_cast<const runtime::KernelSymbol*>(call.kernel.get()))
          continue;  // a routine of this process
        call.kernel = process->KernelOf(call);
        ++calls;
      }
      EXPECT_GT(calls, 0);
    }
    session::DescribePlaces(model_->graph, model_.get(), network_);
  }

  std::vector<uint8_t> Output(const graph::Tensor& input) {
    runtime::HostExecutor executor(network_);
    executor.Run({session::BytesOf(input)});
    return executor.Read(network_.outputs[0]);
  }

  void ExpectGoldens(const std::string& name) {
    Compile("tflite/" + name);
    if (HasFatalFailure()) return;
    int checked = 0;
    for (const Json& golden : Goldens()) {
      if (golden["model"] != name) continue;
      ExpectInt8(golden, Output(InputOf(golden, model_->graph.node(model_->graph.inputs()[0]).type)));
      ++checked;
    }
    EXPECT_GT(checked, 0);
  }

  cpu::HostTarget target_;
  std::vector<Emulator>::const_iterator emulator_ = kEmulators.end();
  std::shared_ptr<const Model> model_;
  runtime::Network network_;
};

TEST_P(HostTargets, GiveTheBytesOfKeywordSpotting) { ExpectGoldens("kws_dscnn_int8.tflite"); }
TEST_P(HostTargets, GiveTheBytesOfResnet8) { ExpectGoldens("resnet8_cifar10_int8.tflite"); }
TEST_P(HostTargets, GiveTheBytesOfTheAutoencoder) { ExpectGoldens("ad_autoencoder_int8.tflite"); }

TEST_P(HostTargets, KeepFloatsWithinTheTolerance) {
  Compile("onnx/mnist_fp32.onnx");
  if (HasFatalFailure()) return;
  const auto inputs = RandomInputs(*model_, 1);
  const auto golden = golden::Run(model_->graph, inputs);
  const runtime::Place& place = network_.outputs[0];
  const auto compared = session::Compare(place, Output(inputs[0]), session::BytesOf(*golden[place.value]));
  EXPECT_GT(compared.values, 0);
  EXPECT_EQ(compared.mismatches, 0);
}

INSTANTIATE_TEST_SUITE_P(All, HostTargets, testing::ValuesIn(cpu::HostTargets()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace cosim::import
