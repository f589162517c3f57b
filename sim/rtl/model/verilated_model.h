// SPDX-License-Identifier: Apache-2.0
// Wraps a class that Verilator made of `cosim_accelerator` as an RtlModel.
#pragma once

#include <verilated.h>
#include <verilated_syms.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

template <class Top>
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

  RtlOutputs Cycle(const RtlInputs& inputs) override {
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
    top_->m_axi_arready = inputs.ar_ready ? 1 : 0;
    top_->m_axi_rvalid = inputs.r_data != nullptr ? 1 : 0;
    top_->m_axi_rlast = inputs.r_last ? 1 : 0;
    top_->m_axi_rresp = inputs.r_response;
    if (inputs.r_data != nullptr) std::memcpy(&top_->m_axi_rdata, inputs.r_data, sizeof(top_->m_axi_rdata));
    top_->m_axi_awready = inputs.aw_ready ? 1 : 0;
    top_->m_axi_wready = inputs.w_ready ? 1 : 0;
    top_->m_axi_bvalid = inputs.b_valid ? 1 : 0;
    top_->m_axi_bresp = inputs.b_response;
    Evaluate();
    const RtlOutputs outputs = Outputs();
    top_->aclk = 1;
    Evaluate();
    return outputs;
  }

  RtlBank Bank(std::string_view memory, int bank) override {
    const std::string name = "TOP.cosim_accelerator.i_accelerator.i_mem_" + std::string(memory) +
                             ".gen_bank[" + std::to_string(bank) + "].i_ram";
    const VerilatedScope* scope = context_.scopeFind(name.c_str());
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
  void Evaluate() {
    top_->eval();
#if VM_TRACE_FST
    if (trace_) trace_->dump(context_.time());
#endif
    context_.timeInc(half_period_);
  }

  RtlOutputs Outputs() {
    RtlOutputs outputs{.interrupt = top_->__SYM__interrupt != 0,
                       .start = top_->start_o != 0,
                       .done = top_->done_o != 0,
                       .s_aw_ready = top_->s_axi_awready != 0,
                       .s_w_ready = top_->s_axi_wready != 0,
                       .s_b_valid = top_->s_axi_bvalid != 0,
                       .s_ar_ready = top_->s_axi_arready != 0,
                       .s_r_valid = top_->s_axi_rvalid != 0,
                       .s_r_data = top_->s_axi_rdata,
                       .ar_valid = top_->m_axi_arvalid != 0,
                       .ar_address = top_->m_axi_araddr,
                       .ar_beats = top_->m_axi_arlen + 1,
                       .r_ready = top_->m_axi_rready != 0,
                       .aw_valid = top_->m_axi_awvalid != 0,
                       .aw_address = top_->m_axi_awaddr,
                       .aw_beats = top_->m_axi_awlen + 1,
                       .w_valid = top_->m_axi_wvalid != 0,
                       .w_last = top_->m_axi_wlast != 0,
                       .w_data = beat_.data(),
                       .w_strobe = top_->m_axi_wstrb,
                       .b_ready = top_->m_axi_bready != 0,
                       .issue = top_->issue_o,
                       .retire = top_->retire_o};
    std::memcpy(beat_.data(), &top_->m_axi_wdata, sizeof(top_->m_axi_wdata));
    return outputs;
  }

  static constexpr int kTraceLevels = 99;  // of the hierarchy: all of it

  VerilatedContext context_;
  std::unique_ptr<Top> top_;
  uint64_t half_period_ = 1;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> trace_;
#endif
  std::array<uint8_t, 64> beat_ = {};  // the widest port's
};

}  // namespace cosim::sim
