// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/parse_type.h"

#include <charconv>

namespace cosim::graph {
namespace {

std::optional<DType> ParseDType(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i)
    if (Name(static_cast<DType>(i)) == text) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace

std::optional<TensorType> ParseTensorType(std::string_view text) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
  const auto dtype = ParseDType(text.substr(0, open));
  if (!dtype) return std::nullopt;
  TensorType type{*dtype, {}};
  const char *at = text.data() + open + 1, *const end = text.data() + text.size() - 1;
  int64_t bytes = SizeOf(*dtype);
  while (at != end) {
    int64_t extent = 0;
    const auto [after, failed] = std::from_chars(at, end, extent);
    if (failed != std::errc() || extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
    type.shape.push_back(extent);
    at = after;
    if (at == end) break;
    if (*at != ',' || at + 1 == end) return std::nullopt;
    ++at;
  }
  return type;
}

}  // namespace cosim::graph
