// SPDX-License-Identifier: Apache-2.0
// The texts that Yosys and nextpnr read to route a block for itself: scripts, the top around it, its pins.
//
// A block's inputs come from a shift register, one bit for each register before the block; what it drives
// goes through registered trees of XOR to one pin: nothing is optimised away, and no path of the wrapper is
// long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/rtl/rtl_sources.h"

namespace cosim::synth {

/// Of a block, as Yosys's `portlist` prints them: "input [3:0] name".
struct BlockPort {
  bool is_input = false;
  int bits = 0;
  std::string name;
};

/// Lines of another form are skipped.
std::vector<BlockPort> ParsePorts(std::string_view text);

/// Reads the RTL, opens all modules up, writes flat.il and, into objects.txt, the names of all registers,
/// memories and outputs to pins, as "cosim_accelerator/NAME" lines.
std::string ElaborateScript(const std::vector<sim::RtlSource>& sources);

/// The objects of ElaborateScript's list without the module.
std::vector<std::string> ParseObjects(std::string_view text);
std::string ObjectsText(const std::vector<std::string>& objects);

/// Cuts what objects.txt names out of ../flat.il with the logic before it: block.il, ports.txt, and in
/// keep.txt the objects whose signals have to be looked at, so that they stay.
std::string CutScript(const std::string& flat);
/// The whole design likewise.
std::string WholeScript(const std::string& flat);

/// `kept`: outputs that are collected. Others are not connected: paths to them end in other blocks; but where
/// none is kept, all are, or nothing of the block would stay.
std::string WrapperText(const std::vector<BlockPort>& ports, const std::vector<std::string>& kept);
/// The register that bit `bit` of the wrapper's shift register stands for: "i_locks.held_q[3]".
std::string NameOfInput(const std::vector<BlockPort>& ports, int bit);

/// Maps block.il in top.sv to XC7Z020's cells: block.json.
std::string MapScript();
/// Three pins of XC7Z020's CLG400 package.
std::string PinsText();

}  // namespace cosim::synth
