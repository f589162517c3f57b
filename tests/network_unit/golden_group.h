// SPDX-License-Identifier: Apache-2.0
// A graph of one group through lowering and the functional device, against the golden model.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/golden/golden.h"
#include "compiler/network/lower_group.h"
#include "compiler/network/program_builder.h"
#include "isa/verify/verify.h"
#include "sim/functional/functional_device.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {

// NCHW to blocks of so many channels, the way the host does it.
inline std::vector<uint8_t> Blocked(const graph::Tensor& plain, const Array& a, int64_t block) {
  auto s = plain.shape();
  s.resize(4, 1);
  const int64_t nb = (s[0] + a.batch - 1) / a.batch, cb = (s[1] + block - 1) / block, hw = s[2] * s[3];
  const int64_t lane = a.activation_bits / 8, bytes = a.BlockBytes(block);
  std::vector<uint8_t> out(nb * cb * hw * bytes);
  for (int64_t n = 0; n < s[0]; ++n)
    for (int64_t c = 0; c < s[1]; ++c)
      for (int64_t p = 0; p < hw; ++p)
        for (int64_t byte = 0; byte < lane; ++byte) {  // little-endian, sign extended
          const int value = plain.data<int8_t>()[(n * s[1] + c) * hw + p];
          out[(((n / a.batch) * cb + c / block) * hw + p) * bytes + (n % a.batch * block + c % block) * lane +
              byte] = static_cast<uint8_t>(value >> (8 * byte));
        }
  return out;
}

inline graph::Tensor RandomTensor(GraphBuilder& b, const graph::TensorType& type) {
  graph::Tensor tensor(type);
  for (int8_t& value : tensor.mutable_data<int8_t>()) value = static_cast<int8_t>(b.Pick(-128, 127));
  return tensor;
}

// Lowers a group that makes the graph's only output, runs it, and compares with the golden model. False if it
// has to run on the CPU.
inline bool RunsAsGolden(const isa::Spec& spec, GraphBuilder& b, const Group& whole,
                         const LowerOptions& options) {
  const graph::ValueId output = b.graph.outputs()[0];
  GroupLowering lowering(spec, b.graph, options);
  std::string reason;
  const auto group = lowering.Lower(whole, reason);
  if (!group || group->input_layout.kind != Layout::Kind::kBlocked) return false;
  std::vector<graph::Tensor> inputs;
  for (graph::ValueId input : b.graph.inputs()) inputs.push_back(RandomTensor(b, b.graph.node(input).type));
  const auto golden = golden::Run(b.graph, inputs);

  PlacedKernel placed{&group->kernel, {}, 0};
  std::vector<isa::Segment> constants;
  const uint64_t values_end = 3 << 16;
  uint64_t free_from = values_end;
  for (Role role : group->roles) {
    if (role == Role::kInput)
      placed.addresses.push_back(0);
    else if (role == Role::kResidual)
      placed.addresses.push_back(1 << 16);
    else if (role == Role::kOutput)
      placed.addresses.push_back(2 << 16);
    else
      for (const auto& constant : group->constants) {
        if (constant.role != role) continue;
        placed.addresses.push_back(free_from);
        constants.push_back({isa::Segment::Kind::kConstants, constant.name, free_from, constant.bytes});
        free_from = (free_from + constant.bytes.size() + 4095) / 4096 * 4096;
      }
  }
  std::string error;
  const auto step = BuildProgram(spec, {placed}, std::move(constants), values_end, free_from, error);
  EXPECT_TRUE(step) << error;
  if (!step) return false;
  const auto verdict = isa::Verify(spec, step->program);
  EXPECT_TRUE(verdict.ok()) << verdict.Render();
  sim::FunctionalDevice device(spec);
  runtime::LoadSegments(device, step->program);
  const Array& array = lowering.array();
  device.Write(0, Blocked(*golden[group->input], array, array.layout_in));
  if (group->residual >= 0) device.Write(1 << 16, Blocked(*golden[group->residual], array, array.layout_in));
  EXPECT_TRUE(device.Execute(step->program, {}).completed);
  const auto want = Blocked(*golden[output], array, array.layout_out);
  std::vector<uint8_t> got(want.size());
  device.Read(2 << 16, got);
  // Channels and rows that only blocking adds may hold anything.
  const auto valid =
      Blocked(graph::Tensor(golden[output]->shape(), std::vector<int8_t>(golden[output]->size(), 1)), array,
              array.layout_out);
  for (size_t i = 0; i < got.size(); ++i)
    if (valid[i] && got[i] != want[i]) {
      ADD_FAILURE() << "byte " << i << ": " << int{got[i]} << ", not " << int{want[i]};
      break;
    }
  return true;
}

// The same of a graph of one group.
inline bool RunsAsGolden(const isa::Spec& spec, GraphBuilder& b, graph::ValueId output) {
  b.graph.SetOutputs({output});
  const auto groups = Fuse(b.graph, {});
  EXPECT_EQ(groups.size(), 1u);
  return RunsAsGolden(spec, b, groups[0], {});
}

// Windows of up to 3x3, some of them partly outside.
inline graph::MaxPool PoolOver(GraphBuilder& b, graph::ValueId x) {
  graph::MaxPool pool;
  for (size_t d : {0, 1}) {
    const int64_t most = std::min<int64_t>(3, b.graph.node(x).type.shape[2 + d]);
    pool.kernel[d] = b.Pick(1, most);
    pool.stride[d] = b.Pick(1, 3);
    pool.pad[d] = b.Pick(0, pool.kernel[d] - 1);
    pool.pad[d + 2] = b.Pick(0, pool.kernel[d] - 1);
  }
  return pool;
}

}  // namespace cosim::network
