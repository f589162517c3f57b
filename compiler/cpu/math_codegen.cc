// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/math_codegen.h"

#include <llvm/IR/Intrinsics.h>

#include <initializer_list>

#include "isa/check.h"

namespace cosim::cpu {
namespace {

using llvm::Value;

class Polynomials {
 public:
  Polynomials(Value* like, llvm::IRBuilder<>& builder) : type_(like->getType()), b_(builder) {}

  /// 2^n exp(r), where x = n ln 2 + r, |r| <= ln 2 / 2.
  Value* Exp(Value* x) {
    x = AtLeast(AtMost(x, 100), -110);  // beyond which results are infinite or 0 all the same
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    Value* shifted = MultiplyAdd(x, Real(0x1.715476p+0), Real(kShifter));
    Value* n = b_.CreateFSub(shifted, Real(kShifter));
    // ln 2 in two parts, the first of so few bits that n times it is exact.
    Value* r = MultiplyAdd(n, Real(-0x1.62e4p-1), x);
    r = MultiplyAdd(n, Real(-0x1.7f7d1cp-20), r);
    Value* p = Horner(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                          5.0000001201e-1});
    p = b_.CreateFAdd(MultiplyAdd(p, b_.CreateFMul(r, r), r), Real(1));
    // 2^n in two factors, because n reaches beyond the exponents of float32.
    Value* integer = b_.CreateSub(Bits(shifted), Bits(Real(kShifter)));
    Value* half = b_.CreateAShr(integer, Integer(1));
    return b_.CreateFMul(b_.CreateFMul(p, PowerOfTwo(half)), PowerOfTwo(b_.CreateSub(integer, half)));
  }

  /// x + x p(x^2) near 0, else 1 - exp(-q(|x|)) with the sign of x.
  Value* Erf(Value* x) {
    Value* t = Absolute(x);
    Value* s = b_.CreateFMul(x, x);
    Value* near = Horner(
        s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
    near = MultiplyAdd(near, x, x);
    Value* bounded = AtMost(t, 8);  // where 1 is reached long before
    Value* far = Horner(bounded, {-1.72853470e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2,
                                  -1.06777877e-1, -6.34846687e-1, -1.28717512e-1});
    far = Exp(MultiplyAdd(far, bounded, b_.CreateFNeg(bounded)));
    far = b_.CreateFSub(Real(1), far);
    return WithSignOf(x, b_.CreateSelect(b_.CreateFCmpOGT(t, Real(0.927734375)), far, near));
  }

  /// x + x^3 p(x^2) near 0, else 1 - 2 / (exp(2 |x|) + 1) with the sign of x.
  Value* Tanh(Value* x) {
    Value* t = Absolute(x);
    Value* s = b_.CreateFMul(x, x);
    Value* near = Horner(
        s, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
    near = MultiplyAdd(b_.CreateFMul(near, s), x, x);
    Value* power = b_.CreateFAdd(Exp(b_.CreateFAdd(t, t)), Real(1));
    Value* far = b_.CreateFSub(Real(1), b_.CreateFDiv(Real(2), power));
    return WithSignOf(x, b_.CreateSelect(b_.CreateFCmpOGT(t, Real(0.625)), far, near));
  }

 private:
  static constexpr double kShifter = 0x1.8p+23;

  Value* Real(double value) { return llvm::ConstantFP::get(type_, value); }
  llvm::Type* IntegerType() { return type_->getWithNewType(b_.getInt32Ty()); }
  Value* Integer(uint64_t value) { return llvm::ConstantInt::get(IntegerType(), value); }
  Value* Bits(Value* x) { return b_.CreateBitCast(x, IntegerType()); }

  Value* MultiplyAdd(Value* a, Value* b, Value* c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {type_}, {a, b, c});
  }
  /// Coefficients of the highest power first.
  Value* Horner(Value* x, std::initializer_list<double> coefficients) {
    Value* sum = nullptr;
    for (const double c : coefficients) sum = sum ? MultiplyAdd(sum, x, Real(c)) : Real(c);
    return sum;
  }

  // NaN stays NaN.
  Value* AtMost(Value* x, double bound) {
    return b_.CreateSelect(b_.CreateFCmpOGT(x, Real(bound)), Real(bound), x);
  }
  Value* AtLeast(Value* x, double bound) {
    return b_.CreateSelect(b_.CreateFCmpOLT(x, Real(bound)), Real(bound), x);
  }
  Value* Absolute(Value* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value* WithSignOf(Value* x, Value* value) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, x);
  }
  /// 2^n for n from -126 to 127.
  Value* PowerOfTwo(Value* n) {
    return b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(n, Integer(127)), Integer(23)), type_);
  }

  llvm::Type* type_;
  llvm::IRBuilder<>& b_;
};

}  // namespace

bool HasPolynomial(tir::MathFn fn) {
  return fn == tir::MathFn::kExp || fn == tir::MathFn::kErf || fn == tir::MathFn::kTanh;
}

// Adding 2^23 to a float32 (2^52 to a float64) leaves no bits behind the point, and the processor rounds.
Value* EmitRoundHalfEven(Value* x, llvm::IRBuilder<>& builder) {
  const bool is_single = x->getType()->getScalarType()->isFloatTy();
  COSIM_CHECK(is_single || x->getType()->getScalarType()->isDoubleTy(), "a rounding of another float");
  Value* limit = llvm::ConstantFP::get(x->getType(), is_single ? 0x1p+23 : 0x1p+52);
  const auto with_sign = [&](Value* value) {
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, x);
  };
  Value* shift = with_sign(limit);
  Value* rounded = with_sign(builder.CreateFSub(builder.CreateFAdd(x, shift), shift));  // -0.3 becomes -0
  Value* size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  return builder.CreateSelect(builder.CreateFCmpOLT(size, limit), rounded, x);
}

Value* EmitPolynomial(tir::MathFn fn, Value* x, llvm::IRBuilder<>& builder) {
  COSIM_CHECK(x->getType()->getScalarType()->isFloatTy(), "a polynomial of another type than float32");
  Polynomials polynomials(x, builder);
  switch (fn) {
    case tir::MathFn::kExp:
      return polynomials.Exp(x);
    case tir::MathFn::kErf:
      return polynomials.Erf(x);
    case tir::MathFn::kTanh:
      return polynomials.Tanh(x);
    default:
      COSIM_CHECK(false, "no polynomial of function {}", static_cast<int>(fn));
  }
}

}  // namespace cosim::cpu
