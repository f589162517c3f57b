// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's layers with a state that read a sequence from both ends: a layer of recurrent.cc forward,
// and one on the sequence reversed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/host/movement.h"
#include "compiler/host/tflite_recurrent.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::ValueId;

namespace {

constexpr char kOtherWidth[] =
    "an auxiliary input with weights, of another width than the input, which the reference's kernel reads in "
    "the "
    "wrong place";
constexpr char kTurned[] = "one layer reads the sequence from its end: the host turns it around";

}  // namespace

ValueId Builder::Reversed(const std::string& name, ValueId x, int64_t axis) {
  const std::string at = name.substr(name_.size());
  const ValueId starts = List(at + ".starts", {-1}),
                stops = List(at + ".stops", {std::numeric_limits<int64_t>::min()}),
                axes = List(at + ".axes", {axis}), steps = List(at + ".steps", {-1});
  return Host(name, host::Slice(), {x, starts, stops, axes, steps}, kTurned);
}

host::ByteWeights Builder::BytesOf(const host::ByteWeights& bytes, const Direction& direction) const {
  host::ByteWeights own{{0}, bytes.asymmetric};
  for (size_t operand : direction.from) own.scales.push_back(bytes.ScaleOf(operand));
  return own;
}

// With an auxiliary input but no weights for it, that is what the backward layer reads; with weights of its
// own both layers read it beside the input, as one wider input by weights that are as much wider.
bool Builder::Bidirectional(size_t auxiliary, const Direction directions[2],
                            const std::function<graph::HostOperatorPtr(const Direction&)>& make) {
  const auto& options = std::get<RecurrentOptions>(op_->options);
  const bool joined = !directions[0].joined.empty();
  if (joined && (!HasOperand(auxiliary) || directions[1].joined.size() != directions[0].joined.size()))
    return Malformed("weights of an auxiliary input that is missing, or of one direction alone");
  if (op_->outputs.size() != (options.merged ? 1 : 2))
    return Malformed(fmt::format("has {} results", op_->outputs.size()));
  const int64_t time = options.time_major ? 0 : 1;
  ValueId results[2];
  for (const bool backward : {false, true}) {
    const Direction& direction = directions[backward];
    const int from = op_->inputs[backward && HasOperand(auxiliary) && !joined ? auxiliary : 0];
    if (!IsFloat(from) || Info(from).shape.size() != 3)
      return Unsupported("an input that is not float32 of 3 dimensions");
    const std::string name = name_ + (backward ? ".backward" : ".forward");
    ValueId x = Plain(from);
    if (joined) x = Host(name + ".wide", host::Concat(2), {x, Plain(op_->inputs[auxiliary])}, kMovesReason);
    if (backward && x >= 0) x = Reversed(name + ".input", x, time);
    const ValueId y = Recurred(backward ? name + ".layer" : name, make(direction), x, direction);
    results[backward] = backward && y >= 0 ? Reversed(name, y, time) : y;
    if (results[backward] < 0) return false;
  }
  if (!options.merged) return Finish(results[0], false) && Finish(results[1], false, 1);
  return Finish(Host(name_, host::Concat(2), {results[0], results[1]}, kMovesReason), false);
}

bool Builder::HasOtherWidth(const Direction& direction, size_t auxiliary) const {
  return !direction.joined.empty() && HasOperand(auxiliary) &&
         Info(op_->inputs[auxiliary]).shape != Info(op_->inputs[0]).shape;
}

// Notes `count` weights from `first` on that those of the auxiliary input from `auxiliary` on stand behind.
bool Builder::Join(Direction& direction, size_t first, size_t auxiliary, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!HasOperand(auxiliary + i)) continue;
    if (!HasOperand(first + i)) return Malformed("weights of an auxiliary input without those of the input");
    for (const size_t operand : {first + i, auxiliary + i}) {
      if (!IsFloat(op_->inputs[operand])) return Unsupported("an auxiliary input by int8 weights of its own");
      if (!Info(op_->inputs[operand]).data) return Unsupported("weights that are not constant");
    }
    direction.joined[first + i] = auxiliary + i;
  }
  for (size_t i = 0; i < count && !direction.joined.empty(); ++i)
    if (HasOperand(first + i) && !HasOperand(auxiliary + i))
      return Malformed("weights of the input without those of an auxiliary one");
  return true;
}

