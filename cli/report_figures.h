// SPDX-License-Identifier: Apache-2.0
// Figures that several parts of the report of `cosim run` show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/session/session.h"

namespace cosim::cli {

int64_t IdealCycles(int64_t macs, const isa::Spec& spec);
double Utilization(int64_t ideal, int64_t cycles);
double Milliseconds(int64_t cycles, const isa::Spec& spec);
/// What the accelerator reads and writes, in whole beats.
int64_t DramBytes(const session::Result& result);
double CyclesPerSecond(const session::Result& result);

/// The layers on the accelerator that begin with the same operation, taken together.
struct OpSum {
  std::string op;
  int layers = 0;
  int64_t cycles = 0, ideal = 0;
};

std::vector<OpSum> SumByOp(const session::Result& result, const isa::Spec& spec);

/// The last lines of the table.
std::string RunTotals(const session::Result& result, const isa::Spec& spec, const session::Options& options);

}  // namespace cosim::cli
