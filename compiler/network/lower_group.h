// SPDX-License-Identifier: Apache-2.0
// Decides whether a fused group runs on the accelerator, and if so lowers it to a kernel with its packed
// constants. The reason of a refusal is what the user reads beside "cpu".
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/passes.h"
#include "compiler/network/choose_tile.h"
#include "compiler/network/geometry.h"
#include "compiler/network/group.h"
#include "compiler/network/kernels.h"
#include "runtime/network.h"
#include "runtime/profile.h"

namespace cosim::network {

/// A constant in its final form.
struct PackedConstant {
  Role role = Role::kWeights;
  std::string name;
  std::vector<uint8_t> bytes;
};

struct AcceleratorGroup {
  accel::Kernel kernel;
  std::vector<Role> roles;  ///< of the kernel's params
  graph::ValueId input = -1, residual = -1,
                 output = -1;  ///< values behind kInput, kResidual, kOutput; views looked through
  Layout input_layout, output_layout;
  graph::ValueId weights = -1;  ///< the value behind kWeights where that is no constant, in weights_layout
  Layout weights_layout;
  std::vector<PackedConstant> constants;
  Tile tile;
  std::vector<runtime::Knob> knobs;  ///< both only where asked for
  std::vector<runtime::Alternative> alternatives;
};

/// Gets the IR of every group that goes to the accelerator, after each pass: "lower", "tensorize",
/// "virtual_threads", "storage".
using PassObserver =
    std::function<void(const std::string& pass, const std::string& group, const std::string& text)>;

struct LowerOptions {
  int virtual_threads = 2;
  bool explain = false;      ///< fill AcceleratorGroup::knobs and alternatives
  bool timing_only = false;  ///< leave constants empty
  PassObserver after_pass;   ///< may be empty
  std::string host_only;     ///< why nothing may run on the accelerator; empty: what can does
};

/// How many schedules besides the chosen one an explanation shows.
inline constexpr size_t kAlternatives = 2;

class GroupLowering {
 public:
  GroupLowering(const isa::Spec& spec, const graph::Graph& graph, const LowerOptions& options);

  /// Sets `reason` and returns nothing when the group has to run on the CPU. On-chip storage continues from
  /// the group before.
  std::optional<AcceleratorGroup> Lower(const Group& group, std::string& reason);

  const Array& array() const { return array_; }
  /// What of the array can hold no network; empty: nothing.
  std::string ArrayMisfit() const;
  /// How kernels find the values they read, and leave those they write.
  Layout ReadLayout() const { return {Layout::Kind::kBlocked, array_.layout_in, -1}; }
  Layout WrittenLayout() const { return {Layout::Kind::kBlocked, array_.layout_out, -1}; }
  /// The value that holds the elements: flattening moves none.
  graph::ValueId LookThroughViews(graph::ValueId id) const;

 private:
  struct Plan {
    Anchor anchor = Anchor::kNone;
    Window window;
    EpilogueInfo epilogue;
  };
  bool MakePlan(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// In words for the user: which limit keeps an operation that has no kernel on the host.
  std::string WhyNoKernel(const graph::Node& node) const;
  bool PlanMatMul(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  bool PlanElementwise(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  bool PlanConvolution(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  bool PlanPool(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  bool PlanEpilogue(const Group& group, AcceleratorGroup& out, Plan& plan, std::string& reason) const;
  /// A kernel with its place on chip.
  struct Lowered {
    accel::Kernel kernel;
    std::vector<Role> roles;
    TileCost cost;
    accel::StorageCursor cursor;     ///< behind it
    std::vector<std::string> texts;  ///< after "lower", "tensorize", "virtual_threads", if somebody looks
    runtime::Cycle measured = 0;     ///< with the kernel before it, where there is a choice
  };
  /// What a kernel does when: kernels of one rhythm differ in numbers at most.
  struct Rhythm {
    Anchor anchor = Anchor::kNone;
    Window window;
    bool requantize = false, pure_shift = false, twice = false;
    bool add = false, mul = false, rescale = false, scaled_add = false;
    friend bool operator==(const Rhythm&, const Rhythm&) = default;
  };
  static Rhythm RhythmOf(const Plan& plan);
  /// The kernel lowered last.
  struct Before {
    accel::Kernel kernel;
    Rhythm rhythm;
    TileCost cost;
  };
  /// What a measurement depends on: a kernel, alone or behind another one.
  struct Situation {
    Rhythm rhythm;
    bool alone = false;
    std::optional<Rhythm> before;
    Tile before_tile;
    friend bool operator==(const Situation&, const Situation&) = default;
  };
  Situation SituationOf(const Plan& plan, bool alone) const;
  /// The tile that measuring has shown best.
  struct Known {
    Situation situation;
    TileCost cost;
  };
  /// The kernels of the first `count` tiles of `ranked` that fit storage and instructions.
  std::vector<Lowered> LowerTiles(const Group& group, const Plan& plan, std::span<const TileCost> ranked,
                                  size_t count, std::string& reason) const;
  /// Cycles of the kernel between the one before it and itself once more, which stands for the one behind it;
  /// or of the kernel alone.
  runtime::Cycle Measure(const Lowered& lowered, bool alone) const;
  /// The one to take first. As many as can be measured quickly, by what they take; where that is only one,
  /// the tile model's first; then others to explain it by. Empty: nothing fits.
  std::vector<Lowered> LowerCandidates(const Group& group, const Plan& plan,
                                       const std::vector<TileCost>& ranked, std::string& reason);
  void Report(const Group& group, const Lowered& lowered) const;
  void PackConstants(const Group& group, const Plan& plan, AcceleratorGroup& out) const;

  const isa::Spec& spec_;
  const graph::Graph& graph_;
  LowerOptions options_;
  Array array_;
  std::string no_array_;
  accel::StorageCursor cursor_;
  std::optional<Before> before_;
  std::vector<Known> known_;
};

}  // namespace cosim::network
