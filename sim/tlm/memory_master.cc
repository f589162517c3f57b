// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/memory_master.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cosim::sim {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;  ///< of one transaction

}  // namespace

bool MemoryMaster::Read(uint64_t address, std::span<uint8_t> bytes) {
  return Move(::tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size());
}

bool MemoryMaster::Write(uint64_t address, std::span<const uint8_t> bytes) {
  // A payload has one pointer for both directions; targets do not write through it on a write.
  return Move(::tlm::TLM_WRITE_COMMAND, address, const_cast<uint8_t*>(bytes.data()), bytes.size());
}

bool MemoryMaster::Move(::tlm::tlm_command command, uint64_t address, uint8_t* bytes, uint64_t count) {
  address += base_;
  while (count > 0) {
    const uint64_t part = std::min(count, kMostBytes);
    if (uint8_t* memory = Direct(command, address, part)) {
      if (command == ::tlm::TLM_READ_COMMAND) {
        std::memcpy(bytes, memory, part);
      } else {
        std::memcpy(memory, bytes, part);
      }
    } else if (!Transact(command, address, bytes, part)) {
      return false;
    }
    address += part;
    bytes += part;
    count -= part;
  }
  return true;
}

bool MemoryMaster::Transact(::tlm::tlm_command command, uint64_t address, uint8_t* bytes, uint64_t count) {
  ::tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(bytes);
  payload.set_data_length(static_cast<unsigned>(count));
  payload.set_streaming_width(static_cast<unsigned>(count));
  socket_->b_transport(payload, annotated_);
  if (!payload.is_response_ok()) return false;
  if (payload.is_dmi_allowed()) {
    payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
    direct_.init();
    has_direct_ = socket_->get_direct_mem_ptr(payload, direct_);
  }
  return true;
}

uint8_t* MemoryMaster::Direct(::tlm::tlm_command command, uint64_t address, uint64_t count) const {
  if (!has_direct_ || address < direct_.get_start_address() || address > direct_.get_end_address())
    return nullptr;
  if (count - 1 > direct_.get_end_address() - address) return nullptr;
  const bool allowed =
      command == ::tlm::TLM_READ_COMMAND ? direct_.is_read_allowed() : direct_.is_write_allowed();
  return allowed ? direct_.get_dmi_ptr() + (address - direct_.get_start_address()) : nullptr;
}

void MemoryMaster::Invalidate(uint64_t first, uint64_t last) {
  if (has_direct_ && first <= direct_.get_end_address() && last >= direct_.get_start_address())
    has_direct_ = false;
}

sc_core::sc_time MemoryMaster::TakeAnnotated() { return std::exchange(annotated_, sc_core::SC_ZERO_TIME); }

}  // namespace cosim::sim
