// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/float_ops.h"

#include <algorithm>
#include <cmath>

#include "compiler/host/broadcast.h"
#include "compiler/host/spatial_define.h"
#include "compiler/ops/statistics.h"

namespace cosim::host {
namespace {

Types SameFloat(Operands in) {
  return in[0].type.dtype == DType::kFloat32 ? One(in[0].type) : Refuse("input must be float32");
}

template <typename F>
HostOperatorPtr FloatPairs(const char* name, F f) {
  return Make(
      name, 2, 2,
      [](Operands in) {
        for (const HostOperand& operand : in)
          if (operand.type.dtype != DType::kFloat32) return Refuse("operands must be float32");
        return InferBroadcast(in, DType::kFloat32);
      },
      [f](Values in, Results out) {
        const auto a = in[0]->data<float>(), b = in[1]->data<float>();
        const auto to = out[0].mutable_data<float>();
        ForEachBroadcast(in, out[0].shape(), [&](int64_t i, int64_t x, int64_t y) { to[i] = f(a[x], b[y]); });
      },
      {}, DefineMap([f](const std::vector<tir::Expr>& v) { return f(v[0], v[1]); }));
}

}  // namespace

HostOperatorPtr ClampFloat(float low, float high) {
  return Make(
      fmt::format("clamp low={} high={}", low, high), 1, 1, SameFloat,
      [=](Values in, Results out) {
        const auto x = in[0]->data<float>();
        std::transform(x.begin(), x.end(), out[0].mutable_data<float>().begin(),
                       [=](float v) { return std::min(std::max(v, low), high); });
      },
      {}, DefineMap([=](const std::vector<tir::Expr>& v) {
        return Min(Max(v[0], tir::Float(low)), tir::Float(high));
      }));
}

HostOperatorPtr SoftmaxFloat(float beta) {
  return Make(
      "softmax", 1, 1,
      [](Operands in) {
        return in[0].type.shape.empty() ? Refuse("input must have at least 1 dimension") : SameFloat(in);
      },
      [=](Values in, Results out) {
        const int64_t n = in[0]->shape().back();
        const auto x = in[0]->data<float>();
        const auto y = out[0].mutable_data<float>();
        for (int64_t row = 0; row < in[0]->size(); row += n) {
          const float most = *std::max_element(x.begin() + row, x.begin() + row + n);
          float sum = 0;
          for (int64_t i = row; i < row + n; ++i) sum += y[i] = std::exp((x[i] - most) * beta);
          for (int64_t i = row; i < row + n; ++i) y[i] /= sum;
        }
      },
      {},
      [=](const ops::HostSite& site) {
        ops::Over over(site.in[0].shape().size(), false);
        over.back() = true;
        return ops::SoftmaxOver(site.name, site.in[0], over, beta, false);
      });
}

HostOperatorPtr AveragePoolFloat(const Window2d& window) {
  return Make(
      "average_pool", 1, 1,
      [=](Operands in) {
        const TensorType& x = in[0].type;
        if (x.dtype != DType::kFloat32 || x.shape.size() != 4)
          return Refuse("input must be float32 [N,C,H,W]");
        const auto shape = WindowShape(window, x.shape, x.shape[1]);
        return shape ? One(DType::kFloat32, *shape)
                     : Refuse("the window does not fit into {}", ToString(x.shape));
      },
      [=](Values in, Results out) {
        const Shape &x = in[0]->shape(), &y = out[0].shape();
        const auto from = in[0]->data<float>();
        auto to = out[0].mutable_data<float>().begin();
        for (int64_t plane = 0; plane < x[0] * x[1]; ++plane)
          for (int64_t oy = 0; oy < y[2]; ++oy)
            for (int64_t ox = 0; ox < y[3]; ++ox) {
              const Span2d span = SpanAt(window, x, oy, ox);
              float sum = 0;
              for (int64_t i = span.top; i < span.bottom; ++i)
                for (int64_t j = span.left; j < span.right; ++j) sum += from[(plane * x[2] + i) * x[3] + j];
              *to++ = sum / static_cast<float>(span.count());
            }
      },
      {},
      [=](const ops::HostSite& site) {
        const Shape& x = site.operands[0].type.shape;
        return DefinePool(Pool::kAverage, 0, SlidingOf(window), {{0, 0}, {x[2], x[3]}}, site);
      });
}

HostOperatorPtr AddFloat() {
  return FloatPairs("add", [](const auto& a, const auto& b) { return a + b; });
}
HostOperatorPtr SubtractFloat() {
  return FloatPairs("subtract", [](const auto& a, const auto& b) { return a - b; });
}
HostOperatorPtr MultiplyFloat() {
  return FloatPairs("multiply", [](const auto& a, const auto& b) { return a * b; });
}

}  // namespace cosim::host
