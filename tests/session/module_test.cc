// SPDX-License-Identifier: Apache-2.0
// The routines of a module are made from the model it carries, and from no other.
#include "compiler/session/module.h"

#include <gmock/gmock.h>

#include <functional>

#include "compiler/cpu/object.h"
#include "compiler/import/import.h"
#include "tests/import/testing.h"

namespace cosim::session {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RoutinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    COSIM_NEED_DATA();
    const std::string path = import::DataFolder() + "/onnx/mnist_fp32.onnx";
    Diagnostics diagnostics;
    ModuleOptions options{.network = "mnist", .model = import::Import(path), .file = {}};
    options.file = {"mnist_fp32.onnx", *import::ReadWhole(path, diagnostics), {}};
    options.cpu_level = cpu::DefaultObjectLevel();
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
    EXPECT_FALSE(LinkModule(module, spec_, error));
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
  ASSERT_TRUE(LinkModule(module_, spec_, error)) << error;
  const auto result = RunModule(spec_, std::move(module_), {}, error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(result->Values(), 10);
  EXPECT_EQ(result->Mismatches(), 0);
}

TEST_F(RoutinesTest, AreRefusedWithAnotherModel) {
  EXPECT_THAT(ErrorAfter([](auto& m) { m.provenance.checksum ^= 1; }),
              HasSubstr("made another graph of its model than this cosim does"));
  EXPECT_THAT(ErrorAfter([](auto& m) { m.model->bytes.resize(100); }),
              StartsWith("its model cannot be imported:\nmnist_fp32.onnx: error[E09"));
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

TEST_F(RoutinesTest, PortsAreRefusedWhenTheyDoNotHoldTheirType) {
  std::string error;
  for (const char* type : {"float32[1,1,28,29]", "float32[", "float33[1]", "float32[9,9,]", "float32[-1]",
                           "float32[4611686018427387904,4]", ""}) {
    module_.network.inputs[0].type = type;
    EXPECT_FALSE(PortsOf(module_.network.inputs, error)) << type;
    EXPECT_THAT(error, HasSubstr("has 3136 bytes and the type '"));
  }
}

}  // namespace
}  // namespace cosim::session
