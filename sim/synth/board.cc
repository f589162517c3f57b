// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/board.h"

namespace cosim::synth {

const std::vector<Board>& Boards() {
  static const std::vector<Board> boards = {
      {"pynq", "XC7Z020", "xc7", true, {.lut = 53'200, .ff = 106'400, .dsp = 220, .ramb18 = 2 * 140}, 4, 64},
      {"ultra96",
       "ZU3EG",
       "xcup",
       true,
       {.lut = 70'560, .ff = 141'120, .dsp = 360, .ramb18 = 2 * 216},
       4,
       128},
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
