// SPDX-License-Identifier: Apache-2.0
// The reference's writer on a load that gathers pieces: beat by beat, as its elements need them.
#include <deque>
#include <vector>

#include "tests/sim/cycle/testing/reference_model.h"

namespace cosim::sim::testing {

/// Of a row of a gather, cycle by cycle: whether the writer takes a beat. Byte by byte: up to each element's
/// last one beats are taken as their first byte that the row has comes up; an element with none of them takes
/// a cycle all the same.
std::vector<bool> ReferenceModel::RowTakes(const isa::Transfer& transfer, int64_t row) const {
  const int64_t beat = spec_.dram.port_bits / 8;
  const int64_t begin = static_cast<int64_t>(transfer.dram) + row * transfer.stride;
  std::vector<bool> takes;
  int64_t byte = begin;
  for (int64_t element = 0; element < transfer.cols; ++element) {
    const int64_t end = begin + element * transfer.piece_step + transfer.piece_bytes;
    bool took = false;
    for (; byte < end; ++byte) {
      if (byte != begin && byte % beat != 0) continue;
      takes.push_back(true);
      took = true;
    }
    if (!took) takes.push_back(false);
  }
  return takes;
}

void ReferenceModel::StartGather(UnitModel& unit, const isa::Transfer& transfer) {
  const size_t before = unit.pieces.size();
  std::deque<std::vector<int>> bursts;
  for (const std::vector<int>& burst : RowBursts(transfer)) {
    if (burst.empty()) continue;
    bursts.push_back(burst);
    unit.requests.push_back(static_cast<int>(burst.size()));
  }
  for (int64_t row = 0; row < transfer.rows; ++row) {
    size_t of_burst = 0;
    for (const bool pops : RowTakes(transfer, row)) {
      Piece piece{.gathered = true, .pops = pops};
      if (pops && ++of_burst == bursts.front().size()) {
        piece.beats = static_cast<int>(of_burst);
        of_burst = 0;
        bursts.pop_front();
      }
      unit.pieces.push_back(piece);
    }
  }
  if (unit.pieces.size() == before) unit.pieces.push_back({});
  unit.pieces.back().last_of_instruction = true;
  unit.requests_are_reads = true;
}

}  // namespace cosim::sim::testing
