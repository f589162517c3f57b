// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/bitwise.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/host/broadcast.h"
#include "compiler/host/numeric.h"
#include "compiler/tir/arithmetic.h"

namespace cosim::host {
namespace {

bool HasBits(DType dtype) { return !IsFloat(dtype) && dtype != DType::kBool; }

template <typename T>
T CombinedBits(Bitwise op, T a, T b) {
  switch (op) {
    case Bitwise::kAnd:
      return static_cast<T>(a & b);
    case Bitwise::kOr:
      return static_cast<T>(a | b);
    case Bitwise::kXor:
      break;
  }
  return static_cast<T>(a ^ b);
}

tir::BinaryOp OperationOf(Bitwise op) {
  return op == Bitwise::kAnd  ? tir::BinaryOp::kAnd
         : op == Bitwise::kOr ? tir::BinaryOp::kOr
                              : tir::BinaryOp::kXor;
}

/// f(T()) for the integers.
template <typename F>
void WithInteger(DType dtype, F&& f) {
  Dispatch(dtype, [&](auto zero) {
    if constexpr (std::is_integral_v<decltype(zero)>) f(zero);
  });
}

float Shortened(float v) {
  if (std::isnan(v)) return v;
  const auto bits = std::bit_cast<uint32_t>(v);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

}  // namespace

HostOperatorPtr CombineBits(std::string name, Bitwise op) {
  return Make(
      std::move(name), 2, 2,
      [](Operands in) {
        const DType dtype = in[0].type.dtype;
        if (!HasBits(dtype) || in[1].type.dtype != dtype)
          return Refuse("operands are {} and {}", Name(dtype), Name(in[1].type.dtype));
        return InferBroadcast(in, dtype);
      },
      [op](Values in, Results out) {
        WithInteger(out[0].dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto a = in[0]->data<T>(), b = in[1]->data<T>();
          const auto to = out[0].mutable_data<T>();
          ForEachBroadcast(in, out[0].shape(),
                           [&](int64_t i, int64_t x, int64_t y) { to[i] = CombinedBits<T>(op, a[x], b[y]); });
        });
      },
      {},
      DefineMap([op](const std::vector<tir::Expr>& v) { return MakeBinary(OperationOf(op), v[0], v[1]); }));
}

HostOperatorPtr ShiftBitsRight() {
  return Make(
      "right_shift", 2, 2,
      [](Operands in) {
        const DType dtype = in[0].type.dtype;
        if (!HasBits(dtype) || graph::SizeOf(dtype) > 4 || in[1].type.dtype != dtype)
          return Refuse("operands are {} and {}", Name(dtype), Name(in[1].type.dtype));
        return InferBroadcast(in, dtype);
      },
      [](Values in, Results out) {
        WithInteger(out[0].dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto a = in[0]->data<T>(), b = in[1]->data<T>();
          const auto to = out[0].mutable_data<T>();
          constexpr int64_t kMost = 8 * sizeof(T) - 1;
          ForEachBroadcast(in, out[0].shape(), [&](int64_t i, int64_t x, int64_t y) {
            to[i] = static_cast<T>(static_cast<int64_t>(a[x]) >>
                                   std::clamp<int64_t>(static_cast<int64_t>(b[y]), 0, kMost));
          });
        });
      },
      {}, DefineMap([](const std::vector<tir::Expr>& v) {
        const tir::DataType type = v[0]->type, wide = tir::DataType::Int(64);
        const tir::Expr by = Max(Min(MakeCast(wide, v[1]), tir::Int(type.bits - 1, wide)), tir::Int(0, wide));
        return MakeCast(type, ShiftRight(MakeCast(wide, v[0]), by));
      }));
}

HostOperatorPtr InvertBits() {
  return Make(
      "bitwise_not", 1, 1,
      [](Operands in) {
        return HasBits(in[0].type.dtype) ? One(in[0].type) : Refuse("input is {}", Name(in[0].type.dtype));
      },
      [](Values in, Results out) {
        WithInteger(out[0].dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto x = in[0]->data<T>();
          const auto to = out[0].mutable_data<T>();
          for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(~x[i]);
        });
      },
      {}, DefineMap([](const std::vector<tir::Expr>& v) {
        const tir::DataType type = v[0]->type;
        return MakeBinary(tir::BinaryOp::kXor, v[0], tir::Int(tir::WrapTo(-1, type), type));
      }));
}

HostOperatorPtr RoundToBfloat16() {
  return Make(
      "round_to_bfloat16", 1, 1,
      [](Operands in) {
        return in[0].type.dtype == DType::kFloat32 ? One(in[0].type) : Refuse("input must be float32");
      },
      [](Values in, Results out) {
        const auto x = in[0]->data<float>();
        const auto to = out[0].mutable_data<float>();
        for (size_t i = 0; i < to.size(); ++i) to[i] = Shortened(x[i]);
      });
}

}  // namespace cosim::host
