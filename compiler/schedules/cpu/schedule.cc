// SPDX-License-Identifier: Apache-2.0
// CPU schedules of a group of computations. The innermost loop that is not unrolled is the contiguous axis
// and vectorized; what stands inside it is unrolled, so that LLVM's vectorizer takes the loop.
#include "compiler/schedules/cpu/schedule.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::schedules {
namespace {

using ops::Computation;
using ops::Pattern;
using te::Axis;
using te::Stage;

constexpr int64_t kLargestUnrolledWindow = 8;  // elements of a kernel's row
constexpr int64_t kEnoughRounds = 64;          // of loops that threads share
constexpr int64_t kLeastSharedWork = 1 << 17;  // elements, products: some 10 us
constexpr int64_t kChannelTile = 4;  // output channels that share the loads of a convolution's input

bool IsReduction(Pattern pattern) {
  return pattern == Pattern::kConvolution || pattern == Pattern::kPool || pattern == Pattern::kPlaneSum ||
         pattern == Pattern::kTiles || pattern == Pattern::kRows || pattern == Pattern::kTransform ||
         pattern == Pattern::kTurn;
}
/// Reads elements of its operand several times, or in vectors that are not to compute anything else.
bool ReadsStored(Pattern pattern) {
  return (IsReduction(pattern) && pattern != Pattern::kPlaneSum) || pattern == Pattern::kReduce ||
         pattern == Pattern::kFrame || pattern == Pattern::kPack;
}

/// How many output channels to compute together: they must read the same input channels and divide evenly.
int64_t ChannelTile(const Computation& convolution) {
  int64_t tile = kChannelTile;
  while (convolution.channels_together % tile != 0) tile /= 2;
  return tile;
}

/// Fuses the dimensions behind `first` into one loop and makes it vectors.
void VectorizeFrom(Stage& stage, size_t first) {
  Axis fused = stage.axis(first);
  for (size_t d = first + 1; d < stage.axes().size(); ++d) fused = stage.Fuse(fused, stage.axis(d));
  stage.Vectorize(fused);
}

/// The first dimension that elements of a channel are contiguous from; the channels' own when planes have one
/// element.
size_t ContiguousFrom(const Stage& stage) {
  const std::vector<int64_t>& shape = stage.tensor().shape();
  int64_t plane = 1;
  for (size_t d = 2; d < shape.size(); ++d) plane *= shape[d];
  return plane > 1 ? 2 : std::min<size_t>(1, shape.size() - 1);
}

/// Loops n, o / tile, y | c, kh, x, kw, o % tile: for each input row, all of an output row in `tile`
/// channels. `outer_channel` is there when the stage has all channels and has to split them itself.
void OrderConvolution(Stage& stage, int64_t tile, bool has_all_channels) {
  const Axis n = stage.axis(0), y = stage.axis(2), x = stage.axis(3);
  const Axis c = stage.reduce_axis(0), kh = stage.reduce_axis(1), kw = stage.reduce_axis(2);
  const bool unroll_window = kw->extent <= kLargestUnrolledWindow;
  Axis channel = stage.axis(1);
  std::vector<Axis> order = {n};
  if (has_all_channels) {
    const auto [outer, inner] = stage.Split(channel, tile);
    order.push_back(outer);
    channel = inner;
  }
  order.insert(order.end(), {y, c, kh});
  if (unroll_window) {
    order.insert(order.end(), {x, kw, channel});
    stage.Unroll(kw);
  } else {
    order.insert(order.end(), {kw, x, channel});
  }
  stage.Reorder(order);
  stage.Vectorize(x);
  stage.Unroll(channel);
}

/// Loops n, c, y | kh, x, kw.
void OrderPool(Stage& stage) {
  const Axis x = stage.axis(3), kh = stage.reduce_axis(0), kw = stage.reduce_axis(1);
  if (kw->extent <= kLargestUnrolledWindow) {
    stage.Reorder({kh, x, kw});
    stage.Unroll(kw);
  } else {
    stage.Reorder({kh, kw, x});
  }
  stage.Vectorize(x);
}

/// Loops n, o | c / chunk, y, x / pixels | c % chunk, kh, kw | a tile of pixels and vectors, written out: its
/// sums stay in registers while all of a chunk is added. Of the innermost loop some steps may be written out.
void OrderTiles(Stage& stage, const Tile& tile) {
  const Axis y = stage.axis(2);
  const std::vector<Axis> reduced = stage.reduce_axes();
  const auto [outer_c, c] = stage.Split(reduced[0], tile.chunk);
  const bool is_window = reduced[1]->extent * reduced[2]->extent > 1;
  const auto [loop_c, step_c] = stage.Split(c, is_window ? 1 : tile.unroll);
  const auto [outer_x, x] = stage.Split(stage.axis(3), tile.pixels);
  const auto [vector, lane] = stage.Split(stage.axis(4), tile.lanes);
  std::vector<Axis> order = {outer_c, y, outer_x, loop_c, reduced[1], reduced[2], step_c, x, vector, lane};
  if (reduced.size() > 3) order.push_back(reduced[3]);
  stage.Reorder(order);
  stage.Unroll(step_c);
  if (is_window && tile.unroll > 1) stage.Unroll(reduced[2]);
  stage.Unroll(x);
  stage.Unroll(vector);
  stage.Tensorize(lane);
  stage.ComputeWhole(stage.axis(3));
  stage.ComputeWhole(stage.axis(4));
}

/// Loops n, o, y, vectors of channels, vectors of `pixels` | a rectangle of both, of which channels are
/// loaded and pixels stored.
void OrderTurn(Stage& stage, const Tile& tile) {
  const Axis y = stage.axis(2), l = stage.axis(3), x = stage.axis(4);
  const auto [vector, channel] = stage.Split(l, tile.lanes);
  const auto [outer_x, lane] = stage.Split(x, tile.pixels);
  stage.Reorder({y, vector, outer_x, lane, channel});
  stage.Tensorize(lane);
  stage.ComputeWhole(l);
  stage.ComputeWhole(x);
}

/// Loops over the first dimensions, those that reduce, the others from `inner_from` on: so neighbours are
/// added to neighbours.
void OrderReduce(Stage& stage, size_t inner_from) {
  const auto& axes = stage.axes();
  if (inner_from >= axes.size()) return;
  std::vector<Axis> order = stage.reduce_axes();
  order.insert(order.end(), axes.begin() + static_cast<std::ptrdiff_t>(inner_from), axes.end());
  stage.Reorder(order);
  for (size_t d = axes.size(); d-- > inner_from;) {
    if (axes[d]->extent == 1) continue;
    stage.Vectorize(axes[d]);
    return;
  }
}

/// Loops n, c, y / rows | kh, kw | the rows and vectors of a tile, written out. Not to be cut short at a
/// row's end.
void OrderRows(Stage& stage, const Tile& tile) {
  const auto [outer, y] = stage.Split(stage.axis(2), tile.rows);
  const auto [vector, lane] = stage.Split(stage.axis(3), tile.lanes);
  stage.Reorder({outer, stage.reduce_axis(0), stage.reduce_axis(1), y, vector, lane});
  stage.Unroll(y);
  stage.Unroll(vector);
  stage.Tensorize(lane);
  stage.ComputeWhole(stage.axis(3));
}

/// Loops over all dimensions but one, vectors of the last | that dimension, written out, so that its elements
/// share what they read.
void OrderTransform(Stage& stage, size_t written_out, const Tile& tile) {
  const std::vector<Axis> axes = stage.axes();
  const auto [vector, lane] = stage.Split(axes.back(), tile.lanes);
  std::vector<Axis> order;
  for (size_t d = 0; d + 1 < axes.size(); ++d)
    if (d != written_out) order.push_back(axes[d]);
  order.insert(order.end(), {vector, axes[written_out], lane});
  stage.Reorder(order);
  stage.Unroll(axes[written_out]);
  stage.Tensorize(lane);
  for (const Axis& whole : {axes[written_out], axes.back()}) stage.ComputeWhole(whole);
}

/// Loops n, c / 16, y | c % 16, x with the rows and columns that lie between two of one operand written out:
/// 16 channels are side by side in sums that are read.
void OrderInterleaved(Stage& stage, const std::array<int64_t, 2>& apart) {
  constexpr int64_t kSideBySide = 16;
  const auto [outer, channel] = stage.Split(stage.axis(1), kSideBySide);
  const auto [outer_y, y] = stage.Split(stage.axis(2), apart[0]);
  const auto [outer_x, x] = stage.Split(stage.axis(3), apart[1]);
  stage.Reorder({outer, outer_y, channel, y, outer_x, x});
  stage.Unroll(y);
  stage.Unroll(x);
  stage.Vectorize(outer_x);
}

const Tile& TileOf(const std::vector<TensorTile>& tiles, const te::Tensor& tensor) {
  const auto at = std::find_if(tiles.begin(), tiles.end(), [&](const auto& t) { return t.tensor == tensor; });
  COSIM_CHECK(at != tiles.end(), "no tile of '{}'", tensor->name);
  return at->tile;
}

/// The loops of a computation stored as a whole.
void ScheduleAlone(Stage& stage, const Computation& computation, const std::vector<TensorTile>& tiles) {
  switch (computation.pattern) {
    case Pattern::kElementwise:
      VectorizeFrom(stage, std::max(ContiguousFrom(stage), computation.inner_from));
      return;
    case Pattern::kPack:
      stage.Vectorize(stage.axis(3));
      return;
    case Pattern::kPad:
      stage.Vectorize(stage.axis(3));
      return;
    case Pattern::kFrame:
      stage.Tensorize(stage.Split(stage.axis(3), TileOf(tiles, computation.tensor).lanes).second);
      return;
    case Pattern::kConvolution:
      OrderConvolution(stage, ChannelTile(computation), true);
      return;
    case Pattern::kTiles:
      OrderTiles(stage, TileOf(tiles, computation.tensor));
      return;
    case Pattern::kRows:
      OrderRows(stage, TileOf(tiles, computation.tensor));
      return;
    case Pattern::kTransform:
      OrderTransform(stage, computation.written_out, TileOf(tiles, computation.tensor));
      return;
    case Pattern::kTurn:
      OrderTurn(stage, TileOf(tiles, computation.tensor));
      return;
    case Pattern::kPool:
      OrderPool(stage);
      return;
    case Pattern::kPlaneSum:
      stage.Fuse(stage.reduce_axis(0), stage.reduce_axis(1));
      return;
    case Pattern::kColumns:
      if (stage.is_reduction() && computation.channels_together > 1)
        stage.Split(stage.reduce_axis(0), computation.channels_together);
      return;
    case Pattern::kBlocks:
      if (stage.axes().back()->extent > 1) stage.Vectorize(stage.axes().back());
      return;
    case Pattern::kInterleave:
      OrderInterleaved(stage, computation.apart);
      return;
    case Pattern::kReduce:
      OrderReduce(stage, computation.inner_from);
      return;
    case Pattern::kReshape: {
      // Loops over the source's dimensions, so that no index needs a division.
      Axis rest = stage.axis(1);
      int64_t size = stage.tensor().shape()[1];
      for (size_t d = 1; d + 1 < computation.source_shape.size(); ++d) {
        size /= computation.source_shape[d];
        rest = stage.Split(rest, size).second;
      }
      stage.Vectorize(rest);
      return;
    }
  }
  COSIM_CHECK(false, "pattern {}", static_cast<int>(computation.pattern));
}

/// The loops of an element-wise `output` around blocks of a tile's channels and rows: the one that both stand
/// still in.
Axis SplitAroundBlocks(Stage& output, const Tile& tile) {
  const auto [block, channel] = output.Split(output.axis(1), tile.block());
  const auto [rows, y] = output.Split(output.axis(2), tile.rows);
  const Axis x = output.axis(3);
  output.Reorder({block, rows, channel, y, x});
  output.Vectorize(x);
  return rows;
}

/// The loops of an element-wise `output` around blocks of sums: of a product's rows, or of a tile's rows of
/// pixels.
void ScheduleAroundTiles(Stage& output, Stage& sums, const Tile& tile, std::optional<size_t> rows_from) {
  const std::vector<Axis>& axes = output.axes();
  if (rows_from) {
    const auto [block, channel] = output.Split(axes.back(), tile.block());
    std::vector<Axis> order = {block};
    order.insert(order.end(), axes.begin() + static_cast<std::ptrdiff_t>(*rows_from), axes.end() - 1);
    order.push_back(channel);
    output.Reorder(order);
    output.Vectorize(channel);
    sums.ComputeAt(output, block);
  } else {
    sums.ComputeAt(output, SplitAroundBlocks(output, tile));
  }
  OrderTiles(sums, tile);
}

/// The loops of an element-wise `output`, whose operands are as of `inner_from` (definition.h), around
/// `reduction`, which fills a row of its own for them.
void ScheduleAround(Stage& output, Stage& reduction, const Computation& computation, size_t inner_from,
                    const std::vector<TensorTile>& tiles) {
  switch (computation.pattern) {
    case Pattern::kTiles:
      ScheduleAroundTiles(output, reduction, TileOf(tiles, computation.tensor), computation.rows_from);
      return;
    case Pattern::kRows: {
      const Tile& tile = TileOf(tiles, computation.tensor);
      const auto [rows, y] = output.Split(output.axis(2), tile.rows);
      output.Vectorize(output.axis(3));
      reduction.ComputeAt(output, rows);
      OrderRows(reduction, tile);
      return;
    }
    case Pattern::kTransform: {
      const Tile& tile = TileOf(tiles, computation.tensor);
      reduction.ComputeAt(output, SplitAroundBlocks(output, tile));
      OrderTransform(reduction, computation.written_out, tile);
      return;
    }
    case Pattern::kTurn: {
      const Tile& tile = TileOf(tiles, computation.tensor);
      reduction.ComputeAt(output, SplitAroundBlocks(output, tile));
      OrderTurn(reduction, tile);
      return;
    }
    case Pattern::kConvolution: {
      const int64_t tile = ChannelTile(computation);
      const auto [outer, inner] = output.Split(output.axis(1), tile);
      const Axis y = output.axis(2), x = output.axis(3);
      output.Reorder({outer, y, inner, x});
      output.Vectorize(x);
      reduction.ComputeAt(output, y);
      OrderConvolution(reduction, tile, false);
      return;
    }
    case Pattern::kPool:
      output.Vectorize(output.axis(3));
      reduction.ComputeAt(output, output.axis(2));
      OrderPool(reduction);
      return;
    default:
      VectorizeFrom(output, std::max<size_t>(1, inner_from));
      reduction.ComputeAt(output, output.axis(0));
      ScheduleAlone(reduction, computation, tiles);
  }
}

/// The frame of a depthwise convolution, a channel at a time.
void FrameChannels(Stage& output, Stage& frame) {
  frame.ComputeAt(output, output.axis(1));
  frame.ComputeWhole(frame.axis(3));
}

/// How many rounds a loop has.
int64_t ExtentOf(const Stage& stage, const Axis& axis) {
  for (const te::Relation& relation : stage.relations()) {
    if (const auto* split = std::get_if<te::SplitRelation>(&relation)) {
      if (split->inner == axis) return split->factor;
      if (split->outer == axis) return CeilDiv(ExtentOf(stage, split->parent), split->factor);
    } else if (const auto& fuse = std::get<te::FuseRelation>(relation); fuse.fused == axis) {
      return ExtentOf(stage, fuse.outer) * ExtentOf(stage, fuse.inner);
    }
  }
  return axis->extent;
}

/// Elements that are computed, those of a reduction once for each that it adds.
int64_t WorkOf(const Stage& stage) {
  int64_t work = 1;
  for (const Axis& axis : stage.axes()) work *= axis->extent;
  if (stage.is_reduction())
    for (const Axis& axis : stage.reduce_axes()) work *= axis->extent;
  return work;
}

/// Shares the rounds of the outermost loops of `stage` out: of so many that every thread gets some, and not
/// of those inside a loop that has to compute something else first.
void ShareOut(Stage& stage, const std::vector<Axis>& attached) {
  int64_t rounds = 1;
  for (const Axis& axis : std::vector<Axis>(stage.leaf_axes())) {
    if (axis->kind == te::AxisKind::kReduce || stage.KindOf(axis) != tir::LoopKind::kSerial) return;
    stage.Parallel(axis);
    rounds *= ExtentOf(stage, axis);
    if (rounds >= kEnoughRounds || std::find(attached.begin(), attached.end(), axis) != attached.end())
      return;
  }
}

/// True when `reader` may take over the expression of the element-wise `computation`.
bool MayInlineInto(const Computation& computation, const Computation& reader) {
  const std::vector<te::Tensor> inputs = te::InputsOf(reader.tensor->body);
  const bool reads = std::find(inputs.begin(), inputs.end(), computation.tensor) != inputs.end();
  return !reads || !ReadsStored(reader.pattern);
}

/// The stages that are computed as a whole, if all together are long enough for a thread to wake up.
void ShareOutWhatIsWorthIt(te::Schedule& schedule, const std::vector<Computation>& computations) {
  int64_t work = 0;
  std::vector<Axis> attached;
  for (const Computation& computation : computations) {
    const Stage& stage = schedule[computation.tensor];
    work += WorkOf(stage);
    if (stage.attachment().kind == te::Attachment::Kind::kLoop) attached.push_back(stage.attachment().axis);
  }
  if (work < kLeastSharedWork) return;
  for (const Computation& computation : computations)
    if (Stage& stage = schedule[computation.tensor]; stage.attachment().kind == te::Attachment::Kind::kRoot)
      ShareOut(stage, attached);
}

}  // namespace

