// SPDX-License-Identifier: Apache-2.0
#include "cli/report_figures.h"

#include <algorithm>

namespace cosim::cli {

int64_t IdealCycles(int64_t macs, const isa::Spec& spec) {
  return (macs + spec.MacsPerCycle() - 1) / spec.MacsPerCycle();
}

double Utilization(int64_t ideal, int64_t cycles) {
  return cycles > 0 ? static_cast<double>(ideal) / static_cast<double>(cycles) : 0;
}

double Milliseconds(int64_t cycles, const isa::Spec& spec) {
  return static_cast<double>(cycles) / (spec.clock_mhz * 1e3);
}

int64_t DramBytes(const session::Result& result) {
  uint64_t bytes = 0;
  for (const runtime::LayerProfile& layer : result.run.layers) bytes += layer.dram_bytes;
  return static_cast<int64_t>(bytes);
}

double CyclesPerSecond(const session::Result& result) {
  return static_cast<double>(result.run.cycles) / result.host.simulate_s;
}

std::vector<OpSum> SumByOp(const session::Result& result, const isa::Spec& spec) {
  std::vector<OpSum> sums;
  for (size_t i = 0; i < result.network.layers.size(); ++i) {
    const auto& layer = result.network.layers[i];
    if (!layer.on_accelerator) continue;
    const std::string op = layer.op.substr(0, layer.op.find('+'));
    auto sum = std::ranges::find(sums, op, &OpSum::op);
    if (sum == sums.end()) sum = sums.insert(sums.end(), {op});
    ++sum->layers;
    sum->cycles += result.run.layers[i].cycles;
    sum->ideal += IdealCycles(layer.macs, spec);
  }
  return sums;
}

}  // namespace cosim::cli
