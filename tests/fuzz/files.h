// SPDX-License-Identifier: Apache-2.0
// Files of the source tree, for what a fuzzed text needs beside it.
#pragma once

#include <string>

#include "isa/check.h"
#include "isa/spec/loader.h"

namespace cosim::fuzz {

inline isa::SourceText Source(const std::string& path) {
  Diagnostics diags;
  auto source = isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/" + path, diags);
  COSIM_CHECK(source, "{}", diags.Render());
  return *std::move(source);
}

inline isa::Spec TinySpec() {
  Diagnostics diags;
  auto spec = isa::Elaborate(Source("isa/cosim.yaml"), Source("configs/tiny.yaml"), {}, diags);
  COSIM_CHECK(spec, "{}", diags.Render());
  return *std::move(spec);
}

}  // namespace cosim::fuzz
