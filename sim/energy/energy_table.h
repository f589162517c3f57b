// SPDX-License-Identifier: Apache-2.0
// What operations and accesses cost in one technology, from YAML (docs/reference/energy.md). Every value
// stands beside the source it was taken from.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/yaml/reader.h"

namespace cosim::sim {

/// Energy, in pJ, of something that comes in sizes; of the sizes between and beyond those given by the power
/// law through the two nearest, in proportion where only one is given.
class CostBySize {
 public:
  CostBySize() = default;
  /// By size, ascending; at least one.
  explicit CostBySize(std::vector<std::pair<double, double>> points) : points_(std::move(points)) {}
  double At(double size) const;

 private:
  std::vector<std::pair<double, double>> points_;
};

/// All energies in pJ.
struct EnergyTable {
  std::string name, technology, doc;
  CostBySize multiply, add;  ///< by bits
  CostBySize sram;           ///< by bytes of the memory, for `sram_access_bits`
  double sram_access_bits = 64;
  double dram_byte = 0;
  double instruction = 0;  ///< one that is fetched and issued, besides its words' way from DRAM
  double host_cycle = 0;   ///< of the processor beside the accelerator, while it computes or copies
  double static_mw = 0;    ///< all the time; 0 when the table has none

  /// Of two factors so wide: as wide as their geometric mean.
  double Multiply(double bits, double other_bits) const;
};

/// What a table says of all that is no width and no size.
struct OtherCosts {
  std::optional<double> host_cycle, instruction, static_mw;
};
OtherCosts ReadOtherCosts(const isa::MapReader& reader, Diagnostics& diags);

/// Without its name, which is the file's. Nothing after reporting.
std::optional<EnergyTable> ReadEnergyTable(const isa::YamlNode& root, Diagnostics& diags);

}  // namespace cosim::sim
