// SPDX-License-Identifier: Apache-2.0
// What a frame takes beside the accelerator.
#include "compiler/session/end_to_end.h"

#include <gtest/gtest.h>

namespace cosim::session {
namespace {

/// An input of 30,000 bytes, a step that copies 35,000 in and out together, an output of 5,000.
runtime::Network SomeNetwork() {
  runtime::Network network;
  network.layers.resize(1);
  runtime::Place input, output;
  input.bytes = input.plain_bytes = 30'000;
  output.bytes = output.plain_bytes = 5'000;
  network.inputs = {input};
  network.outputs = {output};
  runtime::CpuStep step;
  step.layer = 0;
  const auto constant = std::make_shared<int>(0);
  step.arguments = {{0, 20'000, nullptr, false}, {0, 99'000, constant, false}, {0, 15'000, nullptr, true}};
  network.steps = {runtime::AcceleratorStep(), step};
  return network;
}

runtime::Run TimedRun() {
  runtime::Run run;
  run.timed = true;
  run.cycles = 200'000;
  return run;
}

TEST(EndToEnd, CopiesTakeTheirBytesAtTheProcessorsRate) {
  const EndToEnd times = EndToEndOf(SomeNetwork(), TimedRun(), 100, isa::HostProcessor{"cortex-a9", 2, 650});
  EXPECT_DOUBLE_EQ(*times.copies_ms, 1);  // 70,000 bytes at 70 MB/s
  EXPECT_DOUBLE_EQ(*times.FrameMs(), 2 + *times.host_ms + 1);
  EXPECT_DOUBLE_EQ(*times.PipelinedFramesPerSecond(), 1000 / std::max(2.0, *times.host_ms + 1));
  const EndToEnd faster =
      EndToEndOf(SomeNetwork(), TimedRun(), 100, isa::HostProcessor{"cortex-a53", 4, 1200});
  EXPECT_DOUBLE_EQ(*faster.copies_ms, 70.0 / 130);
}

TEST(EndToEnd, CopiesAreUnknownWithoutAProcessor) {
  runtime::Network network = SomeNetwork();
  network.steps.pop_back();
  const EndToEnd times = EndToEndOf(network, TimedRun(), 100, std::nullopt);
  EXPECT_EQ(times.host_ms, 0);
  EXPECT_FALSE(times.copies_ms);
  EXPECT_FALSE(times.FrameMs());
  EXPECT_FALSE(times.PipelinedFramesPerSecond());
}

}  // namespace
}  // namespace cosim::session
