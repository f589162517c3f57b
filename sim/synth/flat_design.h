// SPDX-License-Identifier: Apache-2.0
// A netlist with its modules opened up: every cell of the library once for each time it is in the design.
#pragma once

#include <string>
#include <vector>

#include "sim/synth/netlist.h"

namespace cosim::synth {

/// A module in its place.
struct Instance {
  int parent = -1;  ///< an instance; -1: this is the top
  std::string name;
  const Module* module = nullptr;
  int first_net = 0;  ///< its nets are numbered from here
};

struct FlatCell {
  const Cell* cell = nullptr;
  int instance = 0;
  std::vector<int> inputs, outputs;  ///< into cell->pins
};

class FlatDesign {
 public:
  explicit FlatDesign(const Netlist& netlist);

  const std::vector<Instance>& instances() const { return instances_; }
  const std::vector<FlatCell>& cells() const { return cells_; }
  int nets() const { return static_cast<int>(net_.size()); }
  /// The net of a cell's pin in the whole design; kConstant stays.
  int NetOf(const FlatCell& cell, int pin) const;
  /// The signal that the cell drives, or the cell's type, with the instances on the way:
  /// "i_fetch.i_fifo.head_q[2]".
  std::string NameOf(const FlatCell& cell) const;

 private:
  int Open(const Module& module, int parent, std::string name);
  void AddCell(const Cell& cell, const Module& library, int instance);
  int Find(int net) const;
  void Join(int a, int b);

  const Netlist& netlist_;
  std::vector<Instance> instances_;
  std::vector<FlatCell> cells_;
  mutable std::vector<int> net_;  ///< nets that are one, as a forest
};

}  // namespace cosim::synth
