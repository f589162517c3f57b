// SPDX-License-Identifier: Apache-2.0
// Overlapping, touching and distant pieces, of any place in the element.
#include "tests/isa/program/random_gather.h"

#include <algorithm>
#include <string_view>

namespace cosim::isa::testing {

void DrawGather(const Spec& spec, const RandomProgramOptions& options, Random& random,
                Instruction& instruction) {
  const InstructionFormat& format = spec.formats[instruction.format];
  const Memory& memory = spec.memories[format.memory];
  auto most = [&](std::string_view name) { return format.fields[format.FieldIndex(name)].type.Max(); };
  auto set = [&](std::string_view name, int64_t value) {
    instruction.values[format.FieldIndex(name)] = value;
  };
  const int64_t longest = std::min({LongestPiece(spec, memory), most("piece_bytes"), most("row_bytes")});
  const int64_t bytes = random.Percent(20) ? longest : random.Uniform(1, longest);
  const int64_t farthest = std::min(most("piece_step"), int64_t{5} * spec.dram.beat_bytes());
  const int64_t step =
      random.Uniform(0, random.Percent(70) ? std::min<int64_t>(farthest, bytes + 3) : farthest);
  int64_t cols = random.Percent(15) ? 1 : random.Uniform(1, std::min(options.max_cols * 2, most("cols")));
  if (step > 0) cols = std::min(cols, (most("row_bytes") - bytes) / step + 1);
  set("piece_bytes", bytes);
  set("piece_first", random.Uniform(0, std::min(most("piece_first"), memory.stored_bytes - bytes)));
  set("piece_step", step);
  set("row_bytes", (cols - 1) * step + bytes);
  set("rows", random.Uniform(1, std::min(options.max_rows, most("rows"))));
  set("cols", cols);
  set("stride", random.Uniform(0, std::min<int64_t>(most("stride"), random.Percent(50) ? 60 : 900)));
}

}  // namespace cosim::isa::testing
