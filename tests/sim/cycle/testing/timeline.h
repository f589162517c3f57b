// SPDX-License-Identifier: Apache-2.0
// Two-sided assertions on when instructions issue and retire: not one cycle earlier, and not one later.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/cycle/timing_engine.h"
#include "tests/sim/cycle/testing/spec_builder.h"

namespace cosim::sim::testing {

/// A program in the making, then its times. In the specs of these tests, with PlainFetch, instruction i
/// stands at its unit in cycle kFirst + i.
class Timeline {
 public:
  static constexpr Cycle kFirst = 23;

  explicit Timeline(isa::Spec spec) : spec_(std::move(spec)) {}

  /// One word a beat and up to 16 words in the first burst: it is accepted in cycle 1, its beats arrive from
  /// cycle 1 + 20 on, word i is dispatched in cycle 22 + i.
  static isa::Spec PlainFetch(isa::Spec spec) {
    spec.word_bits = 64;
    spec.fetch_words = 64;
    return spec;
  }

  const isa::Spec& spec() const { return spec_; }
  int Unit(const std::string& name) const {
    for (size_t u = 0; u < spec_.units.size(); ++u) {
      if (spec_.units[u].name == name) return static_cast<int>(u);
    }
    return -1;
  }
  /// Appends an instruction; its number.
  size_t Add(isa::Decoded instruction) {
    program_.push_back(std::move(instruction));
    return program_.size() - 1;
  }
  void Run() { counters_ = TimingEngine(spec_).Run(program_, 0, {.record_instructions = true}); }
  const runtime::Counters& counters() const { return counters_; }

  void ExpectIssuesAt(size_t instruction, Cycle cycle) const {
    const Cycle issue = counters_.instructions.at(instruction).issue;
    EXPECT_FALSE(issue >= 0 && issue < cycle)
        << "#" << instruction << " issues early: " << issue << " < " << cycle;
    EXPECT_TRUE(issue >= 0 && issue <= cycle)
        << "#" << instruction << " issues late: " << issue << " > " << cycle;
  }
  void ExpectRetiresAt(size_t instruction, Cycle cycle) const {
    const Cycle retire = counters_.instructions.at(instruction).retire;
    EXPECT_FALSE(retire >= 0 && retire < cycle)
        << "#" << instruction << " retires early: " << retire << " < " << cycle;
    EXPECT_TRUE(retire >= 0 && retire <= cycle)
        << "#" << instruction << " retires late: " << retire << " > " << cycle;
  }

 private:
  isa::Spec spec_;
  std::vector<isa::Decoded> program_;
  runtime::Counters counters_;
};

/// Where a test's first instruction issues, and the spec most of them time.
constexpr Cycle kT = Timeline::kFirst;
inline isa::Spec Plain() { return Timeline::PlainFetch(CosimLike()); }

}  // namespace cosim::sim::testing
