// SPDX-License-Identifier: Apache-2.0
// Decides whether a fused group runs on the accelerator, and if so lowers it to a kernel with its packed
// constants. The reason of a refusal is what the user reads beside "cpu".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/passes.h"
#include "compiler/network/choose_tile.h"
#include "compiler/network/geometry.h"
#include "compiler/network/group.h"
#include "compiler/network/kernels.h"
#include "runtime/network.h"

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
  std::vector<runtime::Knob> knobs;
};

/// Gets the IR of every group that goes to the accelerator, after each pass: "lower", "tensorize",
/// "virtual_threads", "storage".
using PassObserver =
    std::function<void(const std::string& pass, const std::string& group, const std::string& text)>;

struct LowerOptions {
  int virtual_threads = 2;
  /// Which of a group's legal schedules to take: 0 the one that the model likes best. Where there are fewer,
  /// the last.
  int choice = 0;
  bool list_knobs = false;  ///< fill AcceleratorGroup::knobs
  PassObserver after_pass;  ///< may be empty
};

class GroupLowering {
 public:
  GroupLowering(const isa::Spec& spec, const graph::Graph& graph, const LowerOptions& options);

  /// Sets `reason` and returns nothing when the group has to run on the CPU. On-chip storage continues from
  /// the group before.
  std::optional<AcceleratorGroup> Lower(const Group& group, std::string& reason);

  const Array& array() const { return array_; }
  /// What of the array cannot hold an int8 network; empty: it can.
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
    accel::StorageCursor cursor;       ///< behind it
    std::vector<runtime::Knob> knobs;  ///< where asked for
    std::vector<std::string> texts;    ///< after "lower", "tensorize", "virtual_threads", if somebody looks
  };
  /// Of the tiles that fit storage and instructions, cheapest first by the model, number `choice`.
  std::optional<Lowered> LowerChoice(const Group& group, const Plan& plan, int threads, int choice,
                                     std::string& reason) const;
  void Report(const Group& group, const Lowered& lowered) const;
  void PackConstants(const Group& group, const Plan& plan, AcceleratorGroup& out) const;

  const isa::Spec& spec_;
  const graph::Graph& graph_;
  LowerOptions options_;
  Array array_;
  std::string no_array_;
  accel::StorageCursor cursor_;
  std::optional<accel::Kernel> before_;  ///< the kernel lowered last
};

}  // namespace cosim::network
