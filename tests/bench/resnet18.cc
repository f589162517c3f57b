// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/resnet18.h"

#include "compiler/session/session.h"
#include "isa/spec/loader.h"

namespace cosim::bench {

const Compiled& Resnet18() {
  static const Compiled compiled = [] {
    Diagnostics diags;
    Compiled c;
    c.spec = *isa::LoadSpec("pynq.yaml", "", {}, diags);
    const auto quantized = session::QuantizeFor(c.spec, "resnet18", 1);
    c.network = session::CompileFor(c.spec, quantized.graph, {});
    for (const auto& place : c.network.inputs) c.inputs.emplace_back(place.bytes, 17);
    return c;
  }();
  return compiled;
}

}  // namespace cosim::bench
