// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's layers with a state, step after step. A state is an operand, and what becomes of it a
// result. Sequences are [B,T,I], or [T,B,I] with `time_major`; a layer of one step has [B,I]. B: batch, I:
// inputs, C: cells, O: outputs, as many as cells unless there is a projection.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/host/fixed_point.h"
#include "compiler/host/make.h"

namespace cosim::host {

enum class CellFunction { kNone, kRelu, kReluN1To1, kRelu6, kTanh };

/// Weights of int8 among float32 ("dynamic range"): the vector that a matrix of them multiplies is quantized
/// anew each time (tflite_hybrid.h), sums have 32 bits; elements of other weights count as real numbers.
struct ByteWeights {
  std::vector<float> scales;  ///< by operand, 0 for those of float32; of all after its end too
  bool asymmetric = false;    ///< quantized vectors have a zero point

  float ScaleOf(size_t operand) const { return operand < scales.size() ? scales[operand] : 0; }
};

struct TfliteLstm {
  CellFunction function = CellFunction::kTanh;  ///< of the cell's input and of the cell
  double cell_clip = 0, projection_clip = 0;    ///< 0: none
  bool time_major = false;
  ByteWeights bytes = {};  ///< matrices and peepholes
};
/// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM in float32: (x, input weights of input, forget, cell and output gate
/// [C,I], recurrent weights alike [C,O], peepholes of input, forget and output gate [C], biases of the four
/// [C], projection [O,C] and its bias [O], h [B,O], c [B,C], coefficients of layer normalization of the four
/// [C]) -> y like x with O values, h, c. The input gate's operands may all be absent: then it is 1 - the
/// forget gate. Peepholes, projection and normalization may be absent too.
HostOperatorPtr LstmFloat(const TfliteLstm& attributes);

/// The same of int8 or int16 with cells of int16 and a scale of 2^-n, as tflite-micro defines it: no
/// peepholes, projection nor normalization, and all four gates. Zero points of int16 are 0.
struct TfliteLstmInteger {
  int32_t x_zero_point = 0, h_zero_point = 0;
  std::array<Multiplier, 4> from_x, from_h;  ///< to 2^-12, of input, forget, cell and output gate
  Multiplier kept, added, output;  ///< forget gate * cell, input gate * candidate, output gate * tanh
  int cell_exponent = 0;           ///< the cells' scale is 2^cell_exponent; -24 to -4
  int32_t cell_clip = 0;           ///< 0: none
  bool time_major = false;
  bool wide = false;  ///< int16: sums and biases have 64 bits (Multiplier::ApplyWide)
};
/// (x, four int8 [C,I], four int8 [C,C], four biases int32 or int64 [C], h like x, c int16) -> y like x, h,
/// c.
HostOperatorPtr LstmInteger(const TfliteLstmInteger& attributes);

/// RNN, UNIDIRECTIONAL_SEQUENCE_RNN in float32: (x, w [C,I], r [C,C], bias [C], h [B,C]) -> y, h.
HostOperatorPtr RnnFloat(CellFunction function, bool time_major, const ByteWeights& bytes = {});

/// SVDF: (x [B,I], features [F,I], times [F,M], bias [F/rank], optional, past [B,M*F]) -> y [B,F/rank], past.
/// Each of F filters keeps its last M products with x. Only features may be bytes.
HostOperatorPtr SvdfFloat(int64_t rank, CellFunction function, const ByteWeights& bytes = {});

struct TfliteSvdf {
  int64_t rank = 1;
  int32_t x_zero_point = 0, past_zero_point = 0, y_zero_point = 0;
  Multiplier features, times;
};
/// SVDF of int8; times and past are both int16, or both int8. The bias is int32.
HostOperatorPtr SvdfInt8(const TfliteSvdf& attributes);

}  // namespace cosim::host
