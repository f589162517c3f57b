// SPDX-License-Identifier: Apache-2.0
// Cells in the order of the signals: a net's arrival is final when all arcs into it have been walked.
#include "sim/synth/paths.h"

#include <algorithm>
#include <queue>

#include "isa/check.h"
#include "sim/synth/cells.h"

namespace cosim::synth {
namespace {

class Walk {
 public:
  explicit Walk(const FlatDesign& design)
      : design_(design),
        ends_(design.cells().size()),
        waits_(design.cells().size()),
        readers_(design.nets()) {}

  std::vector<PathEnd> Run();

 private:
  void Prepare();
  void Reach(int net, const PathEnd& arrival);

  const FlatDesign& design_;
  std::vector<PathEnd> ends_;
  std::vector<int> waits_;  // arcs into a cell that have not been walked
  struct Reader {
    int cell;
    Arc arc;
  };
  std::vector<std::vector<Reader>> readers_;  // of a net
  std::vector<PathEnd> through_;              // at a cell's outputs
  std::queue<int> ready_;
};

void Walk::Prepare() {
  const std::vector<FlatCell>& cells = design_.cells();
  std::vector<char> driven(design_.nets());
  for (const FlatCell& cell : cells)
    for (int pin : cell.outputs) driven[design_.NetOf(cell, pin)] = 1;
  through_.resize(cells.size());
  for (size_t c = 0; c < cells.size(); ++c) {
    through_[c].start = static_cast<int>(c);
    for (int pin : cells[c].inputs) {
      const int net = design_.NetOf(cells[c], pin);
      const Arc arc = PathThrough(*cells[c].cell, cells[c].cell->pins[pin].port);
      readers_[net].push_back({static_cast<int>(c), arc});
      if (!arc.exists) continue;
      through_[c].start = -1;
      waits_[c] += driven[net];
      if (!driven[net]) through_[c].levels = std::max(through_[c].levels, arc.levels);  // from an input
    }
    if (waits_[c] == 0) ready_.push(static_cast<int>(c));
  }
}

/// `arrival` is final: hands it to all that read the net.
void Walk::Reach(int net, const PathEnd& arrival) {
  for (const Reader& reader : readers_[net]) {
    const int levels = arrival.levels + reader.arc.levels;
    if (!reader.arc.exists) {
      if (arrival.levels >= ends_[reader.cell].levels) ends_[reader.cell] = arrival;
      continue;
    }
    if (levels >= through_[reader.cell].levels) through_[reader.cell] = {levels, arrival.start};
    if (--waits_[reader.cell] == 0) ready_.push(reader.cell);
  }
}

std::vector<PathEnd> Walk::Run() {
  Prepare();
  size_t done = 0;
  for (; !ready_.empty(); ready_.pop(), ++done) {
    const int c = ready_.front();
    const FlatCell& cell = design_.cells()[c];
    for (int pin : cell.outputs) Reach(design_.NetOf(cell, pin), through_[c]);
  }
  COSIM_CHECK(done == design_.cells().size(), "{} cells are in a loop without a register",
              design_.cells().size() - done);
  return ends_;
}

}  // namespace

std::vector<PathEnd> LongestPaths(const FlatDesign& design) { return Walk(design).Run(); }

}  // namespace cosim::synth
