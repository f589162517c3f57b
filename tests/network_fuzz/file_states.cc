// SPDX-License-Identifier: Apache-2.0
// Draws layers that keep a state: LSTM, RNN and SVDF, in float32, with weights of bytes, and of bytes.
#include <cmath>

#include "tests/network_fuzz/file_maker.h"

namespace cosim::testing {
namespace {

constexpr int kNo = FileMaker::kAbsent;

/// What the layers of a kind share: sizes, and tensors by kind.
class LayerDrawer {
 public:
  LayerDrawer(FileMaker& maker, bool bytes) : m(maker), bytes_(bytes) {}

  int Matrix(int64_t rows, int64_t columns) {
    return m.Constant(bytes_ ? m.Scaled(DType::kInt8, {rows, columns}, 0.008f, 0)
                             : m.Plain(DType::kFloat32, {rows, columns}));
  }
  int Vector(int64_t size) { return m.Constant(m.Plain(DType::kFloat32, {size})); }
  /// Of integers.
  int Biases(int64_t size, bool wide) {
    if (!wide) return m.Constant(m.Plain(DType::kInt32, {size}));
    TensorInfo info = m.Plain(DType::kInt64, {size});
    std::vector<int64_t> list;
    for (int64_t i = 0; i < size; ++i) list.push_back(m.Pick(-500'000, 500'000));
    info.data = std::make_shared<const graph::Tensor>(info.shape, std::move(list));
    return m.Add(std::move(info));
  }
  int State(TensorInfo info) {
    info.variable = true;
    info.name = "memory";
    return m.Add(std::move(info));
  }
  int State(int64_t batch, int64_t size) { return State(m.Plain(DType::kFloat32, {batch, size})); }

  FileMaker& m;

