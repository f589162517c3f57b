// SPDX-License-Identifier: Apache-2.0
// Operators that are written as other nodes, or as none: control flow, sequences and optionals, which are
// lists of names while a file is read, and what newer operator sets and onnxruntime put together of others.
#pragma once

#include <map>
#include <string>

#include "compiler/import/onnx/builder.h"

namespace cosim::import::onnx {

/// Adds the node's results to the builder; false when it has said why it cannot (Builder::Fail).
using Expansion = bool (*)(Builder& builder, const NodeInfo& node);

/// Null for a node that is an operator of the host's library, or unknown. Its operands' names may be broken.
Expansion ExpansionOf(const Builder& builder, const NodeInfo& node);

/// Why an operator is refused, where there is a reason; else null.
const char* WhyNot(const std::string& op);
bool IsKnownDomain(const std::string& domain);

using Expansions = std::map<std::string, Expansion>;
void AddControlFlow(Expansions& all);
void AddSequences(Expansions& all);
void AddCompositions(Expansions& all);
void AddContributions(Expansions& all);

/// For operators that only some nodes need an expansion of; null where the library's does.
Expansion VariantOf(const Builder& builder, const NodeInfo& node);
Expansion QuantizationVariantOf(const Builder& builder, const NodeInfo& node);

// What expansions have in common.

std::string OperandOf(const NodeInfo& node, size_t i);
/// The elements of an operand that has to be a constant; nothing, and said, when it is none. An absent one is
/// `otherwise`.
std::optional<std::vector<int64_t>> IntegersOf(Builder& builder, const NodeInfo& node, size_t i,
                                               std::vector<int64_t> otherwise = {});
/// x[index] along `axis`, without that dimension.
std::string Element(Builder& builder, const NodeInfo& at, const std::string& x, int64_t axis, int64_t index);
/// Tensors of one shape along a new dimension; `output` as Builder::Emit.
std::string Stack(Builder& builder, const NodeInfo& at, const std::vector<std::string>& parts, int64_t axis,
                  const std::string& output = "");

}  // namespace cosim::import::onnx
