// SPDX-License-Identifier: Apache-2.0
// Decides whether a fused group runs on the accelerator, and if so lowers it to a kernel with its packed
// constants. The reason of a refusal is what the user reads beside "cpu".
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/passes.h"
#include "compiler/accel/pipeline.h"
#include "compiler/accel/take_turns.h"
#include "compiler/network/epilogue.h"
#include "compiler/network/geometry.h"
#include "compiler/network/group.h"
#include "compiler/network/lowering_cache.h"
#include "compiler/network/pack.h"
#include "compiler/schedules/accel/kernel.h"
#include "compiler/schedules/accel/rank_tiles.h"
#include "runtime/network.h"
#include "runtime/profile.h"
#include "sim/cycle/time.h"

namespace cosim::network {

using kernels::Role;
using kernels::Tile;
using kernels::TileCost;
using kernels::Window;

struct AcceleratorGroup {
  accel::Kernel kernel;
  std::vector<Role> roles;  ///< of the kernel's params
  /// Values behind kInput (-1: a constant), kResidual, kOutput; views looked through.
  graph::ValueId input = -1, residual = -1, output = -1;
  Layout input_layout, output_layout;
  graph::ValueId weights = -1;  ///< the value behind kWeights where that is no constant, in weights_layout
  Layout weights_layout;
  std::vector<PackedConstant> constants;
  accel::StorageCursor begins;  ///< where its place on chip does
  Tile tile;
  std::vector<runtime::Knob> knobs;  ///< both only where asked for
  std::vector<runtime::Alternative> alternatives;
};

/// Gets the IR of every group that goes to the accelerator, after each pass of accel::Pipeline.
using PassObserver =
    std::function<void(const std::string& pass, const std::string& group, const std::string& text)>;

/// Schedules that somebody has found for layers, by name and by what such a layer is
/// (GroupLowering::WorkloadOf).
using TunedTiles = std::map<std::pair<std::string, std::string>, Tile>;

/// Schedules of two groups' kernels by turns.
struct TurnTiles {
  Tile first, second;
  runtime::Cycle gain = 0;  ///< cycles fewer than one behind the other, by the timing engine
};

/// What a turn of them is: a leaf, where both go through all rows of some channels before other channels.
accel::TurnSize SizeOf(const TurnTiles& tiles);

/// Tiles of two groups' kernels, and which pairs of them (by number) fit on chip together, the tile model's
/// favourite first.
struct TurnCandidates {
  std::vector<kernels::TileWork> first, second;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

/// Where TunedTiles have the tile of a layer that takes turns with `partner`, beside its tile without.
std::pair<std::string, std::string> TurnKey(const std::string& layer, const std::string& workload,
                                            const std::string& partner);

struct LowerOptions {
  int virtual_threads = 2;
  bool explain = false;               ///< fill AcceleratorGroup::knobs and alternatives
  bool timing_only = false;           ///< leave constants empty
  bool blank_constants = false;       ///< zeros where constants would be, which takes no packing
  bool keep_every_value = false;      ///< in DRAM
  PassObserver after_pass;            ///< may be empty
  LoweringCache* cache = nullptr;     ///< may be null
  const TunedTiles* tuned = nullptr;  ///< taken instead of choosing; may be null
  std::string host_only;              ///< why nothing may run on the accelerator; empty: what can does
};

/// How many schedules besides the chosen one an explanation shows.
inline constexpr size_t kAlternatives = 2;

class GroupLowering {
 public:
  GroupLowering(const isa::Spec& spec, const graph::Graph& graph, const LowerOptions& options);

  /// Sets `reason` and returns nothing when the group has to run on the CPU. On-chip storage continues from
  /// the group before.
  std::optional<AcceleratorGroup> Lower(const Group& group, std::string& reason);

  /// What makes matrices of a value that the group, a matmul, reads by columns, where it stands in tiles.
  /// Nothing: no kernel does.
  std::optional<AcceleratorGroup> LowerTransposition(const Group& matmul);

  /// Whether a convolution with another operation behind it, `whole`, takes fewer cycles as the two groups
  /// `parts`, which the timing engine decides where the tile model is in doubt: between what was lowered last
  /// and the group `behind` it, if there is one. `why` gets what was measured.
  bool QuickerApart(const Group& whole, std::span<const Group> parts, const Group* behind, std::string& why);

