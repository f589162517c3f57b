// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/constants_first.h"

#include <gmock/gmock.h>

#include "tests/accel/testing.h"

namespace cosim::accel {
namespace {

using ::testing::ElementsAre;

constexpr uint64_t kValues = 0, kConstants = 4096;  // addresses

/// Keeps the names of what it gets, with the elements of loads.
class Names : public InstructionSink {
 public:
  explicit Names(const isa::Spec& spec) : spec_(spec) {}
  void Add(isa::Instruction instruction, const Footprint& footprint, int tag) override {
    std::string name = spec_.formats[instruction.format].name;
    for (const auto& part : footprint.on_chip) name += " " + std::to_string(part.begin);
    names.push_back(name + " of " + std::to_string(tag));
  }
  std::vector<std::string> names;

 private:
  const isa::Spec& spec_;
};

class Order {
 public:
  explicit Order(const isa::Spec& spec)
      : spec_(spec), names_(spec), order_(spec, {{kValues, kConstants}}, names_) {}

  void Load(const std::string& memory, int32_t element, uint64_t address, int tag) {
    const Footprint footprint{{{spec_.MemoryIndex(memory), true, element, element + 4}},
                              {{false, address, address + 64}}};
    Add("load_" + memory, footprint, tag);
  }
  void Gemm(int tag) { Add("gemm", {}, tag); }
  std::vector<std::string> Names() {
    order_.Finish();
    return names_.names;
  }

 private:
  void Add(const std::string& name, const Footprint& footprint, int tag) {
    const int format = spec_.FormatIndex(name);
    order_.Add({format, std::vector<int64_t>(spec_.formats[format].fields.size(), 0)}, footprint, tag);
  }

  const isa::Spec& spec_;
  class Names names_;
  ConstantsFirst order_;
};

TEST(ConstantsFirst, WeightsDoNotWaitForWhatOtherKernelsCompute) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Order order(spec);
  for (int32_t thread : {0, 4}) {
    order.Load("inp", thread, kValues, 0);
    order.Load("wgt", thread, kConstants, 0);
  }
  order.Gemm(0);
  EXPECT_THAT(order.Names(), ElementsAre("load_wgt 0 of 0", "load_wgt 4 of 0", "load_inp 0 of 0",
                                         "load_inp 4 of 0", "gemm of 0"));
}

TEST(ConstantsFirst, OnlyWhereAKernelBegins) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Order order(spec);
  order.Gemm(0);
  order.Load("inp", 0, kValues, 0);
  order.Load("wgt", 0, kConstants, 0);
  order.Load("inp", 4, kValues, 1);
  order.Load("wgt", 4, kConstants, 1);
  order.Gemm(0);  // they take turns
  order.Load("inp", 8, kValues, 1);
  order.Load("wgt", 8, kConstants, 1);
  EXPECT_THAT(order.Names(),
              ElementsAre("gemm of 0", "load_inp 0 of 0", "load_wgt 0 of 0", "load_wgt 4 of 1",
                          "load_inp 4 of 1", "gemm of 0", "load_inp 8 of 1", "load_wgt 8 of 1"));
}

TEST(ConstantsFirst, WeightsThatAreValuesStayWhereTheyAre) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Order order(spec);
  order.Load("inp", 0, kValues, 0);
  order.Load("wgt", 0, kValues + 64, 0);
  EXPECT_THAT(order.Names(), ElementsAre("load_inp 0 of 0", "load_wgt 0 of 0"));
}

TEST(ConstantsFirst, WhatWritesTheSamePlaceStaysBehind) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  Order order(spec);
  order.Load("inp", 0, kValues, 0);
  order.Load("inp", 2, kConstants, 0);
  EXPECT_THAT(order.Names(), ElementsAre("load_inp 0 of 0", "load_inp 2 of 0"));
}

TEST(ConstantsFirst, AUnitThatLoadsNothingElseNeedsNoOtherOrder) {
  const isa::Spec spec = Load("ultra96.yaml", "cosim");
  Order order(spec);
  order.Load("inp", 0, kValues, 0);
  order.Load("wgt", 0, kConstants, 0);
  EXPECT_THAT(order.Names(), ElementsAre("load_inp 0 of 0", "load_wgt 0 of 0"));
}

}  // namespace
}  // namespace cosim::accel
