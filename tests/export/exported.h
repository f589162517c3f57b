// SPDX-License-Identifier: Apache-2.0
// One exported accelerator for a test: the command has run, its files are in a folder.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "isa/check.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"
#include "tests/cli/command.h"

namespace cosim::board::testing {

struct Case {
  const char* name;
  const char* board;
  std::string config, isa;  ///< an empty ISA is the configuration's
  int ports = 1;
};

inline void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

/// A board each, as their configurations are, and several memory ports on either.
inline const Case kCases[] = {
    {"pynq", "pynq", "pynq.yaml", ""},
    {"ultra96", "ultra96", "ultra96.yaml", "", 2},
    {"pynq_ports", "pynq", COSIM_SOURCE_DIR "/tests/hw/ports.yaml", "test/split_loads", 3},
    {"ultra96_ports", "ultra96", COSIM_SOURCE_DIR "/tests/hw/ports.yaml", "test/split_loads", 3},
};

class Exported : public cli::testing::Command, public ::testing::WithParamInterface<Case> {
 protected:
  void SetUp() override {
    const cli::testing::Outcome outcome = Run("export " + Options() + " -o out");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, ::testing::HasSubstr("no Vivado has run on them"));
  }

  static std::string Options() {
    const Case& of = GetParam();
    return "--config=" + of.config + (of.isa.empty() ? "" : " --isa=" + of.isa) + " --set board=" + of.board +
           " --board=" + of.board;
  }

  static isa::Spec Spec() {
    const Case& of = GetParam();
    Diagnostics diags;
    auto spec = isa::LoadSpec(of.config, of.isa, {}, diags);
    COSIM_CHECK(spec.has_value(), "{}", diags.Render());
    return std::move(*spec);
  }

  std::string TextOf(const std::string& file) const { return cli::testing::ReadFile(folder_ / "out" / file); }

  bool Has(const std::string& program) { return Shell("command -v " + program + " >/dev/null").status == 0; }
};

}  // namespace cosim::board::testing
