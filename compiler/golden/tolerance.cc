// SPDX-License-Identifier: Apache-2.0
#include "compiler/golden/tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "isa/check.h"

namespace cosim::golden {
namespace {

using graph::DType;

constexpr int64_t kRoundings = 16;  // of an operation that is no sum of products
constexpr double kFactor = 16;
constexpr int64_t kOneIn = 1000;

/// Operations of the graph that round nothing, or round once as IEEE says.
bool IsExact(const graph::Node& node) {
  return std::visit(
      [&](const auto& op) {
        using T = std::decay_t<decltype(op)>;
        if constexpr (std::is_same_v<T, graph::HostOp>) return false;
        if constexpr (std::is_same_v<T, graph::Flatten> || std::is_same_v<T, graph::Dequantize> ||
                      std::is_same_v<T, graph::Concat> || std::is_same_v<T, graph::Pad> ||
                      std::is_same_v<T, graph::DepthToSpace> || std::is_same_v<T, graph::ResizeNearest> ||
                      std::is_same_v<T, graph::MaxPool> || std::is_same_v<T, graph::Relu> ||
                      std::is_same_v<T, graph::Add> || std::is_same_v<T, graph::Sub> ||
                      std::is_same_v<T, graph::Mul> || std::is_same_v<T, graph::Input> ||
                      std::is_same_v<T, graph::Constant>)
          return true;
        return !IsFloat(node.type.dtype);
      },
      node.op);
}

/// Roundings of one result, those of its operands not counted.
int64_t RoundingsOf(const graph::Graph& graph, graph::ValueId id) {
  const graph::Node& node = graph.node(id);
  if (IsExact(node)) return 0;
  const auto is_float = [&](graph::ValueId input) { return IsFloat(graph.node(input).type.dtype); };
  const bool any = IsFloat(node.type.dtype) || std::any_of(node.inputs.begin(), node.inputs.end(), is_float);
  if (!any) return 0;
  const int64_t size = std::max<int64_t>(graph::NumElements(node.type.shape), 1);
  int64_t terms = graph::Macs(graph, id) / size;
  if (!node.inputs.empty())
    terms = std::max(terms, graph::NumElements(graph.node(node.inputs[0]).type.shape) / size);
  return std::max(kRoundings, terms);
}

template <typename T>
T At(std::span<const uint8_t> bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
double RealAt(std::span<const uint8_t> bytes, size_t i) {
  if constexpr (std::is_same_v<T, graph::Half>) {
    return static_cast<double>(static_cast<float>(At<T>(bytes, i)));
  } else {
    return static_cast<double>(At<T>(bytes, i));
  }
}

/// How many differ by more than `relative`.
template <typename T>
int64_t Outside(double relative, std::span<const uint8_t> bytes, std::span<const uint8_t> golden) {
  const size_t count = golden.size() / sizeof(T);
  double squares = 0;
  int64_t finite = 0, outside = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = RealAt<T>(golden, i);
    if (!std::isfinite(value)) continue;
    squares += value * value;
    ++finite;
  }
  const double usual = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
  for (size_t i = 0; i < count; ++i) {
    const double a = RealAt<T>(bytes, i), b = RealAt<T>(golden, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const bool close = std::isfinite(b) && std::abs(a - b) <= relative * std::max(std::abs(b), usual);
    outside += close ? 0 : 1;
  }
  return outside;
}

int64_t Differing(std::span<const uint8_t> bytes, std::span<const uint8_t> golden, size_t element) {
  int64_t differing = 0;
  for (size_t i = 0; i < golden.size(); i += element)
    differing += std::memcmp(bytes.data() + i, golden.data() + i, element) != 0;
  return differing;
}

}  // namespace

std::vector<Tolerance> TolerancesOf(const graph::Graph& graph) {
  std::vector<int64_t> roundings(static_cast<size_t>(graph.size()), 0);
  std::vector<Tolerance> result(roundings.size());
  for (graph::ValueId id = 0; id < graph.size(); ++id) {
    const graph::Node& node = graph.node(id);
    int64_t& count = roundings[static_cast<size_t>(id)];
    Tolerance& tolerance = result[static_cast<size_t>(id)];
    for (graph::ValueId input : node.inputs) {
      count = std::max(count, roundings[static_cast<size_t>(input)]);
      tolerance.rounded |= result[static_cast<size_t>(input)].rounded;
    }
    count += RoundingsOf(graph, id);
    if (count == 0) continue;
    tolerance.rounded |= !IsFloat(node.type.dtype);
    tolerance.relative = kFactor * std::ldexp(1.0, -24) * std::sqrt(static_cast<double>(count));
    if (node.type.dtype == DType::kFloat16) tolerance.relative += std::ldexp(1.0, -10);
  }
  return result;
}

int64_t CountMismatches(DType dtype, const Tolerance& tolerance, std::span<const uint8_t> bytes,
                        std::span<const uint8_t> golden) {
  COSIM_CHECK(bytes.size() == golden.size(), "{} bytes for {}", bytes.size(), golden.size());
  const auto element = static_cast<size_t>(graph::SizeOf(dtype));
  const auto values = static_cast<int64_t>(golden.size() / element);
  int64_t outside = 0;
  if (tolerance.relative == 0 || !IsFloat(dtype)) {
    outside = Differing(bytes, golden, element);
  } else if (dtype == DType::kFloat32) {
    outside = Outside<float>(tolerance.relative, bytes, golden);
  } else if (dtype == DType::kFloat64) {
    outside = Outside<double>(tolerance.relative, bytes, golden);
  } else {
    outside = Outside<graph::Half>(tolerance.relative, bytes, golden);
  }
  const int64_t allowed = tolerance.rounded ? values / kOneIn : 0;
  return outside <= allowed ? 0 : outside;
}

}  // namespace cosim::golden