 private:
  bool bytes_ = false;
};

struct Sequence {
  Shape shape;
  int64_t batch = 1, inputs = 1;
  bool time_major = false;
};

Sequence SequenceOf(FileMaker& m, int x) {
  Sequence s{.shape = m.ShapeOf(x)};
  s.time_major = s.shape.size() == 3 && m.Chance(2);
  s.batch = s.shape[s.time_major ? 1 : 0];
  s.inputs = s.shape.back();
  return s;
}

/// Not long: a step is a routine's.
bool IsLong(const Sequence& s) { return graph::NumElements(s.shape) > 1200; }

/// The operands of an LSTM from its input weights to the biases of its projection.
void AddLstmWeights(LayerDrawer& layer, const Sequence& s, int64_t cells, std::vector<int>& operands) {
  FileMaker& m = layer.m;
  const bool coupled = m.Chance(4);
  for (int gate = 0; gate < 4; ++gate)
    operands.push_back(coupled && gate == 0 ? kNo : layer.Matrix(cells, s.inputs));
  for (int gate = 0; gate < 4; ++gate)
    operands.push_back(coupled && gate == 0 ? kNo : layer.Matrix(cells, cells));
  const bool peepholes = m.Chance(4);
  for (int gate = 0; gate < 3; ++gate)
    operands.push_back(peepholes && !(coupled && gate == 0) ? layer.Vector(cells) : kNo);
  for (int gate = 0; gate < 4; ++gate) operands.push_back(coupled && gate == 0 ? kNo : layer.Vector(cells));
  operands.push_back(kNo);
  operands.push_back(kNo);
}

int DrawBasicLstm(FileMaker& m, int x) {
  const Shape shape = m.ShapeOf(x);
  const int64_t rows = shape[0], from = shape[1], to = m.Pick(1, 5);
  LayerDrawer layer(m, false);
  tflite::RecurrentOptions options;
  options.tanh = options.basic = true;
  const auto plain = [&](int64_t size) { return m.Plain(DType::kFloat32, {rows, size}); };
  const auto made = m.EmitAll("LSTM",
                              {x, layer.State(rows, to), layer.Matrix(4 * to, from + to),
                               layer.Vector(4 * to), layer.State(rows, to)},
                              {plain(to), plain(to), plain(from + to), plain(4 * to)}, options);
  return made.empty() ? FileMaker::kNone : made[0];
}

int DrawIntegerLstm(FileMaker& m, const std::string& op, int x) {
  const Sequence s = SequenceOf(m, x);
  if (IsLong(s)) return FileMaker::kNone;
  const int64_t cells = m.Pick(1, 6);
  LayerDrawer layer(m, true);
  std::vector<int> operands = {x};
  const auto weights = [&](int64_t columns) {
    return m.Constant(m.Scaled(DType::kInt8, {cells, columns}, static_cast<float>(m.Pick(5, 12)) / 1000, 0));
  };
  for (int gate = 0; gate < 4; ++gate) operands.push_back(weights(s.inputs));
  for (int gate = 0; gate < 4; ++gate) operands.push_back(weights(cells));
  operands.insert(operands.end(), 3, kNo);
  for (int gate = 0; gate < 4; ++gate) operands.push_back(layer.Biases(cells, m.TypeOf(x) == DType::kInt16));
  operands.insert(operands.end(), 2, kNo);
  const int zero = static_cast<int>(m.Pick(-20, 20));
  const float hidden = m.TypeOf(x) == DType::kInt16 ? 0.00003f : 0.0075f;
  operands.push_back(layer.State(m.Scaled(m.TypeOf(x), {s.batch, cells}, hidden, zero)));
  operands.push_back(layer.State(
      m.Scaled(DType::kInt16, {s.batch, cells}, std::ldexp(1.0f, -static_cast<int>(m.Pick(9, 13))), 0)));
  operands.insert(operands.end(), 4, kNo);
  tflite::RecurrentOptions options;
  options.tanh = true;
  options.time_major = s.time_major;
  options.cell_clip = m.Chance(2) ? 1.5f : 0;
  Shape shape = s.shape;
  shape.back() = cells;
  return m.Emit(op, operands, m.Scaled(m.TypeOf(x), shape, hidden, zero), options);
}

int DrawLstm(FileMaker& m, const std::string& op) {
  const size_t rank = op == "LSTM" ? 2 : 3;
  if (m.Chance(2)) {
    const int x = m.OfRank(m.Among({DType::kInt8, DType::kInt16}), rank);
    return x < 0 ? x : DrawIntegerLstm(m, op, x);
  }
  const int x = m.OfRank(m.Real(), rank);
  if (x < 0) return x;
  if (rank == 2 && m.Chance(4)) return DrawBasicLstm(m, x);
  const Sequence s = SequenceOf(m, x);
  if (IsLong(s)) return FileMaker::kNone;
  const int64_t cells = m.Pick(1, 5);
  LayerDrawer layer(m, m.Chance(2));
  std::vector<int> operands = {x};
  AddLstmWeights(layer, s, cells, operands);
  operands.push_back(layer.State(s.batch, cells));
  operands.push_back(layer.State(s.batch, cells));
  operands.insert(operands.end(), 4, kNo);
  tflite::RecurrentOptions options;
  options.tanh = true;
  options.time_major = s.time_major;
  options.asymmetric = m.Chance(2);
  Shape shape = s.shape;
  shape.back() = cells;
  return m.Emit(op, operands, m.Plain(DType::kFloat32, shape), options);
}

tflite::RecurrentOptions DrawRnnOptions(FileMaker& m) {
  tflite::RecurrentOptions options;
  options.tanh = m.Chance(2);
  if (!options.tanh) options.activation = tflite::Activation::kRelu6;
  options.asymmetric = m.Chance(2);
  return options;
}

int DrawRnn(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Real(), op == "RNN" ? 2 : 3);
  if (x < 0) return x;
  const Sequence s = SequenceOf(m, x);
  if (IsLong(s)) return FileMaker::kNone;
  const int64_t cells = m.Pick(1, 6);
  LayerDrawer layer(m, m.Chance(2));
  tflite::RecurrentOptions options = DrawRnnOptions(m);
  options.time_major = s.time_major;
  Shape shape = s.shape;
  shape.back() = cells;
  return m.Emit(op,
                {x, layer.Matrix(cells, s.inputs), layer.Matrix(cells, cells), layer.Vector(cells),
                 layer.State(s.batch, cells)},
                m.Plain(DType::kFloat32, shape), options);
}

int DrawBidirectional(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Real(), 3);
  if (x < 0) return x;
  const Sequence s = SequenceOf(m, x);
  if (IsLong(s)) return FileMaker::kNone;
  const bool lstm = op == "BIDIRECTIONAL_SEQUENCE_LSTM";
  const int64_t cells = m.Pick(1, 4);
  LayerDrawer layer(m, m.Chance(2) && (lstm || !s.time_major));
  tflite::RecurrentOptions options = DrawRnnOptions(m);
  if (lstm) options.tanh = true;
  options.time_major = s.time_major;
  options.merged = m.Chance(2) && (!lstm || s.time_major || s.batch == 1);
  std::vector<int> operands = {x};
  for (int direction = 0; direction < 2; ++direction) {
    if (lstm) {
      AddLstmWeights(layer, s, cells, operands);
    } else {
      for (int tensor : {layer.Matrix(cells, s.inputs), layer.Matrix(cells, cells), layer.Vector(cells),
                         layer.State(s.batch, cells)})
        operands.push_back(tensor);
    }
  }
  for (int state = 0; lstm && state < 4; ++state) operands.push_back(layer.State(s.batch, cells));
  operands.insert(operands.end(), lstm ? 9 : 3, kNo);  // an auxiliary input and its weights
  Shape shape = s.shape;
  shape.back() = options.merged ? 2 * cells : cells;
  const auto made =
      m.EmitAll(op, operands,
                std::vector<TensorInfo>(options.merged ? 1 : 2, m.Plain(DType::kFloat32, shape)), options);
  return made.empty() ? FileMaker::kNone : m.OneOf(made);
}

