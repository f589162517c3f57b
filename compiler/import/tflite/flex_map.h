// SPDX-License-Identifier: Apache-2.0
// The options of custom operators: a FlexBuffer that holds a map. Read without the format's library, whose
// verifier lets keys and alignments pass that it reads wrongly later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace cosim::import::tflite {

/// The numbers and bools of the map by their keys; what else it holds is left out. Nothing when the bytes are
/// no map, or one that leads out of them.
std::optional<std::map<std::string, double>> NumbersOf(std::span<const uint8_t> bytes);

}  // namespace cosim::import::tflite
