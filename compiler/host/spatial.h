// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools over any number of spatial dimensions: x is [N,C,spatial...], as ONNX defines them.
#pragma once

#include <string>
#include <vector>

#include "compiler/host/make.h"
#include "compiler/host/window2d.h"

namespace cosim::host {

enum class AutoPad { kNotSet, kValid, kSameUpper, kSameLower };

/// Empty lists stand for ones (strides, dilations) or zeros (pads: all begins, then all ends).
struct Spatial {
  AutoPad auto_pad = AutoPad::kNotSet;
  std::vector<int64_t> kernel;  ///< empty: that of the weights
  std::vector<int64_t> strides, dilations, pads;
  bool ceil_mode = false;  ///< pools only: a last window may begin inside and end outside
};

/// The same window.
Spatial SpatialOf(const Window2d& window);

/// Of images [N,C,H,W], with everything filled in: padding at the end is what the windows reach, of ceil mode
/// too. For what a HostOperator of these attributes accepts (COSIM_CHECK).
Window2d PlaneWindow(const Spatial& spatial, const Shape& x, const std::vector<int64_t>& kernel);

/// (x float, w [O,C/groups,kernel...], bias [O], optional) -> [N,O,...].
HostOperatorPtr Conv(const Spatial& spatial, int64_t groups);

/// (x float, w [C,O/groups,kernel...], bias [O], optional) -> [N,O,...]: every element of x adds its multiple
/// of the kernel.
struct Transposed {
  std::vector<int64_t> output_padding, output_shape;
};
HostOperatorPtr ConvTranspose(const Spatial& spatial, const Transposed& transposed, int64_t groups);

enum class Pool { kMax, kAverage, kAverageWithPadding, kLp };
/// (x) -> x pooled. kMax has a second result, int64: where in x (flattened; `column_major`: the last two
/// dimensions swapped) each maximum is. `p` is the norm of kLp.
HostOperatorPtr Pooling(std::string name, Pool pool, const Spatial& spatial, int64_t p, bool column_major);
/// (x) -> [N,C,1...] over all of the spatial dimensions.
HostOperatorPtr GlobalPooling(std::string name, Pool pool, int64_t p);

/// (x, int64 places, output shape, optional and constant) -> zeros with the elements of x where MaxPool found
/// them. Places count through the tensor that the window implies; in a larger result they keep their
/// coordinates. A place outside is left out.
HostOperatorPtr MaxUnpool(const Spatial& spatial);

/// (x int8 or uint8, w, x zero point, w zero point: optional scalars or one an output channel) -> int32.
HostOperatorPtr ConvInteger(const Spatial& spatial, int64_t groups);

/// (x, x scale, x zero point, w, w scale, w zero point, y scale, y zero point, bias int32, optional) -> like
/// x. Scales are multiplied in float32, the sum is rounded half to even.
HostOperatorPtr QLinearConv(const Spatial& spatial, int64_t groups);

}  // namespace cosim::host
