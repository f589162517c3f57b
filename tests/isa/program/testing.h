// SPDX-License-Identifier: Apache-2.0
// What the tests of programs share: specs by name, and programs from text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "isa/program/assembler.h"
#include "isa/program/program.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"

namespace cosim::isa::testing {

inline Spec MakeSpec(const std::string& isa, const std::string& config = "tiny",
                     std::vector<Override> overrides = {}) {
  Diagnostics diags;
  std::optional<Spec> spec = LoadSpec(config, isa, overrides, diags);
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return spec ? std::move(*spec) : Spec{};
}

/// Of configs/tiny.yaml with isa/cosim.yaml.
inline const Spec& TinySpec() {
  static const Spec spec = MakeSpec("cosim");
  return spec;
}

/// Assembles; a mistake fails the test.
inline Program FromText(const Spec& spec, const std::string& text) {
  Diagnostics diags;
  const SourceText source{"test.s", text};
  std::optional<Assembly> assembly = Assemble(spec, source, diags);
  EXPECT_TRUE(assembly.has_value()) << diags.Render();
  return assembly ? std::move(assembly->program) : Program{};
}

/// `text` with the first `from` replaced; fails the test if there is none.
inline std::string Replace(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "no '" << from << "' in the text";
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace cosim::isa::testing
