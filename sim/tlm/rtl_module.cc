// SPDX-License-Identifier: Apache-2.0
// One process clocks the model; who accesses a register leaves a request and waits for it.
#include "sim/tlm/rtl_module.h"

#include <cstring>
#include <utility>

#include "isa/check.h"
#include "isa/spec/registers.h"
#include "sim/rtl/rtl_library.h"

namespace cosim::sim {
namespace {

namespace registers = isa::registers;

constexpr unsigned kWordBytes = 4;
/// After the last access, or when a program is done: for the last writes on chip.
constexpr int kSettleCycles = 16;

}  // namespace

SC_HAS_PROCESS(RtlModule);

RtlModule::RtlModule(sc_core::sc_module_name name)
    : sc_module(name), control("control"), memory("memory"), interrupt("interrupt"), port_(memory) {
  control.register_b_transport(this, &RtlModule::Access);
  memory.register_invalidate_direct_mem_ptr(this, &RtlModule::Invalidate);
  SC_THREAD(Serve);
}

void RtlModule::Configure(const isa::Spec& spec, const std::filesystem::path& library) {
  COSIM_CHECK(bench_ == nullptr || !Runs(), "the accelerator is running");
  period_ = sc_core::sc_time(1000.0 / spec.clock_mhz, sc_core::SC_NS);
  timing_ = std::make_unique<BuiltInMemory>(spec.dram);
  model_ = MakeRtlModel(library);
  MemoryPort& memory_port = *this;
  bench_ = std::make_unique<RtlBench>(*model_, spec, memory_port, *timing_);
  bench_->Reset();
  started_ = false;
  woken_at_ = synced_at_ = 0;
  settle_ = kSettleCycles;
  requested_.notify(sc_core::SC_ZERO_TIME);
}

void RtlModule::Invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { port_.Invalidate(first, last); }

void RtlModule::Serve() {
  for (;;) {
    if (!requests_.empty()) {
      Request& request = *requests_.front();
      requests_.pop_front();
      Answer(*request.payload);
      settle_ = kSettleCycles;
      Synchronize();
      request.done.notify();
    } else if (bench_ != nullptr && (Runs() || settle_ > 0)) {
      settle_ = Runs() ? kSettleCycles : settle_ - 1;
      bench_->Clock();
      if (bench_->clocks() - synced_at_ >= kQuantum) Synchronize();
    } else {
      if (bench_ != nullptr) Synchronize();
      if (requests_.empty()) wait(requested_);  // none came meanwhile
      woken_ = sc_core::sc_time_stamp();
      if (bench_ != nullptr) woken_at_ = synced_at_ = bench_->clocks();
    }
    DriveInterrupt();
  }
}

void RtlModule::DriveInterrupt() {
  const bool level = bench_ != nullptr && bench_->outputs().interrupt;
  if (level == interrupt.read()) return;
  Synchronize();
  interrupt.write(level);
  wait(sc_core::SC_ZERO_TIME);  // until it can be read
}

void RtlModule::Synchronize() {
  synced_at_ = bench_->clocks();
  const sc_core::sc_time at = woken_ + period_ * static_cast<double>(synced_at_ - woken_at_);
  if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
}

void RtlModule::Access(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const uint64_t offset = payload.get_address();
  if (offset % kWordBytes != 0 || offset >= registers::kSize)
    return payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (payload.get_data_length() != kWordBytes || payload.get_streaming_width() < kWordBytes)
    return payload.set_response_status(::tlm::TLM_BURST_ERROR_RESPONSE);
  if (payload.get_byte_enable_ptr() != nullptr)
    return payload.set_response_status(::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  if (bench_ == nullptr) return payload.set_response_status(::tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (delay > sc_core::SC_ZERO_TIME) wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
  Request request{&payload, {}};
  requests_.push_back(&request);
  requested_.notify();
  wait(request.done);
  payload.set_response_status(::tlm::TLM_OK_RESPONSE);
}

void RtlModule::Answer(::tlm::tlm_generic_payload& payload) {
  const auto offset = static_cast<uint32_t>(payload.get_address());
  uint32_t value = 0;
  if (payload.is_read()) {
    value = bench_->ReadRegister(offset);
    std::memcpy(payload.get_data_ptr(), &value, kWordBytes);
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), kWordBytes);
    bench_->WriteRegister(offset, value);
    started_ |= offset == registers::kControl && (value & registers::kStart) != 0;
  }
}

bool RtlModule::Read(uint64_t address, std::span<uint8_t> bytes) {
  Synchronize();
  return port_.Read(address, bytes);
}

bool RtlModule::Write(uint64_t address, std::span<const uint8_t> bytes) {
  Synchronize();
  return port_.Write(address, bytes);
}

}  // namespace cosim::sim
