// SPDX-License-Identifier: Apache-2.0
// What a Verilated model's shared object exports; compiled with the model, not with cosim.
#include <Vrtl.h>

#include "sim/rtl/model/verilated_model.h"

extern "C" __attribute__((visibility("default"))) cosim::sim::RtlModel* cosim_make_rtl_model(int seed) {
  return new cosim::sim::VerilatedModel<Vrtl, COSIM_PORTS, COSIM_PORT_BITS>(seed);
}
