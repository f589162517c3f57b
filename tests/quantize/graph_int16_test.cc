// SPDX-License-Identifier: Apache-2.0
// Networks quantized to int16: no sum can overflow whatever the inputs, shown by intervals over the integer
// graph and not by the rules that chose the reaches; and what the wider values gain.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/verify.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/quantize/graph/compare.h"
#include "compiler/quantize/graph/tensors.h"
#include "tests/graph/testing.h"

namespace cosim::graph {
namespace {

using testing::IsEmpty;

struct Interval {
  int64_t low = -32768, high = 32767;

  int64_t Magnitude() const { return std::max(-low, high); }
};

/// Of each value, from operation to operation.
class Intervals {
 public:
  explicit Intervals(const Graph& graph) : graph_(graph), users_(graph.Users()) {
    for (ValueId id = 0; id < graph.size(); ++id)
      values_.push_back(
          std::visit([&](const auto& op) { return Of(op, graph.node(id)); }, graph.node(id).op));
  }

 private:
  const Interval& Operand(const Node& node, size_t i) const { return values_[node.inputs[i]]; }

  /// Int32 sums must fit; what follows them is an int16 again.
  Interval Sum(const Node& node, int64_t low, int64_t high) const {
    EXPECT_GE(low, std::numeric_limits<int32_t>::min()) << node.name;
    EXPECT_LE(high, std::numeric_limits<int32_t>::max()) << node.name;
    return {low, high};
  }

  Interval Product(const Node& node) const {
    const Tensor& weight = *graph_.node(node.inputs[1]).As<Constant>()->data;
    const Interval x = Operand(node, 0);
    const int64_t channels = weight.shape()[0], taps = weight.size() / channels;
    Interval all{0, 0};
    for (int64_t c = 0; c < channels; ++c) {
      Interval sum{0, 0};
      for (const int8_t w : weight.data<int8_t>().subspan(c * taps, taps)) {
        sum.low += std::min({w * x.low, w * x.high, int64_t{0}});
        sum.high += std::max({w * x.low, w * x.high, int64_t{0}});
      }
      all = {std::min(all.low, sum.low), std::max(all.high, sum.high)};
    }
    return Sum(node, all.low, all.high);
  }

  Interval Pool(const Node& node, int64_t pixels) const {
    return Sum(node, pixels * Operand(node, 0).low, pixels * Operand(node, 0).high);
  }

  Interval Of(const Constant&, const Node&) const { return {}; }
  Interval Of(const Conv2d&, const Node& node) const { return Product(node); }
  Interval Of(const Dense&, const Node& node) const { return Product(node); }
  Interval Of(const BiasAdd&, const Node& node) const {
    const auto bias = graph_.node(node.inputs[1]).As<Constant>()->data->data<int32_t>();
    const auto [low, high] = std::ranges::minmax(bias);
    return Sum(node, Operand(node, 0).low + low, Operand(node, 0).high + high);
  }
  Interval Of(const MatMul& op, const Node& node) const {
    const int64_t terms = graph_.node(node.inputs[0]).type.shape[1] / op.groups;
    const auto* shares = graph_.node(node.inputs[0]).As<QSoftmax>();
    const int64_t weight = shares ? shares->levels + terms / 2 : terms * Operand(node, 0).Magnitude();
    const int64_t most = weight * Operand(node, 1).Magnitude();
    return Sum(node, -most, most);
  }
  Interval Of(const GlobalSumPool&, const Node& node) const {
    const Shape& shape = graph_.node(node.inputs[0]).type.shape;
    return Pool(node, shape[2] * shape[3]);
  }
  Interval Of(const SumPool& op, const Node& node) const { return Pool(node, op.kernel[0] * op.kernel[1]); }
  Interval Of(const Clip& op, const Node& node) const {
    return {std::max<int64_t>(op.lo, Operand(node, 0).low), std::min<int64_t>(op.hi, Operand(node, 0).high)};
  }
  Interval Of(const QAdd& op, const Node& node) const {
    const auto term = [&](const QAdd::Operand& operand, size_t i) {
      const double factor = std::ldexp(std::abs(static_cast<double>(operand.multiplier)), -operand.shift);
      return static_cast<int64_t>(factor * static_cast<double>(Operand(node, i).Magnitude())) + 1;
    };
    const int64_t most = term(op.a, 0) + term(op.b, 1);
    Sum(node, -most, most);
    return {};
  }
  Interval Of(const Table& op, const Node&) const {
    const auto [low, high] = std::ranges::minmax(op.table);
    return {low, high};
  }
  Interval Of(const QSoftmax& op, const Node&) const { return {0, std::min(op.levels, 32767)}; }
  template <typename Moves>
    requires(std::is_same_v<Moves, MaxPool> || std::is_same_v<Moves, Flatten> || std::is_same_v<Moves, Pad> ||
             std::is_same_v<Moves, DepthToSpace> || std::is_same_v<Moves, ResizeNearest> ||
             std::is_same_v<Moves, Concat>)
  Interval Of(const Moves&, const Node& node) const {
    Interval all{0, 0};
    for (size_t i = 0; i < node.inputs.size(); ++i)
      all = {std::min(all.low, Operand(node, i).low), std::max(all.high, Operand(node, i).high)};
    return all;
  }
  /// Clamped to int16 and to nothing less.
  template <typename Op>
  Interval Of(const Op&, const Node&) const {
    return {};
  }

