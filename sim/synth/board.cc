// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/board.h"

#include "isa/spec/board_facts.h"

namespace cosim::synth {

const std::vector<Board>& Boards() {
  static const std::vector<Board> boards = {
      {"pynq",
       "XC7Z020",
       "xc7",
       true,
       {.lut = 53'200, .ff = 106'400, .dsp = 220, .ramb18 = 2 * 140},
       isa::kPynq.ports,
       isa::kPynq.max_port_bits},
      {"ultra96",
       "ZU3EG",
       "xcup",
       true,
       {.lut = 70'560, .ff = 141'120, .dsp = 360, .ramb18 = 2 * 216},
       isa::kUltra96.ports,
       isa::kUltra96.max_port_bits},
      {"none", "7-series", "xc7", false, {}},
  };
  return boards;
}

const Board* FindBoard(const std::string& name) {
  for (const Board& board : Boards())
    if (board.name == name) return &board;
  return nullptr;
}

}  // namespace cosim::synth
