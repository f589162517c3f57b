// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over whole sequences, step after step: ONNX's RNN, GRU and LSTM.
#pragma once

#include <functional>
#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

enum class Cell { kRnn, kGru, kLstm };

struct RecurrentAttributes {
  Cell cell = Cell::kLstm;
  int64_t hidden = 1;
  std::vector<bool> reversed = {false};  ///< one a direction: whether it goes from the last step to the first
  /// Of each direction: of the gates, of the candidate, of the LSTM's cell; as many as the cell has.
  std::vector<std::function<double(double)>> activations;
  double clip = 0;                   ///< bounds what the activations see; 0: nothing does
  bool input_forget = false;         ///< LSTM: the forget gate is 1 - the input gate
  bool linear_before_reset = false;  ///< GRU
  bool batch_first = false;          ///< x [B,T,I], states [B,D,H], y [B,T,D,H]
};

/// Activations of a direction: 1, 2 or 3.
size_t ActivationsOf(Cell cell);

/// (x [T,B,I], w [D,G*H,I], r [D,G*H,H], bias [D,2*G*H], lengths int32 [B], h [D,B,H], of the LSTM c [D,B,H]
/// and peepholes [D,3*H]; from the bias on optional) -> y [T,D,B,H], the last h, of the LSTM the last c. G:
/// 1, 3 (zrh), 4 (iofc). float32. Steps behind a sequence's length give zeros and change no state.
HostOperatorPtr Recurrent(const RecurrentAttributes& attributes);

}  // namespace cosim::host
