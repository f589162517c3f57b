// SPDX-License-Identifier: Apache-2.0
// What detectors of objects have between a network and its boxes.
#pragma once

#include "compiler/host/make.h"

namespace cosim::host {

/// (boxes float32 [B,N,4], scores float32 [B,C,N], most boxes a class, least overlap, least score; the last
/// three optional, all of them constants) -> int64 [count, 3]: batch, class and box of those that remain when
/// each box, from the highest score on, drops what overlaps it by more. Boxes are two corners [y, x, y, x],
/// or with `centred` [x, y, width, height].
HostOperatorPtr NonMaxSuppression(bool centred);

struct RoiAttributes {
  int64_t height = 1, width = 1;  ///< of the result
  int64_t samples = 0;            ///< a side of each pixel; 0: as many as it has pixels of x
  double scale = 1;               ///< of x to the regions' coordinates
  bool half_pixel = true;         ///< pixels have their middles at .5
  bool largest = false;           ///< of the samples the largest, not the mean
};
/// (x float [N,C,H,W], regions float [R,4] of corners x, y, x, y, their images int64 [R]) ->
/// [R,C,height,width].
HostOperatorPtr RoiAlign(const RoiAttributes& attributes);

}  // namespace cosim::host
