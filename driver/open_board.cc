// SPDX-License-Identifier: Apache-2.0
#include "driver/open_board.h"

#include "driver/board_clock.h"
#include "driver/u_dma_buf.h"
#include "driver/uio.h"

namespace cosim::driver {

OpenBoard OpenBoardAt(const BoardPlaces& places, Diagnostics& diags) {
  OpenBoard board;
  const auto node = FindUio(places.root, places.uio_name, diags);
  if (!node) return board;
  board.registers = UioRegisters::Open(*node, diags);
  if (!board.registers) return board;
  if (places.memory.empty())
    board.memory = UioMemory::Open(*node, diags);
  else
    board.memory = UDmaBuf::Open(places.root, places.memory, diags);
  if (!board.memory) board.registers.reset();
  board.clock_mhz = ReadClockMhz(places.root);
  return board;
}

}  // namespace cosim::driver
