// SPDX-License-Identifier: Apache-2.0
#include "cli/timed_programs.h"

#include "sim/cycle/timing_engine.h"

namespace cosim::cli {

bool ForEachTimedProgram(const isa::Spec& spec, const runtime::Network& network, bool with_record,
                         const std::function<void(const TimedProgram&)>& visit, std::string& error) {
  runtime::Cycle begin = 0;
  int64_t first = 0;
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (!accelerator) continue;
    TimedProgram program{*accelerator, begin, first, sim::DecodeAll(spec, accelerator->program), {}, {}, {}};
    sim::TimingOptions options{.record_instructions = true};
    if (with_record) options.record = &program.record;
    program.counters =
        sim::TimingEngine(spec).Run(program.instructions, accelerator->program.code_address, options);
    if (!program.counters.completed) return error = program.counters.error, false;
    program.layers = runtime::LayerWindows(accelerator->layer_of, program.instructions,
                                           program.counters.instructions, program.counters.cycles);
    visit(program);
    begin += program.counters.cycles;
    first += static_cast<int64_t>(program.instructions.size());
  }
  return true;
}

}  // namespace cosim::cli
