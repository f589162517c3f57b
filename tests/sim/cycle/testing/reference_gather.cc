// SPDX-License-Identifier: Apache-2.0
// The reference's writer on a load that gathers pieces: beat by beat, as its elements need them.
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/sim/cycle/testing/reference_model.h"

namespace cosim::sim::testing {

/// Of a row of a gather: which of its beats the writer takes, cycle by cycle. Of each element those that a
/// byte of it lies in; then those before the next element's first.
std::vector<int64_t> ReferenceModel::RowTakes(const isa::Transfer& transfer, int64_t row) const {
  const int64_t beat = spec_.dram.port_bits / 8;
  const int64_t begin = static_cast<int64_t>(transfer.dram) + row * transfer.stride;
  std::vector<int64_t> takes;
  for (int64_t element = 0; element < transfer.cols; ++element) {
    const int64_t first = begin + element * transfer.piece_step;
    for (int64_t next = takes.empty() ? 0 : takes.back() + 1; next < first / beat - begin / beat; ++next)
      takes.push_back(next);
    for (int64_t byte = first; byte < first + transfer.piece_bytes; ++byte) {
      if (byte == first || byte % beat == 0) takes.push_back(byte / beat - begin / beat);
    }
  }
  return takes;
}

/// Take by take: a beat leaves the data buffer when it is taken for the first time.
void ReferenceModel::StartGather(UnitModel& unit, const isa::Transfer& transfer) {
  const size_t before = unit.pieces.size();
  std::deque<std::vector<int>> bursts;
  for (const std::vector<int>& burst : RowBursts(transfer)) {
    if (burst.empty()) continue;
    bursts.push_back(burst);
    unit.requests.push_back(static_cast<int>(burst.size()));
  }
  for (int64_t row = 0; row < transfer.rows; ++row) {
    int64_t popped = 0;  // beats of the row
    size_t of_burst = 0;
    for (const int64_t beat : RowTakes(transfer, row)) {
      Piece piece{.gathered = true, .pops = beat == popped};
      if (piece.pops) {
        ++popped;
        if (++of_burst == bursts.front().size()) {
          piece.beats = static_cast<int>(of_burst);
          of_burst = 0;
          bursts.pop_front();
        }
      }
      unit.pieces.push_back(piece);
    }
  }
  if (unit.pieces.size() == before) unit.pieces.push_back({});
  unit.pieces.back().last_of_instruction = true;
  unit.requests_are_reads = true;
}

}  // namespace cosim::sim::testing
