// SPDX-License-Identifier: Apache-2.0
// The routines of a module are made from the model it carries, and from no other.
#include "compiler/session/module.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <random>

#include "compiler/cpu/host_target.h"
#include "compiler/import/import.h"
#include "compiler/session/execute.h"
#include "runtime/module_file.h"
#include "tests/import/testing.h"
#include "tests/runtime/module_work.h"

namespace cosim::session {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RoutinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // A model of one operator that has no tensor expression.
    const std::string path = "/usr/share/libonnx-testdata/data/node/test_hardmax_axis_1/model.onnx";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "libonnx-testdata is not installed";
    Diagnostics diagnostics;
    ModuleOptions options{.network = "hardmax", .model = import::Import(path), .file = {}};
    options.file = {"model.onnx", *import::ReadWhole(path, diagnostics), {}};
    options.host_target = *cpu::FindHostTarget(cpu::DefaultObjectTarget());
    std::string error;
    auto made = MakeModule(spec_, {}, options, error);
    ASSERT_TRUE(made) << error;
    std::string why;
    module_ = *runtime::ReadModule(runtime::WriteModule(*made), why);
  }
  std::string ErrorAfter(const std::function<void(runtime::Module&)>& change) {
    runtime::Module module = module_;
    change(module);
    std::string error;
    EXPECT_FALSE(LinkModule(module, spec_, error, runtime::NativeCode::kLoad));
    return error;
  }
  static runtime::CpuStep& Call(runtime::Module& module, size_t step) {
    return std::get<runtime::CpuStep>(module.network.steps[step]);
  }

  const isa::Spec spec_ = import::LoadTestSpec("tiny.yaml");
  runtime::Module module_;
};

