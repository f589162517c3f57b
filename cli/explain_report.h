// SPDX-License-Identifier: Apache-2.0
// What `cosim explain` prints.
#pragma once

#include <string>

#include "compiler/session/explain.h"
#include "compiler/session/origin.h"
#include "isa/spec/spec.h"

namespace cosim::cli {

/// One screen: where the network's cycles went, the layers that lost most, what would lift it.
std::string NetworkText(const session::Explanation& result, const isa::Spec& spec);

/// Each layer by itself, then what would lift the network; of one layer, named `layer`, its knobs too.
std::string LayersText(const session::Explanation& result, const std::string& layer);

/// `origin`: what the explained run came from.
std::string ExplanationJson(const session::Explanation& result, const session::Origin& origin);

}  // namespace cosim::cli
