// SPDX-License-Identifier: Apache-2.0
// What a kernel does with its sums before they leave the chip: operations that compute one element from the
// same element of their operands, one after the other. What each computes is said by ops::Element.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/tir/ir.h"

namespace cosim::kernels {

/// One operation. Operand number `from` is the value before it; the other one, where it takes two, the
/// residual.
struct EpilogueStep {
  const graph::Node* node = nullptr;
  int from = 0;
};

struct Epilogue {
  tir::DataType type = tir::DataType::Int(32);  ///< of the values it begins with
  std::vector<EpilogueStep> steps;

  template <typename Op>
  const Op* Find() const {
    for (const EpilogueStep& step : steps)
      if (const Op* op = step.node->As<Op>()) return op;
    return nullptr;
  }
  const graph::Requantize* requantize() const { return Find<graph::Requantize>(); }
  /// Its numbers are three records for all channels, of each term and of the sum, instead of one a channel.
  bool HasCommonRecords() const { return Find<graph::ScaledAdd>() != nullptr; }
  bool HasParameters() const { return requantize() || HasCommonRecords(); }
  bool HasResidual() const;
  /// Whether it does anything besides adding a bias, requantizing and clipping.
  bool HasOtherWork() const;
  /// All that decides which instructions compute it, but for numbers: mnemonics, without bias and clips.
  std::vector<std::string_view> Rhythm() const;
};

/// Whether a requantization is a shift alone, by one number of bits for all channels.
bool IsPureShift(const graph::Requantize& op);

/// Whether it reads another value besides the one before it: not where that is a bias.
bool TakesTwoValues(const graph::Node& node);

}  // namespace cosim::kernels