  /// The kernels of two groups, of which the second reads what the first writes, for BuildProgram to write by
  /// turns.
  struct ByTurns {
    LoweredTile first, second;
    TurnTiles tiles;
    std::vector<runtime::Knob> first_knobs, second_knobs;  ///< only where asked for
  };
  /// Two groups, what they have been lowered to, and their neighbours on the accelerator, if there are any.
  struct TurnPair {
    const Group* first = nullptr;
    const AcceleratorGroup* a = nullptr;
    const Group* second = nullptr;
    const AcceleratorGroup* b = nullptr;
    const AcceleratorGroup *before = nullptr, *behind = nullptr;
  };
  /// By tuned schedules, where there are any for the two and none that is found here is quicker. Nothing
  /// where none is quicker than one behind the other.
  std::optional<ByTurns> LowerByTurns(const TurnPair& pair);

  /// Two convolutions as one kernel, the value between them on chip, and the cycles fewer that it takes than
  /// the two.
  struct Fed {
    Group group;
    AcceleratorGroup made;
    std::vector<std::string> texts;
    runtime::Cycle gain = 0;
  };
  /// Nothing where the ISA, the convolutions or what fits on chip do not allow it, or nothing is gained.
  std::optional<Fed> LowerFed(const TurnPair& pair) const;

  /// What a group's kernel computes, in words: kernels of one workload may have the same schedules. Empty
  /// when the group runs on the CPU.
  std::string WorkloadOf(const Group& group) const;
  /// Of all schedules of the group's kernel that fit, of up to so many virtual threads, the model's favourite
  /// `most`; none on the CPU. Of a kernel of two convolutions those that Lower tries.
  kernels::AllLegal SpaceOf(const Group& group, int most_threads, size_t most) const;
  /// The group's kernel by one tile of that space, with its place on chip behind nothing.
  LoweredTile LowerAs(const Group& group, const Tile& tile) const;

  /// All schedules of both by turns, at most `most`, but for those by which one unit has as much to do as
  /// both take by the tiles `apart`; none where they cannot be.
  TurnCandidates TurnSpaceOf(const Group& first, const Group& second, const TurnTiles& apart,
                             size_t most) const;
  /// The kernels of both by turns, with their place on chip. Nothing when they do not fit.
  std::optional<LoweredPair> LowerTurns(const Group& first, const Group& second,
                                        const TurnTiles& tiles) const;

  /// Tells LowerOptions::after_pass of a kernel that takes the place of one it has seen.
  void Report(const Group& group, const std::vector<std::string>& texts) const;

  const Array& array() const { return array_; }
  /// Whether a convolution's results can stay on chip for the one behind it.
  bool CanFeed() const;
  /// What of the array can hold no network; empty: nothing.
  std::string ArrayMisfit() const;
  /// How kernels find the values they read, and leave those they write.
  Layout ReadLayout() const { return {Layout::Kind::kBlocked, array_.layout_in, -1}; }
  Layout WrittenLayout() const { return {Layout::Kind::kBlocked, array_.layout_out, -1}; }
  /// The value that holds the elements: flattening moves none.
  graph::ValueId LookThroughViews(graph::ValueId id) const;

