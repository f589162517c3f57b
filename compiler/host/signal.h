// SPDX-License-Identifier: Apache-2.0
// Spectra: Fourier transforms, the windows before them, and the bands behind them. A complex number is a last
// dimension of 2, a real one of 1.
#pragma once

#include "compiler/host/make.h"

namespace cosim::host {

struct DftAttributes {
  int64_t axis = 1;  ///< where there is no operand for it
  bool inverse = false, onesided = false;
};
/// (x float [...,1 or 2], length, optional, axis, optional; constants) -> [...,2]: x cut or filled with zeros
/// to `length`, transformed along `axis`; of a real x only its first half with `onesided`.
HostOperatorPtr Dft(const DftAttributes& attributes);

/// (x float [B,L] or [B,L,1 or 2], step, window [F], optional, length, optional; step and length constants)
/// -> [B,frames,bins,2]: transforms of what stands under the window at every step.
HostOperatorPtr ShortTimeDft(bool onesided);

/// (size, constant) -> a[0] - a[1] cos(2 pi i / n) + a[2] cos(4 pi i / n) in `dtype`; n is the size, or,
/// unless `periodic`, one less.
HostOperatorPtr CosineWindow(std::vector<double> a, bool periodic, DType dtype);

/// (bands, length of the transform, sample rate, lowest and highest frequency; constants) -> [bins, bands] in
/// `dtype`: triangles over the bins, of equal width on the mel scale.
HostOperatorPtr MelWeights(DType dtype);

}  // namespace cosim::host
