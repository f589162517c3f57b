// SPDX-License-Identifier: Apache-2.0
// What a load that gathers pieces has beside its bursts.
#include "sim/cycle/row_walk.h"

namespace cosim::sim {

void RowWalk::StartPieces(const isa::Transfer& transfer) {
  // Of no bytes only in a program that is refused when it is executed.
  row_bytes_ = static_cast<uint64_t>(std::max<int64_t>(1, transfer.row_bytes));
  stride_bytes_ = static_cast<uint64_t>(transfer.stride);
  pieces_ = PieceWalk(transfer, beat_bytes_);
}

/// To a burst belong the cycles from the one in which its first beat is taken to before the next burst's.
void RowWalk::CountTakes(bool row_begins) {
  if (row_begins) pieces_.StartRow(row_);
  const int64_t end = pieces_.Beat(burst_.address) + burst_.beats;
  takes_begin_ = row_begins ? 0 : takes_end_;
  last_taken_ = pieces_.Before(end - 1) + 1;
  takes_end_ = splitter_.Done() ? std::max(last_taken_, pieces_.All()) : pieces_.Before(end);
}

}  // namespace cosim::sim
