// SPDX-License-Identifier: Apache-2.0
// The reference outputs of the third-party models, which cosim did not make (goldens.json).
#pragma once

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tests/import/testing.h"

namespace cosim::import {

using Json = nlohmann::json;

inline Json Goldens() {
  std::ifstream file(DataFolder() + "/goldens.json");
  return Json::parse(file);
}

inline graph::Tensor InputOf(const Json& golden, const graph::TensorType& type) {
  auto bytes = BytesOf(DataFolder() + "/" + golden["input"].get<std::string>());
  // Where a file holds more, its beginning is the input (the note says so).
  graph::Tensor tensor(type);
  EXPECT_GE(bytes.size(), tensor.bytes().size());
  bytes.resize(tensor.bytes().size());
  const bool image = golden["input_dtype"].get<std::string>().starts_with("uint8 image bytes");
  for (size_t i = 0; i < bytes.size(); ++i)
    tensor.mutable_bytes()[i] = image ? static_cast<uint8_t>(bytes[i] - 128) : bytes[i];
  return tensor;
}

inline uint32_t Checksum(std::span<const int8_t> output) {
  uint32_t sum = 0;
  for (size_t j = 0; j < output.size(); ++j)
    sum ^= static_cast<uint32_t>(int32_t{output[j]}) << ((j & 3) * 8);
  return sum;
}

inline void ExpectInt8(const Json& golden, const std::vector<uint8_t>& bytes) {
  const std::span<const int8_t> output(reinterpret_cast<const int8_t*>(bytes.data()), bytes.size());
  if (golden.contains("output_int8")) {
    EXPECT_THAT(output, testing::ElementsAreArray(golden["output_int8"].get<std::vector<int8_t>>()));
  } else if (golden.contains("output_int8_difference_1_minus_0")) {
    ASSERT_GE(output.size(), 2u);
    EXPECT_EQ(output[1] - output[0], golden["output_int8_difference_1_minus_0"].get<int>());
  } else {
    ASSERT_TRUE(golden.contains("output_checksum_u32"));
    EXPECT_EQ(Checksum(output), golden["output_checksum_u32"].get<uint32_t>());
  }
}

}  // namespace cosim::import
