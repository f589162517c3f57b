// SPDX-License-Identifier: Apache-2.0
// A Verilated cosim_accelerator behind one interface, whatever its widths are: drives pins and looks into
// memories. Between cosim and the shared objects that sim/rtl/rtl_library.h builds, so it needs nothing but
// the language. What the buses answer is rtl_bench.h's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cosim::sim {

/// The most memory ports that an accelerator has.
inline constexpr int kMaxRtlPorts = 4;

/// What the pins of a memory port carry to the accelerator in one cycle.
struct RtlPortInputs {
  bool ar_ready = true;
  const uint8_t* r_data = nullptr;  ///< one beat; null: none comes
  bool r_last = false;
  uint32_t r_response = 0;  ///< as AXI codes it; 0 is OKAY
  bool aw_ready = true, w_ready = true;
  bool b_valid = false;
  uint32_t b_response = 0;
};

/// What an address channel offers; all but the beats as AXI codes it.
struct RtlAddress {
  uint64_t address = 0;
  int beats = 0;
  uint32_t size = 0, burst = 0, cache = 0, prot = 0;
};

/// What they carry from it.
struct RtlPortOutputs {
  bool ar_valid = false;
  RtlAddress ar;
  bool r_ready = false;
  bool aw_valid = false;
  RtlAddress aw;
  bool w_valid = false, w_last = false;
  const uint8_t* w_data = nullptr;  ///< one beat, until the next cycle
  uint64_t w_strobe = 0;            ///< bit i: byte i is written
  bool b_ready = false;
};

/// What all pins carry in one cycle. Memory ports that the accelerator does not have stay idle.
struct RtlInputs {
  bool reset = false;
  // Registers.
  bool s_aw_valid = false, s_w_valid = false, s_b_ready = false, s_ar_valid = false, s_r_ready = false;
  uint32_t s_aw_address = 0, s_w_data = 0, s_w_strobe = 0, s_ar_address = 0;
  // Memory.
  std::array<RtlPortInputs, kMaxRtlPorts> ports = {};
};

/// Bit u of the masks is unit u.
struct RtlOutputs {
  bool interrupt = false;
  bool start = false, done = false;  ///< cycle 0 of a run; from the cycle in which the run is done
  bool s_aw_ready = false, s_w_ready = false, s_b_valid = false, s_ar_ready = false, s_r_valid = false;
  uint32_t s_r_data = 0;
  std::array<RtlPortOutputs, kMaxRtlPorts> ports = {};
  uint64_t issue = 0, retire = 0;
};

/// One bank of an on-chip memory: element i at `data` + i * `stride`, lowest bits first.
struct RtlBank {
  uint8_t* data = nullptr;  ///< null: there is no such bank
  size_t stride = 0;
  int64_t elements = 0;
};

class RtlModel {
 public:
  virtual ~RtlModel() = default;
  /// Sets `outputs` to those of the cycle that has these inputs, but for ports that the accelerator does not
  /// have; then the clock's edge ends the cycle.
  virtual void Cycle(const RtlInputs& inputs, RtlOutputs& outputs) = 0;
  /// Bank `bank` of memory `memory`, whose contents may be read and written between cycles: of the memory
  /// itself, which is copy 0, or of a copy that rows behind the first are read from.
  virtual RtlBank Bank(std::string_view memory, int bank, int copy) = 0;
  /// Plants a fault from the next cycle on. False when the model was built without any.
  virtual bool SelectMutant(int number) = 0;
  /// Writes what all signals do from the next cycle on to an FST file, where that cycle begins at `time`, in
  /// picoseconds. False when the file cannot be written, or the model was built without.
  virtual bool OpenTrace(const char* file, uint64_t time, uint64_t period) = 0;
  /// Ends the trace; nothing if there is none.
  virtual void CloseTrace() = 0;
};

/// What a shared object exports as kMakeRtlModel. The caller deletes the model. `seed` decides what registers
/// and memories hold before the reset.
using MakeRtlModelFunction = RtlModel*(int seed);
inline constexpr char kMakeRtlModel[] = "cosim_make_rtl_model";

}  // namespace cosim::sim
