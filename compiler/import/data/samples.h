// SPDX-License-Identifier: Apache-2.0
// Many inputs for one model, with the classes they belong to where those are known: what networks are
// calibrated with and measured on. Files are read when their sample is wanted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/data/inputs.h"

namespace cosim::import {

class Samples {
 public:
  virtual ~Samples() = default;
  virtual size_t size() const = 0;
  /// The inputs of sample i, in the order of the model's. Mistakes are reported.
  virtual std::optional<std::vector<graph::Tensor>> Get(size_t i, Diagnostics& diagnostics) const = 0;
  /// The class of sample i; absent where the source does not say.
  virtual std::optional<int64_t> Label(size_t) const { return std::nullopt; }
  /// Of classes, in their order; empty where the source has numbers for them.
  virtual std::vector<std::string> ClassNames() const { return {}; }
  /// Samples of the same number belong together, as the windows of one recording do.
  virtual int64_t Group(size_t i) const { return static_cast<int64_t>(i); }
};

struct SampleOptions {
  InputOptions input;  ///< of images and pixels: mean, scale, layout
  size_t random = 32;  ///< samples of "random"
  uint64_t seed = 1;   ///< of the first of them; the next has the next
};

/// A .bin file that holds several times a model's only input is as many samples, of one group.
///
/// `source` is one of
///  - "random": seeded inputs;
///  - a .npz: for each input an array of its name (or, for one input, any array but `labels`), whose first
///    extent counts the samples: as many as the input's own first extent belong together. An array `labels`
///    of integers has one for each sample, and so may an array `groups` say which belong together;
///  - a .csv: a list of such files as below and their classes (label_file.h);
///  - a folder of .npy, .npz, .bin files and images, one sample each, in order of their names; in folders of
///    their own, the samples of a class: class i is the i-th folder by name, or, when all names are numbers,
///    that number.
/// `model` outlives the result. Mistakes are reported.
std::unique_ptr<Samples> OpenSamples(const Model& model, const std::string& source,
                                     const SampleOptions& options, Diagnostics& diagnostics);

}  // namespace cosim::import
