// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the operators of quantized.h, exact to the bit.
#pragma once

#include "compiler/host/make.h"

namespace cosim::host {

/// The element for channel `at` of a tensor of one element or of one a channel; 0 of an absent one.
tir::Expr OfChannel(const te::Tensor& tensor, const tir::Expr& at, tir::DataType type);

std::optional<ops::Definition> DefineQuantizeLinear(int64_t axis, const ops::HostSite& site);
std::optional<ops::Definition> DefineDequantizeLinear(int64_t axis, const ops::HostSite& site);

std::optional<ops::Definition> DefineMatMulInteger(const ops::HostSite& site);
std::optional<ops::Definition> DefineQLinearMatMul(const ops::HostSite& site);
std::optional<ops::Definition> DefineQGemm(bool transpose_b, const ops::HostSite& site);

std::optional<ops::Definition> DefineOnBytes(const HostOperatorPtr& op, size_t count,
                                             const ops::HostSite& site);
std::optional<ops::Definition> DefineAverageOnBytes(const HostOperatorPtr& average,
                                                    const ops::HostSite& site);

}  // namespace cosim::host
