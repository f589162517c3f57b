// SPDX-License-Identifier: Apache-2.0
// Which arrays of a network the host has to itself: written by it, and read by no accelerator program before
// something else stands there. They stay in the host's memory; only the others are copied to the
// accelerator's and back.
#pragma once

#include "isa/spec/spec.h"
#include "runtime/network.h"

namespace cosim::runtime {

/// Sets `on_host` of the network's inputs and outputs and of the arrays of its host steps. Without this call
/// all are copied, which is as right and slower. A network compiled to keep all values keeps them in the
/// accelerator's memory.
void MarkHostArrays(Network& network, const isa::Spec& spec);

}  // namespace cosim::runtime
