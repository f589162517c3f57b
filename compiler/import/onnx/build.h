// SPDX-License-Identifier: Apache-2.0
// From the structures of an ONNX file to a graph: every node becomes core operations, or a HostOp with the
// reason, or, when its operands are all known, a constant.
#pragma once

#include "compiler/import/import.h"
#include "compiler/import/onnx/reader.h"

namespace cosim::import::onnx {

/// `file` as Read gives it. Everything unsupported is reported at once; then there is no model.
std::optional<Model> Build(File file, const Options& options, Diagnostics& diagnostics);

}  // namespace cosim::import::onnx