void ScheduleForCpu(te::Schedule& schedule, const std::vector<Computation>& computations,
                    const std::vector<TensorTile>& tiles) {
  Computation last = computations.back();
  for (const Computation& computation : computations)
    if (computation.pattern == Pattern::kElementwise && last.pattern == Pattern::kElementwise)
      last.inner_from = std::max(last.inner_from, computation.inner_from);
  Stage& output = schedule[last.tensor];
  size_t after_reductions = computations.size();  // the first of the element-wise computations at the end
  while (after_reductions > 0 && computations[after_reductions - 1].pattern == Pattern::kElementwise)
    --after_reductions;
  for (size_t i = 0; i + 1 < computations.size(); ++i) {
    const Computation& computation = computations[i];
    Stage& stage = schedule[computation.tensor];
    const auto may_inline = [&](const Computation& reader) { return MayInlineInto(computation, reader); };
    if (i + 1 == after_reductions && IsReduction(computation.pattern)) {
      ScheduleAround(output, stage, computation, last.inner_from, tiles);
      const bool is_close =
          i > 0 && (computation.pattern == Pattern::kTurn || computations[i - 1].pattern == Pattern::kPack ||
                    computations[i - 1].pattern == Pattern::kTransform);
      if (is_close) schedule[computations[i - 1].tensor].ComputeAt(output, stage.attachment().axis);
    } else if (computation.pattern == Pattern::kElementwise &&
               std::all_of(computations.begin(), computations.end(), may_inline)) {
      stage.ComputeInline();
    } else {
      ScheduleAlone(stage, computation, tiles);
      const bool is_frame = i + 2 == after_reductions && computations[i + 1].pattern == Pattern::kRows;
      if (is_frame) FrameChannels(output, stage);
    }
  }
  const bool is_scheduled = after_reductions > 0 && after_reductions < computations.size() &&
                            IsReduction(computations[after_reductions - 1].pattern);
  if (!is_scheduled) ScheduleAlone(output, last, tiles);
  ShareOutWhatIsWorthIt(schedule, computations);
}

}  // namespace cosim::schedules