  const Graph& graph_;
  std::vector<std::vector<ValueId>> users_;
  std::vector<Interval> values_;
};

QuantizedGraph Quantized(const Graph& source, QuantizationScheme scheme, int bits) {
  QuantizedGraph q = QuantizeGraph(source, {.scheme = scheme, .activation_bits = bits});
  EXPECT_THAT(Verify(q.graph), IsEmpty());
  return q;
}

/// Of the network's last value, on an input that calibration did not see.
double Sqnr(const QuantizedGraph& q) {
  const auto inputs = zoo::SyntheticInput(q.reference, 1000);
  return ReportQuantization(q, RunFloat(q.reference, inputs),
                            golden::Run(q.graph, QuantizeInputs(q.graph, inputs)))
      .back()
      .sqnr_db;
}

class Int16Network : public testing::TestWithParam<std::tuple<std::string, QuantizationScheme>> {};
INSTANTIATE_TEST_SUITE_P(
    Zoo, Int16Network,
    testing::Combine(testing::Values("mlp", "small_cnn", "resnet34:size=32,width=0.2",
                                     "mobilenet_v2:size=32,width=0.3", "squeezenet1_1:size=48,width=0.25",
                                     "autoencoder:size=24,width=0.25", "vit_tiny:size=32"),
                     testing::Values(QuantizationScheme::kPerChannel, QuantizationScheme::kPowerOfTwo)),
    [](const auto& info) {
      std::string name = std::get<0>(info.param) + "_" + std::string(Name(std::get<1>(info.param)));
      std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
      return name;
    });

TEST_P(Int16Network, HasSumsThatFit) {
  const auto& [network, scheme] = GetParam();
  const QuantizedGraph q = Quantized(zoo::Build(network, 1), scheme, 16);
  for (const Node& node : q.graph.nodes())
    EXPECT_TRUE(node.type.dtype != DType::kInt8 || node.As<Constant>());
  const Intervals proof(q.graph);
}

TEST_P(Int16Network, IsCloserToTheFloatNetwork) {
  const auto& [network, scheme] = GetParam();
  const Graph source = zoo::Build(network, 1);
  const double gain_db = Sqnr(Quantized(source, scheme, 16)) - Sqnr(Quantized(source, scheme, 8));
  // Weights stay int8, and with one scale for all channels they make most of the noise.
  EXPECT_GT(gain_db, scheme == QuantizationScheme::kPerChannel ? 2 : 0);
}

/// [1, inputs] -> dense -> [1, 1], all weights 1.
Graph Sum(int64_t inputs, float bias) {
  Graph g("sum");
  const ValueId x = g.AddInput("x", FloatType({1, inputs}));
  const ValueId w = g.AddConstant("w", Floats({1, inputs}, std::vector<float>(inputs, 1)));
  const ValueId dense = g.Add("dense", Dense{}, {x, w});
  g.SetOutputs({g.Add("bias", BiasAdd{}, {dense, g.AddConstant("b", Floats({1}, {bias}))})});
  return g;
}

TEST(Int16Reach, IsWhatTheWeightsOfManyInputsLeave) {
  const QuantizedGraph q = Quantized(Sum(4096, 0), QuantizationScheme::kPerChannel, 16);
  const Node& clip = q.graph.node(*q.graph.Find("x.clip"));
  // (2^31 - 2^28 - 2^20 - 1) / (4096 * 127)
  EXPECT_EQ(clip.As<Clip>()->hi, 3610);
  EXPECT_EQ(clip.As<Clip>()->lo, -3610);
  const Intervals proof(q.graph);
}

TEST(Int16Reach, IsAllOfInt16WhereSumsAreSmall) {
  const QuantizedGraph q = Quantized(Sum(400, 0), QuantizationScheme::kPerChannel, 16);
  EXPECT_FALSE(q.graph.Find("x.clip"));
  const Intervals proof(q.graph);
}

TEST(Int16Reach, LeavesLargeBiasesTheirPlace) {
  for (const auto scheme : {QuantizationScheme::kPerChannel, QuantizationScheme::kPowerOfTwo}) {
    const QuantizedGraph q = Quantized(Sum(1000, 1e7f), scheme, 16);
    const Intervals proof(q.graph);
    EXPECT_GT(Sqnr(q), 60);
  }
}

}  // namespace
}  // namespace cosim::graph
