// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_arrays.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/program/decode.h"

namespace cosim::runtime {
namespace {

struct Range {
  uint64_t begin = 0, end = 0;
  bool Meets(const Range& other) const { return begin < other.end && other.begin < end; }
};

/// What a step does with the accelerator's memory: the ranges of a program's transfers, in no order and with
/// what lies between the rows of each.
struct Touched {
  std::vector<Range> ranges;
  bool Meets(const Range& range) const {
    return std::ranges::any_of(ranges, [&](const Range& r) { return r.Meets(range); });
  }
};

Touched TouchedBy(const AcceleratorStep& step, const isa::Decoder& decoder, const isa::Spec& spec) {
  Touched touched;
  for (const isa::Instruction& instruction : step.program.instructions) {
    const isa::Decoded decoded = decoder(instruction);
    const auto* transfer = std::get_if<isa::Transfer>(&decoded.body);
    if (transfer == nullptr || transfer->rows == 0 || transfer->cols == 0) continue;
    const int64_t stored = spec.memories[transfer->memory].stored_bytes;
    const Range range{transfer->dram, transfer->dram + static_cast<uint64_t>(
                                                           static_cast<int64_t>(ReachOf(*transfer, stored)))};
    Range* last = touched.ranges.empty() ? nullptr : &touched.ranges.back();
    if (last != nullptr && range.begin <= last->end && last->begin <= range.end) {
      *last = {std::min(last->begin, range.begin), std::max(last->end, range.end)};
    } else {
      touched.ranges.push_back(range);
    }
  }
  return touched;
}

/// An array as somebody on the host names it, in the order of the run.
struct Use {
  Range range;
  size_t step = 0;
  bool writes = false;
  bool* on_host = nullptr;
};

template <typename Places>
void AddPlaces(Places& places, size_t step, bool writes, std::vector<Use>& uses) {
  for (Place& place : places)
    uses.push_back({{place.address, place.address + place.bytes}, step, writes, &place.on_host});
}

}  // namespace

void MarkHostArrays(Network& network, const isa::Spec& spec) {
  std::vector<Use> uses;
  std::vector<Touched> touched(network.steps.size() + 2);
  AddPlaces(network.inputs, 0, true, uses);
  const isa::Decoder decoder(spec);
  for (size_t s = 0; s < network.steps.size(); ++s) {
    if (const auto* program = std::get_if<AcceleratorStep>(&network.steps[s])) {
      touched[s + 1] = TouchedBy(*program, decoder, spec);
      continue;
    }
    // What a step reads it reads before it writes.
    auto& arguments = std::get<CpuStep>(network.steps[s]).arguments;
    for (const bool writes : {false, true})
      for (CpuStep::Argument& a : arguments)
        if (!a.constant && a.is_output == writes)
          uses.push_back({{a.address, a.address + a.bytes}, s + 1, writes, &a.on_host});
  }
  AddPlaces(network.outputs, network.steps.size() + 1, false, uses);
  if (!network.values.empty()) return;

  for (size_t u = 0; u < uses.size(); ++u) {
    if (!uses[u].writes) continue;
    // Its readers: those of the same array up to whoever writes there next.
    std::vector<Use*> readers;
    size_t end = u + 1;
    bool whole = true;
    for (; end < uses.size(); ++end) {
      if (!uses[end].range.Meets(uses[u].range)) continue;
      if (uses[end].writes) break;
      whole &= uses[end].range.begin == uses[u].range.begin && uses[end].range.end == uses[u].range.end;
      readers.push_back(&uses[end]);
    }
    // A program that only overwrites what nobody reads any more counts too: then the array is copied for
    // nothing.
    const size_t last = end < uses.size() ? uses[end].step : touched.size();
    for (size_t s = uses[u].step; s < last && whole; ++s) whole = !touched[s].Meets(uses[u].range);
    if (!whole) continue;
    *uses[u].on_host = true;
    for (Use* reader : readers) *reader->on_host = true;
  }
}

}  // namespace cosim::runtime