 private:
  struct Feeder;
  struct Plan : kernels::Computation {
    std::optional<accel::Gathered> gathered;  ///< the input is an image
    std::shared_ptr<const Feeder> feeder;     ///< the input is computed on chip; null: it is not
  };
  bool MakePlan(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// Why the ALU cannot read values as they stand in DRAM; empty: it can.
  std::string AluReadsMisfit() const;
  /// In words for the user: which limit keeps an operation that has no kernel on the host.
  std::string NoMultiplier() const;
  std::string WhyNoKernel(const graph::Node& node) const;
  bool PlanMatMul(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// How a value stands whose pixels are tiles of weights.
  Layout TilesLayout(graph::ValueId value) const;
  /// Whether all that reads a value is a matmul, as weights, that such tiles will do for.
  bool MayStandInTiles(graph::ValueId value) const;
  /// Has a convolution leave its result so, where it can.
  void StandInTiles(const Group& group, AcceleratorGroup& out, Window& window) const;
  bool FeedsWindows(graph::ValueId value) const;
  bool PlanElementwise(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  bool PlanConvolution(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// Makes a convolution whose window is unrolled one that gathers its windows from an image, if the ISA can.
  bool PlanImage(const Group& group, const ConvView& view, AcceleratorGroup& out, Plan& plan) const;
  /// Makes a depthwise convolution one of lanes where the tile model finds that no slower.
  void TryLanes(const Group& group, const AcceleratorGroup& out, Plan& plan) const;
  /// Makes a depthwise convolution one along rows where the tile model finds that no slower.
  void TryRows(const Group& group, const AcceleratorGroup& out, Plan& plan) const;
  bool PlanPool(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// Makes a convolution's kernel take the largest sums of each window of the max pool behind it, if there is
  /// one.
  bool PlanPoolBehind(const Group& group, const AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// Has results stand where a depth_to_space or resize_nearest has them.
  bool PlanSpread(const Group& group, Plan& plan, std::string& reason) const;
  bool PlanEpilogue(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// The convolution before a group's own, if there is one; out.input stays the value between them.
  bool PlanFeeder(const Group& group, Plan& plan, std::string& reason) const;
  /// A kernel with its place on chip.
  struct Lowered {
    accel::Kernel kernel;
    std::vector<Role> roles;
    TileCost cost;
    accel::StorageCursor cursor;     ///< behind it
    std::vector<std::string> texts;  ///< after each pass of the pipeline, if somebody looks
    runtime::Cycle measured = 0;     ///< with the kernel before it, where there is a choice
  };
  /// What a kernel does when: kernels of one rhythm differ in numbers at most.
  struct Rhythm {
    const kernels::KernelTemplate* kind = &kernels::Map();
    Window window;
    std::vector<std::string_view> epilogue;
    std::string feeder;  ///< as KeyOf has it
    friend bool operator==(const Rhythm&, const Rhythm&) = default;
  };
  static Rhythm RhythmOf(const Plan& plan);
  /// The kernel lowered last.
  struct Before {
    accel::Kernel kernel;
    Rhythm rhythm;
    TileCost cost;
  };
  /// What a measurement depends on: a kernel, alone or behind another one, and what is behind it if that was
  /// there.
  struct Situation {
    Rhythm rhythm;
    bool alone = false;
    std::optional<Rhythm> before, behind;
    Tile before_tile;
    friend bool operator==(const Situation&, const Situation&) = default;
  };
  Situation SituationOf(const Plan& plan, bool alone) const;
  static std::string WorkloadOf(const Plan& plan);
  /// That a schedule by turns may take.
  std::vector<kernels::TileWork> TurnTilesOf(const Plan& plan) const;
  /// The knobs of a schedule by turns, with what they are among all such of its layer.
  std::vector<runtime::Knob> TurnKnobs(const Plan& plan, const Tile& tile) const;
  std::optional<LoweredPair> PlaceByTurns(const TurnPair& pair, const Plan& first_plan,
                                          const Plan& second_plan, const TurnTiles& tiles) const;
  /// The same from the cache, if there is one and nobody looks at passes.
  std::optional<LoweredPair> PairByTurns(const TurnPair& pair, const Plan& first_plan,
                                         const Plan& second_plan, const TurnTiles& tiles) const;
  std::optional<ByTurns> MakeByTurns(const TurnPair& pair, const Plan& first_plan, const Plan& second_plan,
                                     const TurnTiles& tiles) const;
  /// The best schedules by turns, if they are quicker. `apart`: cycles of both one behind the other by the
  /// tile model.
  std::optional<TurnTiles> TilesByTurns(const TurnPair& pair, const Plan& first_plan, const Plan& second_plan,
                                        double apart) const;
  /// Cycles of the tile model; 0 where the tile does not fit.
  double Alone(const Plan& plan, const Tile& tile) const;
  /// What was found for the two, if it is quicker.
  std::optional<TurnTiles> TunedTurns(const TurnPair& pair, const Plan& first_plan,
                                      const Plan& second_plan) const;
  /// Cycles fewer, between the neighbours.
  runtime::Cycle GainOf(const TurnPair& pair, const ByTurns& made) const;
  /// The kernel that was found for the group before; empty: none was, or it does not fit any more.
  std::vector<Lowered> LowerTuned(const Group& group, const Plan& plan) const;
  /// The tile that measuring has shown best.
  struct Known {
    Situation situation;
    TileCost cost;
  };
  /// What a convolution with an operation behind it gains as two kernels.
  struct Fusion {
    Situation situation;
    runtime::Cycle gain = 0;
  };
  /// The kernel of one tile, with the texts if somebody looks; from the cache if there is one and nobody
  /// does.
  LoweredTile LowerTile(const Group& group, const Plan& plan, const Tile& tile) const;
  LoweredTile MakeTile(const Group& group, const Plan& plan, const Tile& tile) const;
  /// The kernel of one tile before it gets its place: from the cache of those, if there is one and nobody
  /// watches.
  std::shared_ptr<const UnplacedKernel> UnplacedOf(const Group& group, const Plan& plan, const Tile& tile,
                                                   const accel::Watch& watch) const;
  std::shared_ptr<const UnplacedKernel> MakeUnplaced(const Group& group, const Plan& plan, const Tile& tile,
                                                     const accel::Watch& watch) const;
  /// What the cache knows a group's kernel by, but for its tile and place.
  std::string KeyOf(const Group& group, const Plan& plan) const;
  static std::string KeyOf(const Plan& plan);
  static std::string KeyOf(const Tile& tile);
  /// All that the tile model's words on a plan's kernel depend on, but for what one cache has in common and
  /// the memory's latencies.
  std::string SpaceKeyOf(const Plan& plan) const;
  /// The kernels of the first `count` tiles of `ranked` that fit storage and instructions.
  std::vector<Lowered> LowerTiles(const Group& group, const Plan& plan, std::span<const TileCost> ranked,
                                  size_t count, std::string& reason) const;
  /// Cycles of kernels that follow each other, between the one before them and themselves once more, which
  /// stand for what is behind them at `cursor`; or of them alone. Nothing when addresses do not reach that
  /// far; where they take more than `limit`, it may be that.
  std::optional<runtime::Cycle> Measure(std::span<const accel::Kernel> kernels, accel::StorageCursor cursor,
                                        bool alone, runtime::Cycle limit = sim::kNever) const;
  /// Cycles of groups between the kernel lowered last and the group `behind` them (null, or on the host:
  /// there is none), by turns where that gains. They have the tiles that they get there; `known`: what is,
  /// then. Nothing when one does not run on the accelerator.
  std::optional<runtime::Cycle> MeasureGroups(std::span<const Group> groups, const Group* behind,
                                              std::vector<Known>& known) const;
  /// The tiles of a plan's kernel, and the first to try.
  RankedTiles Ranked(const Plan& plan) const;
  /// What the tile model says of one tile; nothing when it does not fit.
  std::optional<TileCost> CostOf(const Plan& plan, const Tile& tile) const;
  /// Cycles of the tile model's favourite; 0 when nothing fits.
  double Estimate(const Plan& plan) const;
  /// What QuickerApart says, in cycles fewer; 0 where the tile model rules it out.
  runtime::Cycle GainApart(const Group& whole, const Plan& plan, std::span<const Group> parts,
                           const Group* behind);
  /// How many schedules of a kernel of that cost can be measured in a row with the one before it, and whether
  /// they are too few.
  double Affordable(double cycles) const;
  bool MeasuredAlone(double cycles) const;
  /// The one to take first. As many as can be measured quickly, by what they take; where that is only one,
  /// the tile model's first; then others to explain it by. Empty: nothing fits.
  std::vector<Lowered> LowerCandidates(const Group& group, const Plan& plan, const kernels::Ranking& ranking,
                                       std::string& reason);
  bool CanLookUp(const graph::Table& op, std::string& reason) const;
  /// What the accumulators are scaled by: one value a channel, or three blocks of them for a ScaledAdd.
  /// Biases with the input's zero point in them, if `fold`.
  ChannelParameters ParametersOf(const Group& group, const AcceleratorGroup& out, const Plan& plan,
                                 bool fold) const;
  /// Which of them the records of the ISA do not hold; empty: they hold all.
  std::string ParametersMisfit(const Group& group, const AcceleratorGroup& out, const Plan& plan) const;
  void PackConstants(const Group& group, const Plan& plan, AcceleratorGroup& out) const;
  std::vector<PackedConstant> MakeConstants(const Group& group, const Plan& plan,
                                            const AcceleratorGroup& out) const;
  /// How a convolution's weights stand in them.
  WeightOrder OrderOf(const Group& group, const Plan& plan, const AcceleratorGroup& out) const;

  struct Feeder {
    Group group;
    Plan plan;
    AcceleratorGroup out;
  };
  std::vector<PackedConstant> MakeFeederConstants(const Plan& plan) const;
  /// Chooses a schedule for a plan, and makes `out` what a run takes of its kernel.
  bool LowerPlan(const Group& group, const Plan& plan, AcceleratorGroup& out, std::string& reason);
  /// Makes `out` what a run takes of the kernel.
  void Complete(const Group& group, const Plan& plan, Lowered& kernel, AcceleratorGroup& out) const;

  const isa::Spec& spec_;
  const graph::Graph& graph_;
  std::vector<std::vector<graph::ValueId>> users_;  ///< of each value
  LowerOptions options_;
  std::string no_array_;  // before array_, which sets it
  Array array_;
  accel::StorageCursor cursor_;
  std::optional<Before> before_;
  std::set<graph::ValueId> in_tiles_;  ///< values that stand so
  std::vector<Known> known_;
  std::vector<Fusion> fusions_;
  std::map<std::string, std::optional<TurnTiles>> by_turns_;  ///< by both workloads and tiles
};

}  // namespace cosim::network
