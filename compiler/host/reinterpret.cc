// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/reinterpret.h"

#include <algorithm>

namespace cosim::host {

HostOperatorPtr Bitcast(DType to) {
  return Make(
      fmt::format("bitcast to={}", Name(to)), 1, 1,
      [=](Operands in) {
        const TensorType& x = in[0].type;
        if (x.dtype == DType::kBool || to == DType::kBool) return Refuse("bool has no bits");
        const int64_t from_size = graph::SizeOf(x.dtype), to_size = graph::SizeOf(to);
        Shape shape = x.shape;
        if (from_size > to_size) {
          shape.push_back(from_size / to_size);
        } else if (from_size < to_size) {
          if (shape.empty() || shape.back() != to_size / from_size)
            return Refuse("{} does not end in {} elements", ToString(x), to_size / from_size);
          shape.pop_back();
        }
        return One(to, std::move(shape));
      },
      [](Values in, Results out) { std::ranges::copy(in[0]->bytes(), out[0].mutable_bytes().begin()); });
}

}  // namespace cosim::host
