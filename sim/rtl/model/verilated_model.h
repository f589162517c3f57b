// SPDX-License-Identifier: Apache-2.0
// Wraps a class that Verilator made of `cosim_accelerator` as an RtlModel. Its memory pins are vectors over
// the ports: integers of at most 64 bits or arrays of words, in either case bytes from the lowest on.
#pragma once

#include <verilated.h>
#include <verilated_syms.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

/// Up to 64 bits of a pin.
template <class Pin>
uint64_t TakePin(const Pin& pin, int offset, int width) {
  uint64_t bits = 0;
  if constexpr (std::is_integral_v<Pin>) {
    bits = static_cast<uint64_t>(pin) >> offset;
  } else {
    uint8_t bytes[sizeof(bits)] = {};
    const size_t at = static_cast<size_t>(offset / 8);
    std::memcpy(bytes, reinterpret_cast<const uint8_t*>(&pin) + at,
                std::min(sizeof(bytes), sizeof(pin) - at));
    std::memcpy(&bits, bytes, sizeof(bits));
  }
  return width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits;
}

template <class Top, int Ports, int PortBits>
class VerilatedModel final : public RtlModel {
 public:
  explicit VerilatedModel(int seed) {
    context_.threads(1);
    context_.randReset(2);
    context_.randSeed(seed);
#if VM_TRACE_FST
    context_.traceEverOn(true);
#endif
    top_ = std::make_unique<Top>(&context_);
  }
  ~VerilatedModel() override {
    // Verilator's destructors look for the context of the thread, which is the last one made.
    Verilated::threadContextp(&context_);
    CloseTrace();
    top_->final();
    top_.reset();
  }

  void Cycle(const RtlInputs& inputs, RtlOutputs& outputs) override {
    top_->aclk = 0;
    top_->aresetn = inputs.reset ? 0 : 1;
    top_->s_axi_awvalid = inputs.s_aw_valid ? 1 : 0;
    top_->s_axi_awaddr = inputs.s_aw_address;
    top_->s_axi_wvalid = inputs.s_w_valid ? 1 : 0;
    top_->s_axi_wdata = inputs.s_w_data;
    top_->s_axi_wstrb = inputs.s_w_strobe;
    top_->s_axi_bready = inputs.s_b_ready ? 1 : 0;
    top_->s_axi_arvalid = inputs.s_ar_valid ? 1 : 0;
    top_->s_axi_araddr = inputs.s_ar_address;
    top_->s_axi_rready = inputs.s_r_ready ? 1 : 0;
    DriveMemory(inputs);
    Evaluate();
    TakeOutputs(outputs);
    top_->aclk = 1;
    Evaluate();
  }

  RtlBank Bank(std::string_view memory, int bank, int copy) override {
    const std::string name = Memories() + std::string(memory) + ".gen_bank[" + std::to_string(bank) +
                             "].gen_copy[" + std::to_string(copy) + "].i_ram";
    const VerilatedScope* scope = context_.scopeFind(name.c_str());
    if (scope == nullptr && bank == 0 && copy == 0) scope = Table(memory);
    VerilatedVar* contents = scope != nullptr ? scope->varFind("mem") : nullptr;
    if (contents == nullptr) return {};
    return {static_cast<uint8_t*>(contents->datap()), contents->entSize(), contents->unpacked().elements()};
  }

  bool SelectMutant(int number) override {
    const VerilatedScope* scope = context_.scopeFind("TOP.mutant_pkg");
    VerilatedVar* active = scope != nullptr ? scope->varFind("active") : nullptr;
    if (active == nullptr) return false;
    Evaluate();  // lets initial values be taken, which would undo what follows
    *static_cast<int*>(active->datap()) = number;
    return true;
  }

  bool OpenTrace([[maybe_unused]] const char* file, [[maybe_unused]] uint64_t time,
                 [[maybe_unused]] uint64_t period) override {
#if VM_TRACE_FST
    CloseTrace();
    context_.time(time);
    half_period_ = period / 2;
    trace_ = std::make_unique<VerilatedFstC>();
    top_->trace(trace_.get(), kTraceLevels);
    trace_->open(file);
    return trace_->isOpen();
#else
    return false;
#endif
  }

  void CloseTrace() override {
#if VM_TRACE_FST
    if (trace_) trace_->close();
    trace_.reset();
#endif
  }

 private:
  /// Memories that lanes look up stand beside those.
  const VerilatedScope* Table(std::string_view memory) {
    const std::string end = ".i_table_" + std::string(memory);
    for (auto at = context_.scopeNameMap()->begin(); at != context_.scopeNameMap()->end(); ++at)
      if (std::string_view(at->first).ends_with(end)) return at->second;
    return nullptr;
  }

