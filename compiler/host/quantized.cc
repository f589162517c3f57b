// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "compiler/host/numeric.h"
#include "compiler/host/quantized_define.h"

namespace cosim::host {
namespace {

/// Which scale each element has: of one, or of one for each index of `axis`.
class Channels {
 public:
  Channels(const Shape& x, int64_t axis, int64_t scales)
      : view_(x, x.empty() ? 0 : AxisOf(axis, x.size()).value_or(0)), one_(scales == 1) {}
  int64_t Of(int64_t i) const { return one_ ? 0 : i / view_.inner % view_.extent; }

 private:
  struct View {
    int64_t extent = 1, inner = 1;
    View(const Shape& x, size_t axis) {
      if (x.empty()) return;
      const AroundAxis around(x, axis);
      extent = around.extent;
      inner = around.inner;
    }
  };
  View view_;
  bool one_;
};

std::string AxisFault(const HostOperand& x, const HostOperand& scale, int64_t axis) {
  const int64_t count = graph::NumElements(scale.type.shape);
  if (scale.type.dtype != DType::kFloat32) return "its scale must be float32";
  if (count == 1) return "";
  const auto at = AxisOf(axis, x.type.shape.size());
  if (!at || x.type.shape[*at] != count || scale.type.shape.size() != 1)
    return fmt::format("scales {} for axis {} of {}", ToString(scale.type.shape), axis,
                       ToString(x.type.shape));
  return "";
}

}  // namespace

std::string ZeroPointFault(const HostOperand& zero, const TensorType& values, int64_t channels) {
  if (zero.absent) return "";
  const int64_t count = graph::NumElements(zero.type.shape);
  if (zero.type.dtype != values.dtype || (count != 1 && count != channels))
    return fmt::format("zero point {} of {}", ToString(zero.type), ToString(values));
  return "";
}

std::string ScaleFault(const HostOperand& scale, int64_t channels) {
  const int64_t count = graph::NumElements(scale.type.shape);
  if (scale.type.dtype != DType::kFloat32 || (count != 1 && count != channels))
    return fmt::format("scale {}", ToString(scale.type));
  return "";
}

void StoreStep(Tensor& to, int64_t i, double value) {
  graph::WithElementType(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto least = static_cast<double>(std::numeric_limits<T>::min()),
                 most = static_cast<double>(std::numeric_limits<T>::max());
      to.mutable_data<T>()[i] = static_cast<T>(std::isnan(value) ? 0 : std::clamp(value, least, most));
    }
  });
}

HostOperatorPtr QuantizeLinear(int64_t axis) {
  return Make(
      "quantize_linear", 2, 3,
      [=](Operands in) {
        if (in[0].type.dtype != DType::kFloat32) return Refuse("input must be float32");
        if (const std::string fault = AxisFault(in[0], in[1], axis); !fault.empty()) return Types{fault};
        const DType dtype = in[2].absent ? DType::kUint8 : in[2].type.dtype;
        if (!IsStepType(dtype)) return Refuse("its zero point is {}", Name(dtype));
        if (!in[2].absent && graph::NumElements(in[2].type.shape) != graph::NumElements(in[1].type.shape))
          return Refuse("scale and zero point differ in shape");
        return One(dtype, in[0].type.shape);
      },
      [=](Values in, Results out) {
        const auto x = in[0]->data<float>(), scale = in[1]->data<float>();
        const auto zero = in[2] ? Integers(*in[2]) : std::vector<int64_t>(scale.size(), 0);
        const Channels channels(in[0]->shape(), axis, static_cast<int64_t>(scale.size()));
        for (int64_t i = 0; i < in[0]->size(); ++i) {
          const int64_t c = channels.Of(i);
          StoreStep(out[0], i,
                    std::nearbyint(static_cast<double>(x[i] / scale[c])) + static_cast<double>(zero[c]));
        }
      },
      {}, [=](const ops::HostSite& site) { return DefineQuantizeLinear(axis, site); });
}

HostOperatorPtr DequantizeLinear(int64_t axis) {
  return Make(
      "dequantize_linear", 2, 3,
      [=](Operands in) {
        const DType dtype = in[0].type.dtype;
        if (!IsStepType(dtype) && dtype != DType::kInt32) return Refuse("input is {}", Name(dtype));
        if (const std::string fault = AxisFault(in[0], in[1], axis); !fault.empty()) return Types{fault};
        if (!in[2].absent && (graph::NumElements(in[2].type.shape) != graph::NumElements(in[1].type.shape) ||
                              in[2].type.dtype != dtype))
          return Refuse("zero point {}", ToString(in[2].type));
        return One(DType::kFloat32, in[0].type.shape);
      },
      [=](Values in, Results out) {
        const auto q = Integers(*in[0]);
        const auto scale = in[1]->data<float>();
        const auto zero = in[2] ? Integers(*in[2]) : std::vector<int64_t>(scale.size(), 0);
        const Channels channels(in[0]->shape(), axis, static_cast<int64_t>(scale.size()));
        const auto to = out[0].mutable_data<float>();
        for (size_t i = 0; i < q.size(); ++i) {
          const int64_t c = channels.Of(static_cast<int64_t>(i));
          to[i] = static_cast<float>(q[i] - zero[c]) * scale[c];
        }
      },
      {}, [=](const ops::HostSite& site) { return DefineDequantizeLinear(axis, site); });
}

