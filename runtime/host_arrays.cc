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
  friend bool operator==(const Range&, const Range&) = default;
};

/// What a program does with the accelerator's memory, in its order: the ranges of its transfers, each with
/// what lies between the rows.
struct Touched {
  struct Part {
    Range range;
    bool is_store = false;
  };
  std::vector<Part> parts;

  /// What it does first with something of `range`; null: nothing.
  const Part* First(const Range& range) const {
    const auto at = std::ranges::find_if(parts, [&](const Part& part) { return part.range.Meets(range); });
    return at == parts.end() ? nullptr : &*at;
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
    Touched::Part* last = touched.parts.empty() ? nullptr : &touched.parts.back();
    if (last != nullptr && last->is_store == transfer->is_store && range.begin <= last->range.end &&
        last->range.begin <= range.end) {
      last->range = {std::min(last->range.begin, range.begin), std::max(last->range.end, range.end)};
    } else {
      touched.parts.push_back({range, transfer->is_store});
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

/// Marks what is written by use `at` and read by those behind it, up to whoever writes there next, unless a
/// program reads it or somebody a part of it.
void Mark(const std::vector<Use>& uses, size_t at, const std::vector<Touched>& touched) {
  const Range& range = uses[at].range;
  std::vector<bool*> marks = {uses[at].on_host};
  size_t next = at + 1;
  bool lives = true;
  for (size_t step = uses[at].step; step < touched.size() && lives; ++step) {
    for (; next < uses.size() && uses[next].step == step && lives; ++next) {
      const Use& use = uses[next];
      if (!use.range.Meets(range)) continue;
      lives = !use.writes;
      if (!lives) break;
      if (use.range != range) return;
      marks.push_back(use.on_host);
    }
    const Touched::Part* first = lives ? touched[step].First(range) : nullptr;
    if (first == nullptr) continue;
    if (!first->is_store) return;
    lives = false;  // values are planned whole: what is written over in part is over
  }
  for (bool* mark : marks) *mark = true;
}

}  // namespace

void MarkHostArrays(Network& network, const isa::Spec& spec) {
  if (!network.values.empty()) return;
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
  for (size_t u = 0; u < uses.size(); ++u)
    if (uses[u].writes) Mark(uses, u, touched);
}

}  // namespace cosim::runtime
