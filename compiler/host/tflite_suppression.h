// SPDX-License-Identifier: Apache-2.0
// Of boxes that overlap, the one with the best score, as TensorFlow Lite's NON_MAX_SUPPRESSION_V4 and _V5
// choose.
#pragma once

#include <cstdint>

#include "compiler/host/make.h"

namespace cosim::host {

/// (boxes float32 [N,4], two corners each; scores float32 [N]; the overlap, of both over either, from which
/// on a box is left out; the score that a box has to exceed; sigma, optional; the last three scalars of
/// float32) -> places int32 [most], scores float32 [most], how many there are int32 []. Zeros stand behind
/// them. With a sigma above 0 a score falls by exp(-overlap^2 / (2 sigma)) with each box that is chosen
/// before. Of equal scores the lower place comes first; the reference leaves that open. A box that is chosen
/// competes on, which one without an area does not lose to itself: it fills what is left, as in the
/// reference.
HostOperatorPtr TfliteNonMaxSuppression(int64_t most);

}  // namespace cosim::host
