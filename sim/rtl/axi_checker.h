// SPDX-License-Identifier: Apache-2.0
// Whether the pins of a bus keep the rules of AXI (Arm IHI 0022), cycle by cycle, and what
// docs/reference/rtl.md promises beyond them. Looks at both sides: the accelerator's and that of the bench.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

/// One memory port: the accelerator is the manager. AXI4, one ID, bursts of whole beats.
class AxiPortChecker {
 public:
  explicit AxiPortChecker(const isa::Spec& spec);

  /// After a reset nothing stands and nothing is owed.
  void Reset();
  /// While a reset is held, from its second cycle on: empty, or what is wrong.
  std::string CheckReset(const RtlPortOutputs& is) const;
  /// One cycle: empty, or the first rule that it breaks, as a sentence.
  std::string Check(const RtlPortInputs& inputs, const RtlPortOutputs& is);

 private:
  std::string CheckReads(const RtlPortInputs& inputs, const RtlPortOutputs& is);
  std::string CheckWrites(const RtlPortInputs& inputs, const RtlPortOutputs& is);
  std::string CheckSteady(const RtlPortInputs& inputs, const RtlPortOutputs& is);
  std::string CheckBurst(const RtlAddress& address) const;
  std::string MatchBeats();

  uint64_t beat_bytes_;
  int burst_beats_;
  size_t outstanding_;
  // What stood and was not taken in the cycle before.
  bool ar_stands_ = false, aw_stands_ = false, w_stands_ = false, r_stands_ = false, b_stands_ = false;
  RtlPortInputs given_;
  RtlPortOutputs was_;
  std::vector<uint8_t> w_data_;
  // What is owed.
  std::deque<int> reads_;   ///< beats left of each read burst, the oldest first
  std::deque<int> writes_;  ///< beats left of each write burst whose data are not all there
  std::deque<bool> lasts_;  ///< of beats whose address has not come
  size_t answers_ = 0;      ///< write bursts that are complete and not answered
};

/// The registers: the accelerator is the subordinate. AXI4-Lite.
class AxiLiteChecker {
 public:
  void Reset() { *this = {}; }
  std::string CheckReset(const RtlOutputs& is) const;
  std::string Check(const RtlInputs& inputs, const RtlOutputs& is);

 private:
  bool b_stands_ = false, r_stands_ = false;
  uint32_t r_data_ = 0;
  int64_t addresses_ = 0, data_ = 0, reads_ = 0;  ///< taken and not answered
};

}  // namespace cosim::sim
