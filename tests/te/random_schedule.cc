// SPDX-License-Identifier: Apache-2.0
// Random legal schedules.
#include "tests/te/random_schedule.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cosim::te {
namespace {

class Randomizer {
 public:
  Randomizer(Schedule& schedule, std::mt19937& random) : schedule_(schedule), random_(random) {}

  void Run() {
    AddCaches();
    std::vector<Tensor> tensors;
    for (const Stage* stage : schedule_.stages()) tensors.push_back(stage->tensor());
    std::reverse(tensors.begin(), tensors.end());  // consumers first: attachments look at theirs
    for (const Tensor& tensor : tensors) Randomize(schedule_[tensor]);
  }

 private:
  using Place = std::pair<const Stage*, size_t>;  // a stage and one of its loops

  int Pick(size_t n) { return static_cast<int>(random_() % n); }
  bool Chance(int percent) { return Pick(100) < percent; }

  void AddCaches() {
    for (const Stage* stage : schedule_.stages()) {
      for (const Tensor& input : InputsOf(stage->body())) {
        if (Chance(30)) schedule_.CacheRead(input, Chance(50) ? "" : "local", {stage->tensor()});
      }
    }
  }

  void Randomize(Stage& stage) {
    const std::vector<const Stage*> readers = ReadersOf(stage.tensor());
    if (!stage.is_output() && !stage.is_reduction() && stage.scope().empty() && Chance(25)) {
      return stage.ComputeInline();
    }
    if (!stage.is_output() && Chance(75)) {
      const std::vector<Place> places = CommonPlaces(readers);
      if (!places.empty()) {
        const auto [consumer, loop] = places[Pick(places.size())];
        stage.ComputeAt(*consumer, consumer->leaf_axes()[loop]);
      }
    }
    for (int i = Pick(6); i > 0; --i) TransformLoops(stage);
    if (Chance(60)) Shuffle(stage);
    if (Chance(30)) TransformLoops(stage);
    MarkLoops(stage);
  }

  void TransformLoops(Stage& stage) {
    const std::vector<Axis>& leaves = stage.leaf_axes();
    const size_t at = Pick(leaves.size());
    if (Chance(70)) {
      stage.Split(leaves[at], 1 + Pick(7));
    } else if (at + 1 < leaves.size() && leaves[at]->kind == leaves[at + 1]->kind) {
      stage.Fuse(leaves[at], leaves[at + 1]);
    }
  }

  void Shuffle(Stage& stage) {
    std::vector<Axis> order = stage.leaf_axes();
    std::shuffle(order.begin(), order.end(), random_);
    order.resize(1 + Pick(order.size()));
    stage.Reorder(order);
  }

  void MarkLoops(Stage& stage) {
    for (const Axis& leaf : stage.leaf_axes()) {
      const bool spatial = leaf->kind == AxisKind::kSpatial;
      switch (Pick(12)) {
        case 0:
          stage.Unroll(leaf);
          break;
        case 1:
          if (spatial) stage.Parallel(leaf);
          break;
        case 2:
          if (spatial) stage.Vectorize(leaf);
          break;
        case 3:
          if (spatial) stage.VirtualThread(leaf);
          break;
        default:
          break;
      }
    }
  }

  // The computed stages that read a tensor, through inlined ones too.
  std::vector<const Stage*> ReadersOf(const Tensor& tensor) {
    std::vector<const Stage*> readers;
    for (const Stage* stage : schedule_.stages()) {
      const std::vector<Tensor> inputs = InputsOf(stage->body());
      if (std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) continue;
      if (stage->attachment().kind == Attachment::Kind::kInline) {
        for (const Stage* reader : ReadersOf(stage->tensor())) readers.push_back(reader);
      } else {
        readers.push_back(stage);
      }
    }
    return readers;
  }

  // The loops that are around all of the stages.
  std::vector<Place> CommonPlaces(const std::vector<const Stage*>& readers) {
    std::vector<Place> common;
    for (size_t i = 0; i < readers.size(); ++i) {
      std::vector<Place> around = PlacesAround(readers[i], readers[i]->leaf_axes().size());
      if (i == 0) {
        common = around;
      } else {
        std::erase_if(common, [&](const Place& place) {
          return std::find(around.begin(), around.end(), place) == around.end();
        });
      }
    }
    return common;
  }

  std::vector<Place> PlacesAround(const Stage* stage, size_t loops) {
    std::vector<Place> places;
    for (size_t i = 0; i < loops; ++i) places.emplace_back(stage, i);
    const Attachment& attachment = stage->attachment();
    if (attachment.kind != Attachment::Kind::kLoop) return places;
    const std::vector<Axis>& leaves = attachment.stage->leaf_axes();
    const size_t depth = std::find(leaves.begin(), leaves.end(), attachment.axis) - leaves.begin() + 1;
    for (const Place& place : PlacesAround(attachment.stage, depth)) places.push_back(place);
    return places;
  }

  Schedule& schedule_;
  std::mt19937& random_;
};

}  // namespace

void Randomize(Schedule& schedule, std::mt19937& random) { Randomizer(schedule, random).Run(); }

}  // namespace cosim::te
