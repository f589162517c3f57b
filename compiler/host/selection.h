// SPDX-License-Identifier: Apache-2.0
// Operators that find elements again: those that differ, and those of a list.
#pragma once

#include <optional>
#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

/// (x, constant) -> its different slices along `axis` (elements of the flattened x, without one), in
/// ascending order or in that of their first appearance; then, int64: where each is first, which of them each
/// slice of x is, and how many there are of each.
HostOperatorPtr Unique(std::optional<int64_t> axis, bool sorted);

/// Numbers in a row, with 0 to most_skipped ones between every two.
struct NgramAttributes {
  int64_t least_length = 1, most_length = 1, most_skipped = 0;
  std::vector<int64_t> starts;   ///< of those of each length in the list
  std::vector<int64_t> list;     ///< all that are looked for, one behind the other, the short ones first
  std::vector<int64_t> columns;  ///< of the result, one for each of the list
  std::vector<float> weights;    ///< of each of the list, or empty
  bool counts = true;            ///< results are numbers of appearances, else 1 for any
};
/// (x int32 or int64 [C] or [N,C]) -> float32 [columns] or [N,columns]: what there is of the list in a row.
/// Attributes have to hold NgramFault.
HostOperatorPtr CountNgrams(NgramAttributes attributes);
std::string NgramFault(const NgramAttributes& attributes);

}  // namespace cosim::host
