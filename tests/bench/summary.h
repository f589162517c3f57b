// SPDX-License-Identifier: Apache-2.0
// What the runs of one process say together: the table of docs/reference/benchmarks.md.
#pragma once

#include <map>
#include <string>

namespace cosim::bench {

/// Figures by name, as "simulate/resnet18/timing_only cycles_per_s".
using Figures = std::map<std::string, double>;

/// One row for each figure, with its goal; ratios only between figures of this run.
std::string SummaryTable(const Figures& figures);

}  // namespace cosim::bench