TEST_F(RoutinesTest, ComputeWhatTheGoldenModelDoes) {
  std::string error;
  ASSERT_TRUE(LinkModule(module_, spec_, error, runtime::NativeCode::kLoad)) << error;
  const auto result = RunModule(spec_, std::move(module_), {}, error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(result->Values(), 60);
  EXPECT_EQ(result->Mismatches(), 0);
  EXPECT_EQ(result->unchecked.size(), 1U);
}

TEST_F(RoutinesTest, AreRefusedWithAnotherModel) {
  EXPECT_THAT(ErrorAfter([](auto& m) { m.provenance.checksum ^= 1; }),
              HasSubstr("made another graph of its model than this cosim does"));
  EXPECT_THAT(ErrorAfter([](auto& m) { m.model->bytes.resize(100); }),
              StartsWith("its model cannot be imported:\nmodel.onnx: error[E09"));
  EXPECT_EQ(ErrorAfter([](auto& m) { m.model.reset(); }), "it has routines and no model");
}

TEST_F(RoutinesTest, AreRefusedWhenTheyAreNoneOfTheModel) {
  for (const uint32_t value : {0u, 100000u, ~0u})
    EXPECT_THAT(
        ErrorAfter([&](auto& m) { Call(m, 0).kernel = std::make_shared<runtime::RoutineSymbol>(value); }),
        HasSubstr("is none of its model's"));
  EXPECT_THAT(ErrorAfter([](auto& m) { Call(m, 0).arguments.pop_back(); }),
              HasSubstr("is none of its model's"));
  EXPECT_THAT(ErrorAfter([](auto& m) { Call(m, 0).arguments[0].bytes -= 4; }),
              HasSubstr("is none of its model's"));
  EXPECT_THAT(ErrorAfter([](auto& m) { Call(m, 0).arguments.back().is_output = false; }),
              HasSubstr("is none of its model's"));
}

// Bytes behind a right checksum, one or a few of them changed: refused with a reason, or run to the end.
TEST_F(RoutinesTest, ChangedModulesDoNoHarm) {
  constexpr int kModules = 400;
  constexpr int64_t kMostWork = 1 << 20;
  std::erase_if(module_.network.steps, [](const auto& step) {
    const auto* call = std::get_if<runtime::CpuStep>(&step);
    return call != nullptr && dynamic_cast<const runtime::KernelSymbol*>(call->kernel.get()) != nullptr;
  });
  std::string error;
  const auto bytes = runtime::WriteModule(module_);
  const std::vector<uint8_t> payload = [&] {
    const auto whole = runtime::Open(bytes, error)->payload;
    return std::vector<uint8_t>(whole.begin(), whole.end());
  }();
  std::mt19937 random(1);
  int read = 0, linked = 0, run = 0;
  for (int i = 0; i < kModules; ++i) {
    std::vector<uint8_t> changed = payload;
    for (int n = i % 3; n >= 0; --n) {
      // Half of the changes go where the tables are, before the blobs.
      const size_t at = random() % (i % 2 == 0 ? changed.size() : std::min<size_t>(changed.size(), 6000));
      changed[at] = static_cast<uint8_t>(random() % 4 == 0 ? 0xff : random());
    }
    auto module = runtime::ReadModule(runtime::Seal(spec_.fingerprint, changed), error);
    if (!module) continue;
    ++read;
    if (!LinkModule(*module, spec_, error, runtime::NativeCode::kRefuse)) continue;
    ++linked;
    if (!VerifyPrograms(spec_, module->network).empty() || module->network.dram_bytes > 1 << 26 ||
        runtime::testing::WorkOf(spec_, module->network, kMostWork) > kMostWork)
      continue;
    PortsOf(module->network.inputs, error);
    Options options;
    options.device = "functional";
    run += RunModule(spec_, std::move(*module), options, error).has_value();
  }
  EXPECT_LT(linked, kModules);
  EXPECT_GT(run, 10) << read << " read, " << linked << " linked";
}

TEST_F(RoutinesTest, PortsAreRefusedWhenTheyDoNotHoldTheirType) {
  std::string error;
  for (const char* type : {"float32[3,4,6]", "float32[", "float33[1]", "float32[9,9,]", "float32[-1]",
                           "float32[4611686018427387904,4]", ""}) {
    module_.network.inputs[0].type = type;
    EXPECT_FALSE(PortsOf(module_.network.inputs, error)) << type;
    EXPECT_THAT(error, HasSubstr("has 240 bytes and the type '"));
  }
}

TEST(CompiledModule, NeedsNoModelWhenEveryLayerIsCode) {
  COSIM_NEED_DATA();
  const std::string path = import::DataFolder() + "/onnx/mnist_fp32.onnx";
  const isa::Spec spec = import::LoadTestSpec("tiny.yaml");
  ModuleOptions options{.network = "mnist", .model = import::Import(path), .file = {}};
  options.host_target = *cpu::FindHostTarget(cpu::DefaultObjectTarget());
  std::string error;
  auto made = MakeModule(spec, {}, options, error);
  ASSERT_TRUE(made) << error;
  auto module = *runtime::ReadModule(runtime::WriteModule(*made), error);
  EXPECT_FALSE(module.model);
  ASSERT_TRUE(LinkModule(module, spec, error, runtime::NativeCode::kLoad)) << error;
  const auto result = RunModule(spec, std::move(module), {}, error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(result->Values(), 10);
  EXPECT_EQ(result->Mismatches(), 0);
  EXPECT_TRUE(result->unchecked.empty());
}

TEST(CompiledModule, OfTheModelsOfTheDataHoldsCodeForAllHostWork) {
  COSIM_NEED_DATA();
  const isa::Spec spec = import::LoadTestSpec("tiny.yaml");
  for (const char* name :
       {"onnx/micro_kws_fp32.onnx", "onnx/micro_kws_qdq.onnx", "onnx/micro_kws_qoperator.onnx",
        "tflite/ad_autoencoder_int8.tflite", "tflite/kws_dscnn_int8.tflite",
        "tflite/resnet8_cifar10_fp32.tflite", "tflite/resnet8_cifar10_int8.tflite"}) {
    ModuleOptions options{
        .network = name, .model = import::Import(import::DataFolder() + "/" + name), .file = {}};
    options.samples = 0;
    options.host_target = *cpu::FindHostTarget(cpu::DefaultObjectTarget());
    std::string error;
    const auto made = MakeModule(spec, {}, options, error);
    ASSERT_TRUE(made) << name << ": " << error;
    EXPECT_FALSE(made->model) << name;
  }
}

}  // namespace
}  // namespace cosim::session
