// SPDX-License-Identifier: Apache-2.0
// Wraps a class that Verilator made of `accelerator` as an RtlModel.
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
    top_->clk_i = 0;
    top_->rst_ni = inputs.reset ? 0 : 1;
    top_->start_i = inputs.start ? 1 : 0;
    top_->code_address_i = inputs.code_address;
    top_->code_words_i = inputs.code_words;
    top_->ar_ready_i = inputs.ar_ready ? 1 : 0;
    top_->r_valid_i = inputs.r_data != nullptr ? 1 : 0;
    top_->r_last_i = inputs.r_last ? 1 : 0;
    if (inputs.r_data != nullptr) std::memcpy(&top_->r_data_i, inputs.r_data, sizeof(top_->r_data_i));
    top_->aw_ready_i = inputs.aw_ready ? 1 : 0;
    top_->w_ready_i = inputs.w_ready ? 1 : 0;
    top_->b_valid_i = inputs.b_valid ? 1 : 0;
    Evaluate();
    RtlOutputs outputs{.done = top_->done_o != 0,
                       .ar_valid = top_->ar_valid_o != 0,
                       .ar_address = top_->ar_addr_o,
                       .ar_beats = top_->ar_len_o + 1,
                       .aw_valid = top_->aw_valid_o != 0,
                       .aw_address = top_->aw_addr_o,
                       .aw_beats = top_->aw_len_o + 1,
                       .w_valid = top_->w_valid_o != 0,
                       .w_last = top_->w_last_o != 0,
                       .w_data = beat_.data(),
                       .w_strobe = top_->w_strb_o,
                       .issue = top_->issue_o,
                       .retire = top_->retire_o};
    std::memcpy(beat_.data(), &top_->w_data_o, sizeof(top_->w_data_o));
    top_->clk_i = 1;
    Evaluate();
    return outputs;
  }

  RtlBank Bank(std::string_view memory, int bank) override {
    const std::string name =
        "TOP.accelerator.i_mem_" + std::string(memory) + ".gen_bank[" + std::to_string(bank) + "].i_ram";
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

  bool OpenTrace([[maybe_unused]] const char* file) override {
#if VM_TRACE_FST
    CloseTrace();
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
    context_.timeInc(1);
  }

  static constexpr int kTraceLevels = 99;  // of the hierarchy: all of it

  VerilatedContext context_;
  std::unique_ptr<Top> top_;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> trace_;
#endif
  std::array<uint8_t, 64> beat_ = {};  // the widest port's
};

}  // namespace cosim::sim
