// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/bus_module.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::sim {

BusModule::BusModule(sc_core::sc_module_name name)
    : sc_module(name), initiators("initiators"), targets("targets") {
  initiators.register_b_transport(this, &BusModule::Access);
  initiators.register_transport_dbg(this, &BusModule::DebugAccess);
  initiators.register_get_direct_mem_ptr(this, &BusModule::GrantDirect);
  targets.register_invalidate_direct_mem_ptr(this, &BusModule::Invalidate);
}

void BusModule::Add(uint64_t base, uint64_t bytes) {
  for (const Window& window : windows_)
    COSIM_CHECK(base + bytes <= window.base || window.base + window.bytes <= base, "windows overlap at {:#x}",
                base);
  windows_.push_back({base, bytes});
}

int BusModule::Find(const ::tlm::tlm_generic_payload& payload) const {
  const uint64_t address = payload.get_address();
  const auto at = std::ranges::find_if(
      windows_, [&](const Window& w) { return address >= w.base && address - w.base < w.bytes; });
  return at == windows_.end() ? -1 : static_cast<int>(at - windows_.begin());
}

void BusModule::Access(int, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const int target = Find(payload);
  if (target < 0) return payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const uint64_t address = payload.get_address();
  payload.set_address(address - windows_[static_cast<size_t>(target)].base);
  targets[target]->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned BusModule::DebugAccess(int, ::tlm::tlm_generic_payload& payload) {
  const int target = Find(payload);
  if (target < 0) return 0;
  const uint64_t address = payload.get_address();
  payload.set_address(address - windows_[static_cast<size_t>(target)].base);
  const unsigned moved = targets[target]->transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

bool BusModule::GrantDirect(int, ::tlm::tlm_generic_payload& payload, ::tlm::tlm_dmi& direct) {
  const int target = Find(payload);
  if (target < 0) return false;
  const Window& window = windows_[static_cast<size_t>(target)];
  const uint64_t address = payload.get_address();
  payload.set_address(address - window.base);
  const bool granted = targets[target]->get_direct_mem_ptr(payload, direct);
  payload.set_address(address);
  const uint64_t last = std::min<uint64_t>(direct.get_end_address(), window.bytes - 1);
  direct.set_start_address(window.base + direct.get_start_address());
  direct.set_end_address(window.base + last);
  return granted;
}

void BusModule::Invalidate(int target, sc_dt::uint64 first, sc_dt::uint64 last) {
  const Window& window = windows_[static_cast<size_t>(target)];
  last = std::min<uint64_t>(last, window.bytes - 1);
  for (unsigned i = 0; i < initiators.size(); ++i)
    initiators[static_cast<int>(i)]->invalidate_direct_mem_ptr(window.base + first, window.base + last);
}

}  // namespace cosim::sim
