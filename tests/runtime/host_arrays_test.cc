// SPDX-License-Identifier: Apache-2.0
// Which arrays stay with the host, and that a run with them there gives what it gives with all of them
// copied.
#include "runtime/host_arrays.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "runtime/executor.h"
#include "tests/runtime/small_module.h"

namespace cosim::runtime {
namespace {

using ::testing::ElementsAre;

/// Moves 8 bytes from 128 to 256, as the program says; notes what is copied.
class MovingDevice final : public Device {
 public:
  std::string Name() const override { return "moving"; }
  void Reserve(uint64_t bytes) override { dram_.resize(bytes); }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override {
    written.push_back(address);
    std::ranges::copy(bytes, dram_.begin() + static_cast<int64_t>(address));
  }
  void Read(uint64_t address, std::span<uint8_t> bytes) override {
    read.push_back(address);
    std::copy_n(dram_.begin() + static_cast<int64_t>(address), bytes.size(), bytes.begin());
  }
  Counters Execute(const isa::Program&, const ExecuteOptions&) override {
    std::copy_n(dram_.begin() + 128, 8, dram_.begin() + 256);
    Counters counters;
    counters.completed = true;
    return counters;
  }
  void PoisonOnChip(uint64_t) override {}

  std::vector<uint64_t> written, read;

 private:
  std::vector<uint8_t> dram_;
};

/// out = in + 1, 8 bytes.
class PlusOne final : public CpuKernel {
 public:
  void RunOn(std::span<void* const> args, const Parallel&) const override {
    const auto* in = static_cast<const uint8_t*>(args[0]);
    std::transform(in, in + 8, static_cast<uint8_t*>(args[1]), [](uint8_t x) { return x + 1; });
  }
};

class HostArraysTest : public ::testing::Test {
 protected:
  /// x at 0 -> 64 -> 128 -> program -> 256 -> y at 64
  HostArraysTest() : spec_(testing::TinySpec()) {
    network_.layers.resize(1);
    network_.value_bytes = network_.dram_bytes = 512;
    Place place;
    place.bytes = place.plain_bytes = 8;
    network_.inputs = {place};
    place.address = 64;
    network_.outputs = {place};
    Add(0, 64);
    Add(64, 128);
    Diagnostics diags;
    const auto assembly = isa::Assemble(
        spec_,
        {"p.s",
         ".dram 0x200\n.code 0x400\nload_inp dram=128 rows=1 cols=2\nstore_out dram=256 rows=1 cols=2\n"},
        diags);
    EXPECT_TRUE(assembly) << diags.Render();
    AcceleratorStep program;
    program.program = assembly->program;
    program.layer_of = {0, 0};
    network_.steps.emplace_back(program);
    Add(256, 64);
  }
  void Add(uint64_t from, uint64_t to) {
    CpuStep call;
    call.kernel = std::make_shared<PlusOne>();
    call.layer = 0;
    call.arguments = {{from, 8, nullptr, false}, {to, 8, nullptr, true}};
    network_.steps.emplace_back(call);
  }
  const std::vector<CpuStep::Argument>& Arguments(size_t step) {
    return std::get<CpuStep>(network_.steps[step]).arguments;
  }
  std::vector<uint8_t> Run(MovingDevice& device) {
    const auto run = Execute(network_, spec_, device, {{1, 2, 3, 4, 5, 6, 7, 8}}, false);
    EXPECT_TRUE(run.completed) << run.error;
    return run.outputs.at(0);
  }

  isa::Spec spec_;
  Network network_;
};

TEST_F(HostArraysTest, OnlyWhatTheProgramTouchesIsCopied) {
  MovingDevice all, few;
  const auto expected = Run(all);
  EXPECT_THAT(expected, ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(all.written, ElementsAre(0, 64, 128, 64));
  EXPECT_EQ(CopiedBytes(network_), 8u * (1 + 2 * 3 + 1));

  MarkHostArrays(network_, spec_);
  EXPECT_EQ(Run(few), expected);
  EXPECT_THAT(few.written, ElementsAre(128));
  EXPECT_THAT(few.read, ElementsAre(256));
  EXPECT_EQ(CopiedBytes(network_), 8u * 2);
}

TEST_F(HostArraysTest, AnInputThatAProgramReadsIsCopied) {
  network_.inputs[0].address = 128;
  network_.steps.erase(network_.steps.begin(), network_.steps.begin() + 2);
  MarkHostArrays(network_, spec_);
  EXPECT_FALSE(network_.inputs[0].on_host);
  EXPECT_TRUE(network_.outputs[0].on_host);
}

TEST_F(HostArraysTest, WhereAProgramStoresLaterAnArrayIsOver) {
  network_.inputs[0].address = 256;  // the program's results stand there when it is done
  std::get<CpuStep>(network_.steps[0]).arguments[0].address = 256;
  MarkHostArrays(network_, spec_);
  EXPECT_TRUE(network_.inputs[0].on_host);
  EXPECT_TRUE(Arguments(0)[0].on_host);
  EXPECT_FALSE(Arguments(3)[0].on_host);
  MovingDevice device;
  EXPECT_THAT(Run(device), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
}

TEST_F(HostArraysTest, AnArrayReadInPartsIsCopied) {
  std::get<CpuStep>(network_.steps[1]).arguments[0].bytes = 4;
  MarkHostArrays(network_, spec_);
  EXPECT_FALSE(Arguments(0)[1].on_host);
  EXPECT_FALSE(Arguments(1)[0].on_host);
}

TEST_F(HostArraysTest, ANetworkThatKeepsItsValuesKeepsThemInTheDevice) {
  network_.values = network_.outputs;
  MarkHostArrays(network_, spec_);
  MovingDevice device;
  Run(device);
  EXPECT_THAT(device.written, ElementsAre(0, 64, 128, 64));
}

}  // namespace
}  // namespace cosim::runtime