int DrawFilters(FileMaker& m, const std::string& op) {
  const bool real = m.Chance(2);
  const int x = m.OfRank(real ? m.Real() : m.Among({DType::kInt8}), 2);
  if (x < 0) return x;
  const int64_t rows = m.ShapeOf(x)[0], inputs = m.ShapeOf(x)[1], memory = m.Pick(1, 4), units = m.Pick(1, 5);
  tflite::RecurrentOptions options;
  options.rank = static_cast<int>(m.Pick(1, 2));
  options.activation = m.Chance(2) ? tflite::Activation::kRelu : tflite::Activation::kNone;
  const int64_t filters = units * options.rank;
  LayerDrawer layer(m, !real || m.Chance(2));
  const int features = layer.Matrix(filters, inputs);
  if (real) {
    const int times = m.Constant(m.Plain(DType::kFloat32, {filters, memory}));
    options.asymmetric = m.Chance(2);
    return m.Emit(
        op,
        {x, features, times, m.Chance(2) ? layer.Vector(units) : kNo, layer.State(rows, memory * filters)},
        m.Plain(DType::kFloat32, {rows, units}), options);
  }
  const DType wide = m.Chance(2) ? DType::kInt16 : DType::kInt8;
  const bool bytes = wide == DType::kInt8;
  const int times = m.Constant(m.Scaled(wide, {filters, memory}, bytes ? 0.01f : 0.0001f, 0));
  const int past =
      layer.State(m.Scaled(wide, {rows, memory * filters}, bytes ? 0.05f : 0.0005f, bytes ? 7 : 0));
  return m.Emit(op, {x, features, times, m.Constant(m.Plain(DType::kInt32, {units})), past},
                m.Scaled(DType::kInt8, {rows, units}), options);
}

}  // namespace

std::span<const FileStep> StateSteps() {
  static constexpr FileStep kSteps[] = {{"LSTM", DrawLstm},
                                        {"UNIDIRECTIONAL_SEQUENCE_LSTM", DrawLstm},
                                        {"RNN", DrawRnn},
                                        {"UNIDIRECTIONAL_SEQUENCE_RNN", DrawRnn},
                                        {"BIDIRECTIONAL_SEQUENCE_LSTM", DrawBidirectional},
                                        {"BIDIRECTIONAL_SEQUENCE_RNN", DrawBidirectional},
                                        {"SVDF", DrawFilters}};
  return kSteps;
}

}  // namespace cosim::testing
