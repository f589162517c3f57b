// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/loss.h"

#include <algorithm>
#include <cmath>

namespace cosim::quantize {

// About what a good value of eight bits has: differences above say nothing.
constexpr double kMostDb = 40;

void LossFinder::AddRun(const Values& reference, const Values& quantized) {
  for (const auto& [name, exact] : reference) {
    const auto at = quantized.find(name);
    if (at == quantized.end() || exact->dtype() != graph::DType::kFloat32 ||
        at->second->dtype() != graph::DType::kFloat32 || exact->size() != at->second->size())
      continue;
    const auto a = exact->data<float>(), b = at->second->data<float>();
    const graph::Shape& shape = exact->shape();
    const int64_t count = shape.size() < 2 ? 1 : std::max<int64_t>(1, shape[1]);
    const int64_t inner =
        shape.size() < 2 ? exact->size() : exact->size() / std::max<int64_t>(1, shape[0] * count);
    std::vector<Sums>& channels = values_[name];
    channels.resize(count);
    for (size_t i = 0; i < a.size(); ++i) {
      Sums& sums = channels[static_cast<int64_t>(i) / inner % count];
      const double x = a[i], y = b[i];
      sums.exact += x * x;
      sums.approximate += y * y;
      sums.product += x * y;
    }
  }
}

double LossFinder::SqnrDb(const std::vector<Sums>& channels) {
  // A value is scaled when some channel is clearly a multiple, of less or more.
  constexpr double kAsItIs = 0.2, kClearly = 0.9;
  const auto slope = [](const Sums& s) { return s.approximate > 0 ? s.product / s.approximate : 1; };
  const auto is_multiple = [](const Sums& s) {
    return s.exact > 0 && s.approximate > 0 && s.product > kClearly * std::sqrt(s.exact * s.approximate);
  };
  const bool scaled = std::ranges::any_of(
      channels, [&](const Sums& s) { return is_multiple(s) && std::abs(slope(s) - 1) > kAsItIs; });
  double signal = 0, noise = 0;
  for (const Sums& s : channels) {
    const double factor = scaled && is_multiple(s) ? slope(s) : 1;
    signal += s.exact;
    noise += std::max(0.0, s.exact - 2 * factor * s.product + factor * factor * s.approximate);
  }
  // Of what rounding of doubles leaves of equal values, nothing.
  if (noise <= 1e-15 * signal) return 200;
  return std::clamp(10 * std::log10(signal / noise), -200.0, 200.0);
}

std::vector<LossFinder::Loss> LossFinder::Losses(const import::onnx::File& reference) const {
  std::vector<Loss> losses;
  std::map<std::string, double> db;  // of what was computed so far; absent: as good as it gets
  for (const auto& node : reference.nodes) {
    double before = kMostDb;
    for (const std::string& name : node.inputs)
      if (const auto at = db.find(name); at != db.end()) before = std::min(before, at->second);
    for (const std::string& name : node.outputs) db[name] = before;
    if (node.outputs.empty()) continue;
    const auto compared = values_.find(node.outputs[0]);
    if (compared == values_.end()) continue;
    const double own = SqnrDb(compared->second);
    losses.push_back({node.op, node.outputs[0], own, before - std::min(own, kMostDb)});
    db[node.outputs[0]] = std::min(own, kMostDb);
  }
  return losses;
}

}  // namespace cosim::quantize
