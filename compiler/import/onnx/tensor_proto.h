// SPDX-License-Identifier: Apache-2.0
// Tensors of protocol buffers as tensors of the graph. bfloat16 is held as float32, which has all of its
// values; four bits are held as eight.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

#include "compiler/graph/tensor.h"

namespace cosim::import::onnx {

/// Element types of later versions of ONNX than the installed library's.
inline constexpr int32_t kUint4Type = 21, kInt4Type = 22;

/// What holds a value of ONNX's element type; nothing for one that has no form here.
std::optional<graph::DType> HeldAs(int32_t type);
/// "STRING", or a number.
std::string ElementTypeName(int32_t type);

/// Nothing and `error` when the tensor is of no type, size or place that can be taken. `folder`: where
/// external data may lie.
std::optional<graph::Tensor> TensorOf(const ::onnx::TensorProto& proto, const std::string& folder,
                                      std::string& error);

/// Bytes of external data: offset and length within a file in `folder`.
std::optional<std::string> ExternalData(const ::onnx::TensorProto& tensor, const std::string& folder,
                                        std::string& error);

}  // namespace cosim::import::onnx
