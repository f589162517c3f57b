// SPDX-License-Identifier: Apache-2.0
// Bursts in order, each at its time or as soon as the stalls let it.
#include "sim/rtl/memory_bus.h"

#include <span>
#include <utility>

#include "isa/check.h"

namespace cosim::sim {
namespace {

/// The address is on the bus one cycle after the read port accepted it.
constexpr Cycle kAcceptToBus = 1;
/// A beat is on the bus two cycles after it leaves, in the timing page's words.
constexpr Cycle kLeaveToBus = 2;
constexpr uint32_t kOkay = 0, kSlaveError = 2, kDecodeError = 3;

}  // namespace

void MemoryBus::DriveReads(Cycle now, bool stalls, RtlPortInputs& inputs) const {
  inputs.r_data = nullptr;
  if (stalls || faults.silent || reads_.empty() || now < reads_.front().next_beat) return;
  const Read& burst = reads_.front();
  inputs.r_data = burst.bytes.data() + burst.at;
  inputs.r_last = burst.at + beat_bytes_ == burst.bytes.size();
  inputs.r_response = beats_given_ == faults.read_error_beat ? kSlaveError : burst.response;
}

void MemoryBus::DriveWrites(Cycle now, bool stalls, RtlPortInputs& inputs) const {
  inputs.b_valid = !stalls && !faults.silent && !responses_.empty() && now >= responses_.front().at;
  if (!inputs.b_valid) return;
  inputs.b_response =
      responses_given_ == faults.write_error_burst ? kSlaveError : responses_.front().response;
}

void MemoryBus::TakeReads(Cycle now, const RtlPortInputs& inputs, const RtlPortOutputs& outputs) {
  if (inputs.r_data != nullptr && outputs.r_ready) {
    ++beats_given_;
    Read& burst = reads_.front();
    burst.at += beat_bytes_;
    ++burst.next_beat;
    if (inputs.r_last) reads_.pop_front();
  }
  if (!outputs.ar_valid || !inputs.ar_ready) return;
  const Burst burst{outputs.ar.address, outputs.ar.beats};
  Read read{.next_beat = timing_->ReadFirstBeat(port_, now - kAcceptToBus, burst),
            .bytes = std::vector<uint8_t>(static_cast<size_t>(burst.beats) * beat_bytes_),
            .at = 0,
            .response = kOkay};
  COSIM_CHECK(read.next_beat > now, "data before their address");
  if (!memory_->Read(burst.address, read.bytes)) read.response = kDecodeError;
  reads_.push_back(std::move(read));
}

void MemoryBus::TakeWrites(Cycle now, const RtlPortInputs& inputs, const RtlPortOutputs& outputs) {
  if (outputs.aw_valid && inputs.aw_ready) writes_.push_back({outputs.aw.address, outputs.aw.beats});
  if (outputs.w_valid && inputs.w_ready)
    beats_.push_back({now, {outputs.w_data, outputs.w_data + beat_bytes_}, outputs.w_strobe, outputs.w_last});
  if (inputs.b_valid && outputs.b_ready) {
    ++responses_given_;
    responses_.pop_front();
  }
  CompleteWrites();
}

/// Memory sees a burst when all its beats are there.
void MemoryBus::CompleteWrites() {
  while (!writes_.empty() && beats_.size() >= static_cast<size_t>(writes_.front().beats)) {
    const Burst burst = writes_.front();
    writes_.pop_front();
    Response response{.at = 0, .response = kOkay};
    for (int i = 0; i < burst.beats; ++i) {
      const Beat& beat = beats_.front();
      const bool last = i + 1 == burst.beats;
      COSIM_CHECK(beat.last == last, "the last beat is marked wrongly");
      if (!WriteBeat(burst.address + static_cast<uint64_t>(i) * beat_bytes_, beat))
        response.response = kDecodeError;
      if (last) {
        response.at = timing_->WriteResponse(port_, beat.at - kLeaveToBus, burst);
        COSIM_CHECK(response.at > beat.at, "a response before its data");
      }
      beats_.pop_front();
    }
    responses_.push_back(response);
  }
}

/// Writes each run of bytes that the strobes name.
bool MemoryBus::WriteBeat(uint64_t address, const Beat& beat) {
  bool good = true;
  for (uint64_t begin = 0, end = 0; begin < beat_bytes_; begin = end) {
    const bool written = (beat.strobe >> begin & 1) != 0;
    for (end = begin + 1; end < beat_bytes_ && ((beat.strobe >> end & 1) != 0) == written;) ++end;
    if (written)
      good = memory_->Write(address + begin, std::span(beat.bytes).subspan(begin, end - begin)) && good;
  }
  return good;
}

}  // namespace cosim::sim
