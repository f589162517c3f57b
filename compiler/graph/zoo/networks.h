// SPDX-License-Identifier: Apache-2.0
// The networks themselves, a file a family; the registry (zoo.cc) lists them. Layer names are torchvision's
// where it has the network.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/zoo.h"

namespace cosim::graph::zoo {

/// 3 channels to 128 at an eighth of the size and back.
Graph BuildAutoencoder(NetworkBuilder net, const Variant& variant);

/// 784-256-128-10 on 28x28 images.
Graph BuildMlp(NetworkBuilder net, const Variant& variant);

/// MobileNet v1 (Howard et al., 2017): depthwise and 1x1 convolutions in turn.
Graph BuildMobileNetV1(NetworkBuilder net, const Variant& variant);
/// MobileNet v2 (Sandler et al., 2018): inverted residuals with linear bottlenecks.
Graph BuildMobileNetV2(NetworkBuilder net, const Variant& variant);

/// ResNets (He et al., 2015); ResNet-50 strides in its 3x3 convolutions ("v1.5").
Graph BuildResNet18(NetworkBuilder net, const Variant& variant);
Graph BuildResNet34(NetworkBuilder net, const Variant& variant);
Graph BuildResNet50(NetworkBuilder net, const Variant& variant);

/// 27x27 images, 10 classes; residual blocks, pooling and strides on odd extents, channels that fill no tile.
Graph BuildSmallCnn(NetworkBuilder net, const Variant& variant);

/// SqueezeNet 1.1 (Iandola et al., 2016).
Graph BuildSqueezeNet(NetworkBuilder net, const Variant& variant);

/// VGG-16 (Simonyan, Zisserman, 2014) without batch normalization, its dense layers included.
Graph BuildVgg16(NetworkBuilder net, const Variant& variant);

/// A transformer encoder for images, as large as ViT-tiny (Touvron et al., 2020).
Graph BuildVitTiny(NetworkBuilder net, const Variant& variant);

}  // namespace cosim::graph::zoo
