// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/axi_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace cosim::sim {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kIncrementing = 1, kModifiable = 2, kAllocate = 12, kExclusiveOkay = 1;

/// What a payload of one cycle and the next have to agree in while nobody takes it.
bool Same(const RtlAddress& a, const RtlAddress& b) {
  return a.address == b.address && a.beats == b.beats && a.size == b.size && a.burst == b.burst &&
         a.cache == b.cache && a.prot == b.prot;
}

}  // namespace

AxiPortChecker::AxiPortChecker(const isa::Spec& spec)
    : beat_bytes_(spec.dram.beat_bytes()),
      burst_beats_(spec.dram.burst_beats),
      outstanding_(static_cast<size_t>(spec.dram.outstanding)) {}

void AxiPortChecker::Reset() {
  ar_stands_ = aw_stands_ = w_stands_ = r_stands_ = b_stands_ = false;
  reads_.clear();
  writes_.clear();
  lasts_.clear();
  answers_ = 0;
}

std::string AxiPortChecker::CheckReset(const RtlPortOutputs& is) const {
  if (is.ar_valid || is.aw_valid || is.w_valid) return "a valid is high in a reset";
  return {};
}

std::string AxiPortChecker::Check(const RtlPortInputs& inputs, const RtlPortOutputs& is) {
  std::string broken = CheckSteady(inputs, is);
  if (broken.empty()) broken = CheckReads(inputs, is);
  if (broken.empty()) broken = CheckWrites(inputs, is);
  return broken;
}

/// A3.2.1: a valid stays until its ready, and so does what it offers. Both sides.
std::string AxiPortChecker::CheckSteady(const RtlPortInputs& inputs, const RtlPortOutputs& is) {
  std::string broken;
  if (ar_stands_ && !(is.ar_valid && Same(is.ar, was_.ar)))
    broken = "a read address does not stand until it is taken";
  else if (aw_stands_ && !(is.aw_valid && Same(is.aw, was_.aw)))
    broken = "a write address does not stand until it is taken";
  else if (w_stands_ && !(is.w_valid && is.w_last == was_.w_last && is.w_strobe == was_.w_strobe &&
                          std::equal(w_data_.begin(), w_data_.end(), is.w_data)))
    broken = "a beat does not stand until it is taken";
  else if (r_stands_ && (inputs.r_data == nullptr || inputs.r_last != given_.r_last))
    broken = "the bench does not let read data stand";
  else if (b_stands_ && (!inputs.b_valid || inputs.b_response != given_.b_response))
    broken = "the bench does not let a response stand";
  ar_stands_ = is.ar_valid && !inputs.ar_ready;
  aw_stands_ = is.aw_valid && !inputs.aw_ready;
  w_stands_ = is.w_valid && !inputs.w_ready;
  r_stands_ = inputs.r_data != nullptr && !is.r_ready;
  b_stands_ = inputs.b_valid && !is.b_ready;
  if (w_stands_) w_data_.assign(is.w_data, is.w_data + beat_bytes_);
  was_ = is;
  given_ = inputs;
  return broken;
}

/// A3.4.1, A4.4: of any address on the bus, taken or not.
std::string AxiPortChecker::CheckBurst(const RtlAddress& a) const {
  const uint64_t bytes = static_cast<uint64_t>(a.beats) * beat_bytes_;
  if (a.beats > burst_beats_) return fmt::format("a burst has {} beats of {} at most", a.beats, burst_beats_);
  if (a.size != static_cast<uint32_t>(std::countr_zero(beat_bytes_))) return "a burst is not of whole beats";
  if (a.burst != kIncrementing) return "a burst is not incrementing";
  if (a.address % beat_bytes_ != 0) return "a burst begins within a beat";
  if (a.address / kPage != (a.address + bytes - 1) / kPage)
    return fmt::format("a burst of {} bytes at {:#x} crosses 4 KiB", bytes, a.address);
  if ((a.cache & kModifiable) == 0 && (a.cache & kAllocate) != 0) return "AxCACHE has a reserved value";
  return {};
}

