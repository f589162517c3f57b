// SPDX-License-Identifier: Apache-2.0
// ONNX: the backend suite, trained networks, and files that are no models.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/import/data/inputs.h"
#include "compiler/import/onnx/conformance.h"
#include "tests/import/testing.h"

namespace cosim::import {
namespace {

constexpr char kSuite[] = "/usr/share/libonnx-testdata/data";

// What the suite had when this was written; a fall is a regression, a rise wants new numbers.
constexpr int kLeastPassed = 1035;

TEST(OnnxConformance, PassesAsManyCasesAsEver) {
  const auto cases = ConformanceCases(kSuite);
  if (cases.empty()) GTEST_SKIP() << "libonnx-testdata is not installed";
  int passed = 0;
  std::vector<CaseResult> results;
  for (const auto& name : cases) {
    results.push_back(RunConformanceCase(kSuite, name));
    passed += results.back().status == CaseStatus::kPass;
    EXPECT_NE(results.back().status, CaseStatus::kFail) << name << ": " << results.back().detail;
  }
  EXPECT_GE(passed, kLeastPassed);
  int left_out = 0;
  for (const CaseResult& result : results) left_out += !result.left_out.empty();
  EXPECT_EQ(left_out, 37);
  EXPECT_EQ(passed + left_out, static_cast<int>(results.size()));
  const Share share = NetworkOperators(results);
  EXPECT_GE(share.passed * 100, share.cases * 98) << share.passed << " of " << share.cases;
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/onnx-operators.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(page, ConformanceTable(results))
      << "rewrite it: cosim conformance onnx -o docs/reference/onnx-operators.md";
}

TEST(OnnxGoldens, MnistIsMatched) {
  COSIM_NEED_DATA();
  const auto model = Import(DataFolder() + "/onnx/mnist_fp32.onnx");
  ASSERT_TRUE(model);
  std::ifstream file(DataFolder() + "/goldens.json");
  int checked = 0;
  for (const auto& golden : nlohmann::json::parse(file)) {
    if (golden["model"] != "mnist_fp32.onnx") continue;
    Diagnostics diagnostics;
    const auto inputs =
        LoadInputs(*model, {.files = {DataFolder() + "/" + golden["input"].get<std::string>()}}, diagnostics);
    ASSERT_TRUE(inputs) << diagnostics.Render();
    const auto result = RunModel(LoadTestSpec("pynq.yaml"), model, *inputs, "functional");
    ASSERT_TRUE(result);
    const auto want = golden["output_f32"].get<std::vector<float>>();
    const auto* got = reinterpret_cast<const float*>(result->run.outputs[0].data());
    ASSERT_EQ(result->run.outputs[0].size(), want.size() * sizeof(float));
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], golden["tolerance"].get<double>());
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

std::vector<double> Reals(const graph::Tensor& y) {
  std::vector<double> list;
  graph::WithElementType(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, graph::Half>)
      for (T v : y.data<T>()) list.push_back(static_cast<double>(v));
  });
  return list;
}

/// The first output by the golden model, of seeded inputs.
std::vector<double> Outputs(const Model& model, uint64_t seed) {
  return Reals(*golden::Run(model.graph, RandomInputs(model, seed))[model.graph.outputs()[0]]);
}

std::shared_ptr<const Model> KeywordSpotting(const std::string& form, bool host_only = false) {
  return Import(DataFolder() + "/onnx/micro_kws_" + form + ".onnx",
                {.shapes = {{"unk__68", {1}}}, .host_only = host_only});
}

TEST(OnnxNetworks, KeywordSpottingAgreesInAllItsForms) {
  COSIM_NEED_DATA();
  const auto fp32 = KeywordSpotting("fp32"), qdq = KeywordSpotting("qdq"),
             qoperator = KeywordSpotting("qoperator");
  ASSERT_TRUE(fp32 && qdq && qoperator);
  const auto top = [](const std::vector<double>& y) {
    return std::max_element(y.begin(), y.end()) - y.begin();
  };
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    const auto a = Outputs(*fp32, seed), b = Outputs(*qdq, seed), c = Outputs(*qoperator, seed);
    EXPECT_EQ(top(a), top(b)) << seed;
    EXPECT_EQ(top(a), top(c)) << seed;
    ASSERT_EQ(b.size(), c.size());
    for (size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(b[i], c[i], 1.0 / 256) << seed;
  }
}

// What was mapped to the accelerator computes the very bytes that the host's operators do.
TEST(OnnxNetworks, CoreOperationsComputeWhatTheOperatorsDo) {
  COSIM_NEED_DATA();
  const auto core = KeywordSpotting("qoperator"), host = KeywordSpotting("qoperator", true);
  ASSERT_TRUE(core && host);
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    const auto values = graph::RunFloat(host->graph, RandomInputs(*host, seed));
    EXPECT_EQ(Outputs(*core, seed), Reals(*values[host->graph.outputs()[0]])) << seed;
  }
}

TEST(OnnxPartition, IntegerWorkRunsOnTheAccelerator) {
  COSIM_NEED_DATA();
  const auto spec = LoadTestSpec("pynq.yaml");
  for (const char* form : {"qdq", "qoperator"}) {
    const auto model = KeywordSpotting(form);
    ASSERT_TRUE(model);
    const auto result = RunModel(spec, model, RandomInputs(*model, 1), "cycle");
    ASSERT_TRUE(result);
    int64_t outside = 0;
    for (const auto& layer : result->network.layers) {
      if (layer.on_accelerator) continue;
      outside += layer.macs;
      EXPECT_NE(layer.reason, "") << layer.name;
      EXPECT_THAT(layer.op, testing::Not(testing::AnyOf("qlinear_conv", "qgemm", "qlinear_matmul",
                                                        "qlinear_add", "conv", "matmul", "gemm")))
          << form << ": " << layer.name << ": " << layer.reason;
    }
    EXPECT_EQ(outside, 0) << form;
    EXPECT_GT(result->macs, 5'000'000) << form;
  }
}

TEST(OnnxMalformed, DamageIsReportedNeverFatal) {
  COSIM_NEED_DATA();
  const auto bytes = BytesOf(DataFolder() + "/onnx/micro_kws_qoperator.onnx");
  const auto imports = [](const std::vector<uint8_t>& damaged) {
    Diagnostics diagnostics;
    const auto model = ImportOnnx(damaged, "damaged.onnx", "", {}, diagnostics);
    EXPECT_EQ(model.has_value(), !diagnostics.HasErrors());
    return model.has_value();
  };
  for (size_t length = 0; length < bytes.size(); length += length < 500 ? 1 : 499)
    EXPECT_FALSE(imports({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)})) << length;
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    auto damaged = bytes;
    for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips)
      damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    imports(damaged);
  }
}

TEST(OnnxMalformed, EverythingUnsupportedIsNamedAtOnce) {
  if (ConformanceCases(kSuite).empty()) GTEST_SKIP() << "libonnx-testdata is not installed";
  const auto result = RunConformanceCase(kSuite, "node/test_adam_multiple");
  EXPECT_EQ(result.status, CaseStatus::kUnsupported);
  EXPECT_THAT(result.detail,
              testing::HasSubstr("operator ai.onnx.preview.training.Adam (operator set 1) is not supported"));
}

}  // namespace
}  // namespace cosim::import