HostOperatorPtr DynamicQuantizeLinear() {
  return Make(
      "dynamic_quantize_linear", 1, 1,
      [](Operands in) {
        if (in[0].type.dtype != DType::kFloat32) return Refuse("input must be float32");
        return Types{std::vector<TensorType>{
            {DType::kUint8, in[0].type.shape}, {DType::kFloat32, {}}, {DType::kUint8, {}}}};
      },
      [](Values in, Results out) {
        float low = 0, high = 0;
        for (float v : in[0]->data<float>()) {
          low = std::min(low, v);
          high = std::max(high, v);
        }
        const float scale = (high - low) / 255.0f;
        const float zero = scale == 0 ? 0 : std::nearbyint(std::clamp(-low / scale, 0.0f, 255.0f));
        out[1].mutable_data<float>()[0] = scale;
        StoreStep(out[2], 0, static_cast<double>(zero));
        for (int64_t i = 0; i < in[0]->size(); ++i) {
          const float steps = scale == 0 ? 0 : std::nearbyint(in[0]->data<float>()[i] / scale);
          StoreStep(out[0], i, static_cast<double>(steps + zero));
        }
      });
}

HostOperatorPtr OnBytes(std::string name, HostOperatorPtr op, size_t count) {
  return Make(
      std::move(name), 3 * count + 1, 3 * count + 2,
      [=](Operands in) {
        std::vector<HostOperand> real;
        for (size_t k = 0; k < count; ++k) {
          const HostOperand& x = in[3 * k];
          if (!IsStepType(x.type.dtype)) return Refuse("operands must be integers of 8 or 16 bits");
          if (const std::string fault = ZeroPointFault(in[3 * k + 2], x.type, 1); !fault.empty())
            return Types{fault};
          if (const std::string fault = ScaleFault(in[3 * k + 1], 1); !fault.empty()) return Types{fault};
          real.push_back({{DType::kFloat32, x.type.shape}});
        }
        const HostOperand& zero = in[3 * count + 1];
        if (const std::string fault = ScaleFault(in[3 * count], 1); !fault.empty()) return Types{fault};
        if (!zero.absent && (!IsStepType(zero.type.dtype) || graph::NumElements(zero.type.shape) != 1))
          return Refuse("zero point {}", ToString(zero.type));
        auto types = op->Infer(real);
        if (types.index() == 1) return types;
        return One(zero.absent ? in[0].type.dtype : zero.type.dtype, std::get<0>(types)[0].shape);
      },
      [=](Values in, Results out) {
        std::vector<Tensor> real;
        std::vector<const Tensor*> operands;
        for (size_t k = 0; k < count; ++k) {
          real.emplace_back(TensorType{DType::kFloat32, in[3 * k]->shape()});
          const auto q = Integers(*in[3 * k]);
          const int64_t zero = in[3 * k + 2] ? Integers(*in[3 * k + 2])[0] : 0;
          const float scale = in[3 * k + 1]->data<float>()[0];
          for (size_t i = 0; i < q.size(); ++i)
            real[k].mutable_data<float>()[i] = static_cast<float>(q[i] - zero) * scale;
        }
        for (const Tensor& tensor : real) operands.push_back(&tensor);
        const Tensor y = std::move(graph::Evaluate(*op, operands)[0]);
        const float scale = in[3 * count]->data<float>()[0];
        const double zero = in[3 * count + 1] ? Reals(*in[3 * count + 1])[0] : 0;
        for (int64_t i = 0; i < y.size(); ++i)
          StoreStep(out[0], i, std::nearbyint(static_cast<double>(y.data<float>()[i] / scale)) + zero);
      },
      {}, [=](const ops::HostSite& site) { return DefineOnBytes(op, count, site); });
}

HostOperatorPtr AverageOnBytes(std::string name, HostOperatorPtr average) {
  return Make(
      std::move(name), 4, 5,
      [=](Operands in) {
        const HostOperand &x = in[0], &zero = in[4];
        if (!IsStepType(x.type.dtype)) return Refuse("operands must be integers of 8 or 16 bits");
        if (const std::string fault = ZeroPointFault(in[2], x.type, 1); !fault.empty()) return Types{fault};
        for (int k : {1, 3})
          if (const std::string fault = ScaleFault(in[k], 1); !fault.empty()) return Types{fault};
        if (!zero.absent && (!IsStepType(zero.type.dtype) || graph::NumElements(zero.type.shape) != 1))
          return Refuse("zero point {}", ToString(zero.type));
        const std::vector<HostOperand> real = {{{DType::kFloat64, x.type.shape}}};
        auto types = average->Infer(real);
        if (types.index() == 1) return types;
        return One(zero.absent ? x.type.dtype : zero.type.dtype, std::get<0>(types)[0].shape);
      },
      [=](Values in, Results out) {
        const auto q = Integers(*in[0]);
        const int64_t zero = in[2] ? Integers(*in[2])[0] : 0;
        Tensor centred(TensorType{DType::kFloat64, in[0]->shape()});
        for (size_t i = 0; i < q.size(); ++i)
          centred.mutable_data<double>()[i] = static_cast<double>(q[i] - zero);
        const Tensor* operand = &centred;
        const Tensor y = std::move(graph::Evaluate(*average, {&operand, 1})[0]);
        const double from = static_cast<double>(in[1]->data<float>()[0]),
                     to = static_cast<double>(in[3]->data<float>()[0]), offset = in[4] ? Reals(*in[4])[0] : 0;
        for (int64_t i = 0; i < y.size(); ++i)
          StoreStep(out[0], i, std::nearbyint(y.data<double>()[i] * from / to) + offset);
      },
      {}, [=](const ops::HostSite& site) { return DefineAverageOnBytes(average, site); });
}

}  // namespace cosim::host