/// Data come for bursts that were asked for, in their order, and the last beat says so (A3.4.1, A5.3).
std::string AxiPortChecker::CheckReads(const RtlPortInputs& inputs, const RtlPortOutputs& is) {
  if (is.ar_valid) {
    if (std::string broken = CheckBurst(is.ar); !broken.empty()) return "read: " + broken;
  }
  if (inputs.r_data != nullptr) {
    if (reads_.empty()) return "the bench gives data that nobody asked for";
    if (inputs.r_last != (reads_.front() == 1)) return "the bench marks the last beat wrongly";
    if (inputs.r_response == kExclusiveOkay) return "the bench answers EXOKAY";
    if (is.r_ready && --reads_.front() == 0) reads_.pop_front();
  }
  if (is.ar_valid && inputs.ar_ready) reads_.push_back(is.ar.beats);
  if (reads_.size() > outstanding_) return "more read bursts are under way than 'outstanding'";
  return {};
}

/// Beats may come before their address. A response follows address and last beat (A3.3.1).
std::string AxiPortChecker::CheckWrites(const RtlPortInputs& inputs, const RtlPortOutputs& is) {
  if (is.aw_valid) {
    if (std::string broken = CheckBurst(is.aw); !broken.empty()) return "write: " + broken;
  }
  if (is.w_valid && beat_bytes_ < 64 && is.w_strobe >> beat_bytes_ != 0) return "a strobe has no byte";
  if (inputs.b_valid) {
    if (answers_ == 0) return "the bench answers before all data are there";
    if (inputs.b_response == kExclusiveOkay) return "the bench answers EXOKAY";
    if (is.b_ready) --answers_;
  }
  if (is.aw_valid && inputs.aw_ready) writes_.push_back(is.aw.beats);
  if (is.w_valid && inputs.w_ready) lasts_.push_back(is.w_last);
  if (std::string broken = MatchBeats(); !broken.empty()) return broken;
  if (writes_.size() + answers_ > outstanding_) return "more write bursts are under way than 'outstanding'";
  return {};
}

/// Gives the beats that came to the bursts, the oldest first.
std::string AxiPortChecker::MatchBeats() {
  while (!writes_.empty() && !lasts_.empty()) {
    const bool is_last = --writes_.front() == 0;
    if (lasts_.front() != is_last) return "the last beat of a write burst is marked wrongly";
    lasts_.pop_front();
    if (!is_last) continue;
    writes_.pop_front();
    ++answers_;
  }
  return {};
}

std::string AxiLiteChecker::CheckReset(const RtlOutputs& is) const {
  if (is.s_b_valid || is.s_r_valid) return "a valid of the registers is high in a reset";
  return {};
}

std::string AxiLiteChecker::Check(const RtlInputs& inputs, const RtlOutputs& is) {
  if (b_stands_ && !is.s_b_valid) return "an answer does not stand until it is taken";
  if (r_stands_ && !(is.s_r_valid && is.s_r_data == r_data_))
    return "a register's value does not stand until it is taken";
  if (is.s_b_valid && (addresses_ == 0 || data_ == 0)) return "an answer comes before its address and data";
  if (is.s_r_valid && reads_ == 0) return "a register's value comes before its address";
  if (is.s_b_valid && inputs.s_b_ready) --addresses_, --data_;
  if (is.s_r_valid && inputs.s_r_ready) --reads_;
  addresses_ += inputs.s_aw_valid && is.s_aw_ready ? 1 : 0;
  data_ += inputs.s_w_valid && is.s_w_ready ? 1 : 0;
  reads_ += inputs.s_ar_valid && is.s_ar_ready ? 1 : 0;
  b_stands_ = is.s_b_valid && !inputs.s_b_ready;
  r_stands_ = is.s_r_valid && !inputs.s_r_ready;
  r_data_ = is.s_r_data;
  return {};
}

}  // namespace cosim::sim
