// SPDX-License-Identifier: Apache-2.0
// A network as an ONNX file. The counterpart of the importer's reader: what that reads, this writes.
#pragma once

#include <optional>
#include <string>

#include "compiler/import/onnx/reader.h"

namespace cosim::quantize {

/// The bytes of a file, the same for the same network; nothing and `error` when ONNX's own checker objects.
/// Intermediate values have no types in it: readers infer them.
std::optional<std::string> WriteOnnx(const import::onnx::File& file, std::string& error);

}  // namespace cosim::quantize
