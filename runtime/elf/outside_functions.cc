// SPDX-License-Identifier: Apache-2.0
#include "runtime/elf/outside_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <iterator>

// clang-format off
// The C library's: what loops become (memcpy), and functions by which LLVM replaces others (sincos for sin and
// cos of one number).
#define COSIM_C_FUNCTIONS(X)                                                                \
  X(abort) X(aligned_alloc) X(free) X(memcpy) X(memmove) X(memset) X(memcmp)                \
  X(sincos) X(sincosf)

// On double, and on float with an f behind the name.
#define COSIM_MATH_OF_ONE(X)                                                                \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(cbrt) X(sin) X(cos)    \
  X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf)  \
  X(erfc) X(floor) X(ceil) X(trunc) X(round) X(roundeven) X(rint) X(nearbyint) X(fabs)
#define COSIM_MATH_OF_TWO(X)                                                                \
  X(pow) X(fmod) X(fmin) X(fmax) X(copysign) X(atan2) X(hypot)

// The compiler's own on 32-bit ARM, which has no instruction to divide, none for 64-bit integers as floats.
#define COSIM_ARM_FUNCTIONS(X)                                                              \
  X(__aeabi_idiv) X(__aeabi_uidiv) X(__aeabi_idivmod) X(__aeabi_uidivmod)                   \
  X(__aeabi_ldivmod) X(__aeabi_uldivmod) X(__aeabi_lmul) X(__aeabi_llsl) X(__aeabi_llsr)    \
  X(__aeabi_lasr) X(__aeabi_l2f) X(__aeabi_l2d) X(__aeabi_ul2f) X(__aeabi_ul2d)             \
  X(__aeabi_f2lz) X(__aeabi_d2lz) X(__aeabi_f2ulz) X(__aeabi_d2ulz)
// clang-format on

#ifdef __arm__
#define COSIM_DECLARE(name) extern "C" void name();  // of whatever type: only addresses are taken
COSIM_ARM_FUNCTIONS(COSIM_DECLARE)
#undef COSIM_DECLARE
#endif

namespace cosim::runtime::elf {
namespace {

struct Function {
  std::string_view name;
  void* address;
};

template <typename F>
void* Address(F* function) {
  return reinterpret_cast<void*>(function);
}

#define COSIM_AS_IT_IS(name) {#name, Address(&::name)},
// C++ has these names for both types.
#define COSIM_OF_ONE(name)                                    \
  {#name, Address(static_cast<double (*)(double)>(&::name))}, \
      {#name "f", Address(static_cast<float (*)(float)>(&::name##f))},
#define COSIM_OF_TWO(name)                                            \
  {#name, Address(static_cast<double (*)(double, double)>(&::name))}, \
      {#name "f", Address(static_cast<float (*)(float, float)>(&::name##f))},

// clang-format off
const Function kFunctions[] = {
    COSIM_C_FUNCTIONS(COSIM_AS_IT_IS)
    COSIM_MATH_OF_ONE(COSIM_OF_ONE)
    COSIM_MATH_OF_TWO(COSIM_OF_TWO)
    {"fma", Address(static_cast<double (*)(double, double, double)>(&::fma))},
    {"fmaf", Address(static_cast<float (*)(float, float, float)>(&::fmaf))},
    {"ldexp", Address(static_cast<double (*)(double, int)>(&::ldexp))},
    {"ldexpf", Address(static_cast<float (*)(float, int)>(&::ldexpf))},
#ifdef __arm__
    COSIM_ARM_FUNCTIONS(COSIM_AS_IT_IS)
#endif
};
// clang-format on

#define COSIM_NAME(name) #name,
constexpr std::string_view kArmNames[] = {COSIM_ARM_FUNCTIONS(COSIM_NAME)};

}  // namespace

void* FindOutside(std::string_view name) {
  const auto* at = std::ranges::find(kFunctions, name, &Function::name);
  return at == std::end(kFunctions) ? nullptr : at->address;
}

bool IsOutside(std::string_view architecture, std::string_view name) {
  const bool is_compilers = std::ranges::find(kArmNames, name) != std::end(kArmNames);
  return is_compilers ? architecture == "arm" : FindOutside(name) != nullptr;
}

}  // namespace cosim::runtime::elf
