// SPDX-License-Identifier: Apache-2.0
// Arrays in files: numpy's .npy and .npz (stored or deflated zip members), both little-endian and in C order.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"

namespace cosim::import {

/// An array, or nothing and `error` says why.
std::optional<graph::Tensor> ParseNpy(std::span<const uint8_t> bytes, std::string& error);
std::vector<uint8_t> FormatNpy(const graph::Tensor& tensor);

/// Arrays by name (without ".npy").
std::optional<std::map<std::string, graph::Tensor>> ParseNpz(std::span<const uint8_t> bytes,
                                                             std::string& error);
/// The bytes of a file; deterministic. `error` is set, and nothing returned, when the library fails.
std::optional<std::vector<uint8_t>> FormatNpz(
    const std::vector<std::pair<std::string, graph::Tensor>>& arrays, std::string& error);

}  // namespace cosim::import
