// SPDX-License-Identifier: Apache-2.0
// The register file of the accelerator module: transactions in, words read and written.
#include <cstring>

#include "sim/tlm/accelerator_module.h"

namespace cosim::sim {
namespace {

constexpr unsigned kWordBytes = 4;

uint32_t Half(uint64_t value, bool high) { return static_cast<uint32_t>(high ? value >> 32 : value); }

}  // namespace

void AcceleratorModule::Access(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const uint64_t offset = payload.get_address();
  if (offset % kWordBytes != 0 || offset >= registers::kSize)
    return payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (payload.get_data_length() != kWordBytes || payload.get_streaming_width() < kWordBytes)
    return payload.set_response_status(::tlm::TLM_BURST_ERROR_RESPONSE);
  if (payload.get_byte_enable_ptr() != nullptr)
    return payload.set_response_status(::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  uint32_t value = 0;
  if (payload.is_read()) {
    value = ReadRegister(offset, kept_high_);
    std::memcpy(payload.get_data_ptr(), &value, kWordBytes);
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), kWordBytes);
    WriteRegister(offset, value, delay);
  }
  payload.set_response_status(::tlm::TLM_OK_RESPONSE);
}

unsigned AcceleratorModule::DebugAccess(::tlm::tlm_generic_payload& payload) {
  const uint64_t offset = payload.get_address();
  if (!payload.is_read() || offset % kWordBytes != 0 || offset >= registers::kSize) return 0;
  if (payload.get_data_length() < kWordBytes) return 0;
  uint32_t kept = kept_high_;  // who debugs changes nothing
  const uint32_t value = ReadRegister(offset, kept);
  std::memcpy(payload.get_data_ptr(), &value, kWordBytes);
  return kWordBytes;
}

uint32_t AcceleratorModule::ReadRegister(uint64_t offset, uint32_t& kept_high) const {
  switch (offset) {
    case registers::kControl:
      return interrupt_enabled_ ? registers::kInterruptEnable : 0;
    case registers::kStatus:
      return status_;
    case registers::kError:
      return static_cast<uint32_t>(error_);
    case registers::kVersion:
      return registers::kVersionValue;
    case registers::kProgram:
      return program_;
    case registers::kBase:
      return base_;
    case registers::kLength:
      return length_;
    case registers::kWatchdog:
      return watchdog_;
    default:
      break;
  }
  const bool high = offset % 8 != 0;
  const uint64_t low = offset - (high ? kWordBytes : 0);
  if (low == registers::kFingerprint) return Half(spec_->fingerprint, high);
  const std::optional<uint64_t> counter = CounterAt(low);
  if (!counter) return 0;
  if (high) return kept_high;
  kept_high = Half(*counter, true);
  return Half(*counter, false);
}

std::optional<uint64_t> AcceleratorModule::CounterAt(uint64_t offset) const {
  switch (offset) {
    case registers::kCycles:
      return static_cast<uint64_t>(run_.cycles);
    case registers::kReadBytes:
      return run_.dram_read_bytes;
    case registers::kWriteBytes:
      return run_.dram_write_bytes;
    case registers::kGemmSteps:
      return run_.gemm_steps;
    case registers::kAluSteps:
      return run_.alu_steps;
    default:
      break;
  }
  if (offset < registers::kLedger || offset >= registers::kLedger + registers::LedgerBytes(*spec_))
    return std::nullopt;
  return LedgerEntry((offset - registers::kLedger) / 8);
}

uint64_t AcceleratorModule::LedgerEntry(uint64_t index) const {
  const size_t columns = registers::LedgerStride(*spec_), queues = spec_->queues.size();
  if (index / columns >= run_.ledger.size() || index % columns >= registers::LedgerColumns(*spec_)) return 0;
  const runtime::LedgerRow& row = run_.ledger[index / columns];
  const size_t column = index % columns;
  runtime::Cycle value = 0;
  if (column == 0) {
    value = row.busy;
  } else if (column == 1) {
    value = row.wait_push;
  } else if (column < 2 + queues) {
    value = row.wait_token[column - 2];
  } else {
    const runtime::Cycle last[] = {row.wait_port, row.wait_memory, row.idle};
    value = last[column - 2 - queues];
  }
  return static_cast<uint64_t>(value);
}

void AcceleratorModule::WriteRegister(uint64_t offset, uint32_t value, const sc_core::sc_time& delay) {
  switch (offset) {
    case registers::kControl:
      interrupt_enabled_ = (value & registers::kInterruptEnable) != 0;
      if ((value & registers::kAbort) != 0 && busy()) {
        aborted_ = true;
        abort_.notify(delay);
      }
      if ((value & registers::kStart) != 0 && !busy()) {
        aborted_ = false;
        status_ = registers::kBusy;
        error_ = registers::ErrorCode::kNone;
        start_.notify(delay);
      }
      break;
    case registers::kStatus:
      if ((value & registers::kInterrupt) != 0) status_ &= ~registers::kInterrupt;
      break;
    case registers::kProgram:
      if (!busy()) program_ = value;
      break;
    case registers::kBase:
      if (!busy()) base_ = value;
      break;
    case registers::kLength:
      if (!busy()) length_ = value;
      break;
    case registers::kWatchdog:
      if (!busy()) watchdog_ = value;
      break;
    default:
      return;  // read only
  }
  interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace cosim::sim
