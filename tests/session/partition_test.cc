// SPDX-License-Identifier: Apache-2.0
// Every layer on the host says which limit it met, and what is said to lift it does.
#include "compiler/session/partition.h"

#include <gmock/gmock.h>

#include "compiler/session/session.h"

namespace cosim::session {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::optional<isa::Spec> Load(const std::string& config, const std::string& isa,
                              const std::vector<isa::Override>& overrides) {
  Diagnostics diagnostics;
  return isa::LoadSpec(config, isa, overrides, diagnostics);
}

Partition PartitionOf(const std::string& network, const std::string& config, const std::string& isa,
                      const std::vector<isa::Override>& overrides = {}) {
  PartitionOptions options{.network = network};
  options.respecify = [&](const SpecChange& change) {
    auto all = overrides;
    all.insert(all.end(), change.overrides.begin(), change.overrides.end());
    return Load(config, change.isa.empty() ? isa : change.isa, change.isa.empty() ? all : overrides);
  };
  const auto spec = Load(config, isa, overrides);
  EXPECT_TRUE(spec);
  return ExplainPartition(*spec, options);
}

TEST(Partition, EveryLayerOnTheHostHasAReason) {
  for (const char* network : {"small_cnn", "mlp"})
    for (const char* isa : {"cosim", "vta"}) {
      const Partition partition = ExplainPartition(*Load("tiny.yaml", isa, {}), {.network = network});
      EXPECT_GT(partition.layers, 0);
      for (const HostLayer& host : partition.host)
        EXPECT_NE(host.layer.reason, "") << network << " " << host.layer.name;
    }
}

TEST(Partition, AnIsaWithMoreOperationsLiftsWhatVtaLacks) {
  const Partition partition = PartitionOf("small_cnn", "tiny.yaml", "vta");
  int pools = 0;
  for (const HostLayer& host : partition.host) {
    if (host.layer.op.find("pool") == std::string::npos) continue;
    ++pools;
    EXPECT_THAT(host.layer.reason, HasSubstr("no ALU op of isa 'vta'")) << host.layer.name;
    EXPECT_THAT(host.lifted_by, Contains(HasSubstr("isa cosim"))) << host.layer.name;
  }
  EXPECT_GT(pools, 0);
}

TEST(Partition, LanesThatDivideNoBlockNameThoseThatDo) {
  const Partition partition = PartitionOf("small_cnn", "tiny.yaml", "cosim",
                                          {{"parameters.block_out", "8"}, {"parameters.alu_lanes", "8"}});
  int lifted = 0;
  for (const HostLayer& host : partition.host) {
    if (host.layer.reason.find("8 lanes at a time") == std::string::npos) continue;
    ++lifted;
    EXPECT_THAT(host.lifted_by, Contains("parameters.alu_lanes=4 (now 8)")) << host.layer.name;
  }
  EXPECT_GT(lifted, 0);
}

TEST(Partition, AnArrayOfUnequalSidesNamesWhatEqualOnesLift) {
  const Partition partition = PartitionOf("small_cnn", "tiny.yaml", "cosim", {{"parameters.block_in", "8"}});
  int lifted = 0;
  for (const HostLayer& host : partition.host) {
    if (host.layer.reason.find("equal block_in and block_out lift that") == std::string::npos) continue;
    ++lifted;
    EXPECT_THAT(host.lifted_by, Contains(HasSubstr("parameters.block_in=8 and parameters.block_out=8")))
        << host.layer.name;
  }
  EXPECT_GT(lifted, 0);
}

}  // namespace
}  // namespace cosim::session
