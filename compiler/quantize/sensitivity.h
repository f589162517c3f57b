// SPDX-License-Identifier: Apache-2.0
// Which activations a network's results depend on most: what rounding each by itself to bytes does to them.
// Those that cost most are kept in 16 bits, if a user wants that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"
#include "compiler/quantize/placement.h"
#include "compiler/quantize/step_size.h"

namespace cosim::quantize {

/// How many activations are to have 16 bits, those first that cost most.
struct Widening {
  size_t count = 0;
  /// At least as many as cause this part of what rounding all costs; 1 means every one.
  double share = 0;

  bool Any() const { return count > 0 || share > 0; }
  bool All() const { return share >= 1; }
};

/// The float network with a switch for each activation: a factor of 1 rounds it to 256 steps of its range, 0
/// leaves it.
class Sensitivity {
 public:
  /// `ranges`: of every value that decides on a scale.
  Sensitivity(const import::onnx::File& file, const Placement& placement,
              const std::map<std::string, graph::Range>& ranges);

  const import::onnx::File& file() const { return file_; }
  /// The network's outputs by their names in file().
  const std::vector<std::string>& outputs() const { return outputs_; }
  /// What decides on a scale, in order of the network: so many runs each sample needs beside one without.
  size_t activations() const { return activations_.size(); }

  static constexpr size_t kNone = ~size_t{0};
  /// The network's inputs and those of the switches, of which `activation` is on.
  std::vector<graph::Tensor> InputsOf(const std::vector<graph::Tensor>& inputs, size_t activation) const;
  /// Counts what one sample's run with `activation` on gave, beside that with none.
  void AddRun(size_t activation, const Values& exact, const Values& rounded);

  /// Names of the activations to widen.
  std::set<std::string> Choose(const Widening& widening) const;

 private:
  void Switch(const std::string& value, const std::string& activation, const graph::Range& range);

  import::onnx::File file_;
  std::vector<std::string> outputs_, activations_;
  std::map<std::string, std::string> switched_;    // by value: what is read in its place
  std::vector<std::vector<double>> error_, size_;  // sums of squares by activation and output
};

}  // namespace cosim::quantize
