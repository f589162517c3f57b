// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/memory_module.h"

#include <sys/mman.h>

#include <cstring>

#include "isa/check.h"

namespace cosim::sim {

MemoryModule::MemoryModule(sc_core::sc_module_name name, uint64_t bytes)
    : sc_module(name), socket("socket"), size_(bytes) {
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  COSIM_CHECK(mapped != MAP_FAILED, "{} bytes of address space", bytes);
  bytes_ = static_cast<uint8_t*>(mapped);
  socket.register_b_transport(this, &MemoryModule::Access);
  socket.register_transport_dbg(this, &MemoryModule::DebugAccess);
  socket.register_get_direct_mem_ptr(this, &MemoryModule::GrantDirect);
}

MemoryModule::~MemoryModule() { munmap(bytes_, size_); }

void MemoryModule::Clear() { COSIM_CHECK(madvise(bytes_, size_, MADV_DONTNEED) == 0); }

::tlm::tlm_response_status MemoryModule::Copy(::tlm::tlm_generic_payload& payload) {
  const uint64_t address = payload.get_address(), count = payload.get_data_length();
  if (address >= size_ || count > size_ - address) return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_streaming_width() < count) return ::tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), bytes_ + address, count);
  if (payload.is_write()) std::memcpy(bytes_ + address, payload.get_data_ptr(), count);
  return ::tlm::TLM_OK_RESPONSE;
}

void MemoryModule::Access(::tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_response_status(Copy(payload));
  payload.set_dmi_allowed(payload.is_response_ok());
}

unsigned MemoryModule::DebugAccess(::tlm::tlm_generic_payload& payload) {
  return Copy(payload) == ::tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

bool MemoryModule::GrantDirect(::tlm::tlm_generic_payload&, ::tlm::tlm_dmi& direct) {
  direct.set_dmi_ptr(bytes_);
  direct.set_start_address(0);
  direct.set_end_address(size_ - 1);
  direct.allow_read_write();
  return true;
}

}  // namespace cosim::sim
