// SPDX-License-Identifier: Apache-2.0
// What a core of this machine computes at most, measured and not looked up: the yardstick that layers on the
// host are held against.
#pragma once

#include <string>

namespace cosim::runtime {

/// Of one thread, in 1e9 operations a second; a product and its sum are two.
struct HostPeak {
  double float_gops = 0;     ///< float32
  double integer_gops = 0;   ///< int8
  std::string float_loop;    ///< what was run: "AVX-512 fused multiply-add, 16 lanes of float32"
  std::string integer_loop;  ///< "VNNI dot product, 64 lanes of int8"
};

/// Runs loops of independent multiply-adds in registers for some 30 ms and takes their fastest stretch.
HostPeak MeasureHostPeak();

}  // namespace cosim::runtime