  /// What the scopes of all on-chip memories begin with, wherever the accelerator stands.
  const std::string& Memories() {
    constexpr std::string_view kMark = ".i_accelerator.i_mem_";
    for (auto at = context_.scopeNameMap()->begin();
         memories_.empty() && at != context_.scopeNameMap()->end(); ++at) {
      const std::string_view name = at->first;
      if (const size_t mark = name.find(kMark); mark != std::string_view::npos)
        memories_ = name.substr(0, mark + kMark.size());
    }
    return memories_;
  }

  void DriveMemory(const RtlInputs& inputs) {
    uint32_t ar_ready = 0, r_valid = 0, r_last = 0, r_response = 0;
    uint32_t aw_ready = 0, w_ready = 0, b_valid = 0, b_response = 0;
    for (int port = 0; port < Ports; ++port) {
      const RtlPortInputs& pins = inputs.ports[port];
      const auto set = [&](uint32_t& all, bool pin) { all |= uint32_t{pin} << port; };
      set(ar_ready, pins.ar_ready);
      set(r_valid, pins.r_data != nullptr);
      set(r_last, pins.r_last);
      r_response |= pins.r_response << 2 * port;
      set(aw_ready, pins.aw_ready);
      set(w_ready, pins.w_ready);
      set(b_valid, pins.b_valid);
      b_response |= pins.b_response << 2 * port;
      if (pins.r_data == nullptr) continue;
      std::memcpy(reinterpret_cast<uint8_t*>(&top_->m_axi_rdata) + port * kBeatBytes, pins.r_data,
                  kBeatBytes);
    }
    top_->m_axi_arready = ar_ready;
    top_->m_axi_rvalid = r_valid;
    top_->m_axi_rlast = r_last;
    top_->m_axi_rresp = r_response;
    top_->m_axi_awready = aw_ready;
    top_->m_axi_wready = w_ready;
    top_->m_axi_bvalid = b_valid;
    top_->m_axi_bresp = b_response;
  }

  void Evaluate() {
    top_->eval();
#if VM_TRACE_FST
    if (trace_) trace_->dump(context_.time());
#endif
    context_.timeInc(half_period_);
  }

  void TakeOutputs(RtlOutputs& outputs) {
    outputs.interrupt = top_->__SYM__interrupt != 0;
    outputs.start = top_->start_o != 0;
    outputs.done = top_->done_o != 0;
    outputs.s_aw_ready = top_->s_axi_awready != 0;
    outputs.s_w_ready = top_->s_axi_wready != 0;
    outputs.s_b_valid = top_->s_axi_bvalid != 0;
    outputs.s_ar_ready = top_->s_axi_arready != 0;
    outputs.s_r_valid = top_->s_axi_rvalid != 0;
    outputs.s_r_data = top_->s_axi_rdata;
    outputs.issue = top_->issue_o;
    outputs.retire = top_->retire_o;
    std::memcpy(w_data_, &top_->m_axi_wdata, sizeof(top_->m_axi_wdata));
    for (int port = 0; port < Ports; ++port) outputs.ports[port] = PortOutputs(port);
  }

  RtlPortOutputs PortOutputs(int port) const {
    const auto is = [&](const auto& pins) { return (pins >> port & 1) != 0; };
    const auto few = [&](const auto& pins, int bits) {
      return static_cast<uint32_t>(pins) >> (port * bits) & ((1u << bits) - 1);
    };
    return {.ar_valid = is(top_->m_axi_arvalid),
            .ar = {TakePin(top_->m_axi_araddr, port * 32, 32),
                   static_cast<int>(TakePin(top_->m_axi_arlen, port * 8, 8)) + 1, few(top_->m_axi_arsize, 3),
                   few(top_->m_axi_arburst, 2), few(top_->m_axi_arcache, 4), few(top_->m_axi_arprot, 3)},
            .r_ready = is(top_->m_axi_rready),
            .aw_valid = is(top_->m_axi_awvalid),
            .aw = {TakePin(top_->m_axi_awaddr, port * 32, 32),
                   static_cast<int>(TakePin(top_->m_axi_awlen, port * 8, 8)) + 1, few(top_->m_axi_awsize, 3),
                   few(top_->m_axi_awburst, 2), few(top_->m_axi_awcache, 4), few(top_->m_axi_awprot, 3)},
            .w_valid = is(top_->m_axi_wvalid),
            .w_last = is(top_->m_axi_wlast),
            .w_data = w_data_ + port * kBeatBytes,
            .w_strobe = TakePin(top_->m_axi_wstrb, port * kBeatBytes, kBeatBytes),
            .b_ready = is(top_->m_axi_bready)};
  }

  static constexpr int kTraceLevels = 99;  // of the hierarchy: all of it
  static constexpr int kBeatBytes = PortBits / 8;

  VerilatedContext context_;
  std::unique_ptr<Top> top_;
  std::string memories_;
  uint64_t half_period_ = 1;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> trace_;
#endif
  uint8_t w_data_[sizeof(Top::m_axi_wdata)] = {};
};

}  // namespace cosim::sim
