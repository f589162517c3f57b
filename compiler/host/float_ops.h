// SPDX-License-Identifier: Apache-2.0
// Small float32 operators that the TensorFlow Lite importer needs beside the core operations.
#pragma once

#include "compiler/host/make.h"
#include "compiler/host/window2d.h"

namespace cosim::host {

/// (x float32) -> min(max(x, low), high).
HostOperatorPtr ClampFloat(float low, float high);

/// (x float32) -> exp(beta * x) over its sum along the last dimension.
HostOperatorPtr SoftmaxFloat(float beta);

/// (x float32 [N,C,H,W]) -> the mean over each window; padding does not count.
HostOperatorPtr AveragePoolFloat(const Window2d& window);

/// (a float32, b float32) -> a + b, a - b or a * b, broadcast.
HostOperatorPtr AddFloat();
HostOperatorPtr SubtractFloat();
HostOperatorPtr MultiplyFloat();

}  // namespace cosim::host
