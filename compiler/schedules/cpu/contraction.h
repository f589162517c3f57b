// SPDX-License-Identifier: Apache-2.0
// A convolution or product on a processor: the schedules that it may have, the model's choice among them, and
// the computation by one of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/schedules/cpu/blocked.h"

namespace cosim::schedules {

struct ContractionSchedule {
  int64_t transform = 0;  ///< results a side of Winograd's tiles, 2 or 4; 0: windows are summed as they are
  Tile tile;

  friend bool operator==(const ContractionSchedule&, const ContractionSchedule&) = default;
};

/// A tile's text, with "winograd=4 " before it where there is a transform.
std::string ToString(const ContractionSchedule& schedule);
/// And back; nothing for other text.
std::optional<ContractionSchedule> ParseContractionSchedule(std::string_view text);

/// By workload, as Contraction has it.
using ContractionSchedules = std::map<std::string, ContractionSchedule>;

/// Of what it is made of, nothing is copied: that has to outlive it.
class Contraction {
 public:
  /// `weights`: of a convolution, if they are constant. Nothing when plain loops are as good: on an unknown
  /// processor, of types that have no vector instruction, of too few rows or columns.
  static std::optional<Contraction> Of(const ops::Computation& sums, const graph::Tensor* weights,
                                       const CpuTarget& target);

  /// All that moves its time on one processor, as text.
  std::string Workload() const;
  /// The one of the least estimated cycles.
  ContractionSchedule Chosen() const;
  bool IsLegal(const ContractionSchedule& schedule) const;
  /// All legal ones that differ enough for a search.
  std::vector<ContractionSchedule> All() const;
  /// By a legal one.
  Blocked Build(const ContractionSchedule& schedule) const;

 private:
  enum class Form { kDepthwise, kConvolution, kProduct };
  Contraction(Form form, const ops::Computation& sums, const graph::Tensor* weights, const CpuTarget& target)
      : form_(form), sums_(&sums), weights_(weights), target_(target) {}

  /// What a tile is for; by a transform: for one of its products.
  std::optional<TileProblem> ProblemFor(int64_t transform) const;

  Form form_;
  const ops::Computation* sums_;
  const graph::Tensor* weights_;
  CpuTarget target_;
};

}  // namespace cosim::schedules
