// SPDX-License-Identifier: Apache-2.0
// Yosys's netlist as it writes it in BLIF (write_blif -cname -conn -param -blackbox): modules of cells and of
// other modules, and the ports of the library's cells.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cosim::synth {

constexpr int kConstant = -1;  ///< a pin on 0, 1 or nothing

struct Pin {
  std::string port;     ///< "I0", or a bit: "DOA[1]"
  int net = kConstant;  ///< of the module
};

struct Cell {
  std::string type;  ///< a module of the netlist, or a cell of the library
  std::string name;
  std::vector<Pin> pins;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< values in binary digits, or quoted
};

struct Module {
  std::string name;
  bool is_library = false;  ///< ports only
  std::vector<std::string> nets;
  std::vector<Pin> inputs, outputs;
  std::vector<Cell> cells;
  std::vector<std::pair<int, int>> joined;  ///< nets that are one
};

struct Netlist {
  std::string top;  ///< its first module
  std::map<std::string, Module, std::less<>> modules;
};

/// Nothing when the text is not of that form; then `error` says where.
std::optional<Netlist> ParseNetlist(std::string_view text, std::string& error);

}  // namespace cosim::synth
