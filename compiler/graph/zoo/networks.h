// SPDX-License-Identifier: Apache-2.0
// The networks themselves, a function and a file each; the registry (zoo.cc) lists them.
#pragma once

#include <cstdint>

#include "compiler/graph/graph.h"

namespace cosim::graph::zoo {

/// 784-256-128-10 on 28x28 images.
Graph BuildMlp(uint64_t seed);

/// ResNet-18 (He et al., 2015) for 224x224 images and 1000 classes, with torchvision's layer names.
Graph BuildResNet18(uint64_t seed);

/// 27x27 images, 10 classes; residual blocks, pooling and strides on odd extents, channels that fill no tile.
Graph BuildSmallCnn(uint64_t seed);

}  // namespace cosim::graph::zoo
