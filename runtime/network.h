// SPDX-License-Identifier: Apache-2.0
// A compiled network: accelerator programs and CPU kernels in the order they run, over one DRAM. Knows no
// graphs; the compiler makes it, the executor runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "isa/program/program.h"
#include "runtime/cpu_kernel.h"
#include "runtime/host_work.h"
#include "runtime/image_rows.h"

namespace cosim::runtime {

/// A choice that a schedule makes.
struct Knob {
  std::string name, value;
  std::vector<std::string> legal;  ///< the values that schedules which fit have, ascending
};

/// A schedule that was not taken.
struct Alternative {
  std::string schedule;
  int64_t more_cycles = 0;  ///< than the one taken, both simulated with the kernel before it
};

/// One row of the report.
struct Layer {
  std::string name;
  std::string op;  ///< "conv2d+bias_add+requantize+clip"
  bool on_accelerator = false;
  std::string reason;                     ///< why not on the accelerator, or what the host does for it
  std::string schedule;                   ///< the knobs chosen, for accelerator layers
  std::vector<Knob> knobs;                ///< the same with their legal values, when asked for
  std::vector<Alternative> alternatives;  ///< the next candidates, when asked for
  int64_t macs = 0;                       ///< multiply-accumulates of its convolutions and dense layers
};

struct AcceleratorStep {
  isa::Program program;
  std::vector<int> layer_of;  ///< index into Network::layers, one an instruction
};

/// Arrays in DRAM are copied to the host and back around the kernel, but those that the host has to itself.
struct CpuStep {
  struct Argument {
    uint64_t address = 0;  ///< in DRAM, when `constant` is null
    uint64_t bytes = 0;
    std::shared_ptr<const void> constant;
    bool is_output = false;
    bool on_host = false;  ///< the host has it to itself (runtime/host_arrays.h)
  };
  CpuKernelPtr kernel;
  std::vector<Argument> arguments;
  int layer = -1;
  HostWork work{};
};

/// Where a value of the network stands once it is computed.
struct Place {
  std::string name;
  int value = -1;  ///< of the graph it was compiled from
  uint64_t address = 0, bytes = 0;
  CpuKernelPtr unpack;  ///< to the plain row-major array; null: it is one
  uint64_t plain_bytes = 0;
  std::string type;  ///< of the plain array: "int8[1,10]"
  uint64_t element_bytes = 1;
  float scale = 0;  ///< real = (q - zero_point) * scale; 0 when the value has no such meaning
  int zero_point = 0;
  bool on_host = false;            ///< as CpuStep::Argument's
  double tolerance = 0;            ///< how far floats may be from the golden model's; 0: no bit may differ
  bool rounded = false;            ///< integers were rounded from such floats on the way to it
  std::optional<ImageRows> image;  ///< of an input: `bytes` are those of the rows and all around them
  /// The graph's value is [N, C, H, W], the plain array [N, H, W, C]. Not in modules, which have no graph.
  bool channels_last = false;
};

/// What output number `output` was in one frame is input number `input` of the next.
struct Carried {
  size_t input = 0, output = 0;
};

struct Network {
  std::string name;
  std::vector<Layer> layers;
  std::vector<std::variant<AcceleratorStep, CpuStep>> steps;
  std::vector<Place> inputs, outputs;
  std::vector<Carried> carried;  ///< state that the network keeps from frame to frame; not in modules
  std::vector<Place> values;     ///< all that can be read back at the end, when compiled to keep them
  uint64_t value_bytes = 0;      ///< what a run writes stands in [0, value_bytes); all above is the programs'
  uint64_t dram_bytes = 0;
};

}  // namespace cosim::runtime