std::optional<host::CellFunction> Builder::BidirectionalFunction(size_t needed, size_t least, size_t most) {
  if (op_->inputs.size() < least || op_->inputs.size() > most)
    return Malformed(fmt::format("has {} operands", op_->inputs.size())), std::nullopt;
  const auto* options = std::get_if<RecurrentOptions>(&op_->options);
  if (!options) return Malformed("has no options"), std::nullopt;
  const auto function = FunctionOf(*options);
  if (!function) return Unsupported("its activation function"), std::nullopt;
  for (size_t i = needed; i < least; ++i)
    if (!HasOperand(i)) return Malformed(fmt::format("operand {} is missing", i)), std::nullopt;
  return function;
}

bool Builder::BidirectionalLstm() {
  constexpr size_t kLayer = 17, kStates = 35, kAuxiliary = 39, kMost = 48, kGateBiases = 12;
  const auto function = BidirectionalFunction(kStates, kAuxiliary, kMost);
  if (!function) return false;
  const auto& options = std::get<RecurrentOptions>(op_->options);
  Direction directions[2];
  std::vector<size_t> matrices;
  for (size_t d : {0, 1}) {
    for (size_t i = 1; i <= kLayer; ++i) {
      const size_t operand = d * kLayer + i;
      directions[d].from.push_back(operand);
      if (i < kGateBiases || i == kLayer - 1) matrices.push_back(operand);
      if (HasOperand(operand) && !Info(op_->inputs[operand]).data)
        return Unsupported("weights that are not constant");
    }
    directions[d].states = {kStates + 2 * d, kStates + 2 * d + 1};
    directions[d].from.insert(directions[d].from.end(), directions[d].states.begin(),
                              directions[d].states.end());
  }
  if (!Join(directions[0], 1, kAuxiliary + 1, 4) || !Join(directions[1], 1 + kLayer, kAuxiliary + 5, 4))
    return false;
  if (HasOtherWidth(directions[0], kAuxiliary)) return Unsupported(kOtherWidth);
  const auto bytes = BytesAmong(matrices, options.asymmetric);
  if (!bytes) return false;
  const graph::Shape& shape = Info(op_->inputs[0]).shape;
  if (options.merged && !options.time_major && !shape.empty() && shape[0] > 1)
    return Unsupported(
        "one result of both directions for several sequences, one behind the other: the reference's kernel "
        "has the states of all but the first in the wrong place");
  return Bidirectional(kAuxiliary, directions, [&](const Direction& direction) {
    return host::LstmFloat({*function, static_cast<double>(options.cell_clip),
                            static_cast<double>(options.projection_clip), options.time_major,
                            BytesOf(*bytes, direction)});
  });
}

bool Builder::BidirectionalRnn() {
  constexpr size_t kAuxiliary = 9, kMost = 12;
  const auto function = BidirectionalFunction(0, kAuxiliary, kMost);
  if (!function) return false;
  const auto& options = std::get<RecurrentOptions>(op_->options);
  const auto bytes = BytesAmong({1, 2, 5, 6}, options.asymmetric);
  if (!bytes) return false;
  Direction directions[2] = {{{1, 2, 3, 4}, {4}}, {{5, 6, 7, 8}, {8}}};
  if (!Join(directions[0], 1, kAuxiliary + 1, 1) || !Join(directions[1], 5, kAuxiliary + 2, 1)) return false;
  const bool joined = !directions[0].joined.empty();
  if (options.time_major && HasOtherWidth(directions[0], kAuxiliary)) return Unsupported(kOtherWidth);
  if (HasOperand(kAuxiliary) && !joined && !options.time_major)
    return Unsupported("an auxiliary input sequence by sequence, which the reference's kernel does not read");
  const auto is_byte = [](float scale) { return scale != 0; };
  if (options.time_major && std::ranges::any_of(bytes->scales, is_byte))
    return Unsupported(
        "int8 weights step by step: the reference's kernel runs the sequence as often as it "
        "has steps");
  return Bidirectional(kAuxiliary, directions, [&](const Direction& direction) {
    return host::RnnFloat(*function, options.time_major, BytesOf(*bytes, direction));
  });
}

}  // namespace cosim::import::tflite
