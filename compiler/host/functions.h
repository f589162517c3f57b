// SPDX-License-Identifier: Apache-2.0
// Functions of one real number, (x float) -> f(x): of each the reference in float64, and the tensor
// expression in the type of x.
#pragma once

#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

/// By name: the functions of <cmath> and "gelu", "gelu_by_tanh", "hard_swish", "mish", "reciprocal", "round"
/// (half to even), "sigmoid", "softplus", "softsign". Another name is a bug.
HostOperatorPtr Function(const std::string& name);

/// x where it is not negative, elsewhere alpha * (exp(x) - 1), alpha * (exp(x / alpha) - 1), alpha * x.
HostOperatorPtr Elu(double alpha);
HostOperatorPtr Celu(double alpha);
HostOperatorPtr LeakyRelu(double alpha);
/// gamma * x where it is positive, elsewhere gamma * alpha * (exp(x) - 1).
HostOperatorPtr Selu(double alpha, double gamma);
/// alpha * x + beta between 0 and 1.
HostOperatorPtr HardSigmoid(double alpha, double beta);
/// x above alpha, else 0.
HostOperatorPtr ThresholdedRelu(double alpha);
/// Beyond lambda on either side, x less `bias` towards 0; else 0.
HostOperatorPtr Shrink(double bias, double lambda);
/// min(max(x, low), high), NaN as it is.
HostOperatorPtr Between(double low, double high);

}  // namespace cosim::host
