// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_peak.h"

#include <algorithm>
#include <cstdint>

#include "runtime/executor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cosim::runtime {
namespace {

// A multiply-add takes four cycles or five, and two begin in each: so many independent sums keep both units
// busy, and still fit sixteen registers.
constexpr int kSums = 12;
constexpr int64_t kIterations = 50'000;
constexpr int kStretches = 40;

#if defined(__x86_64__)
#define COSIM_REGISTER "v"
#else
#define COSIM_REGISTER "w"
#endif

// kSums multiply-adds an iteration. Operands go through `asm` each time, which the compiler cannot look into:
// it neither computes a product once for all nor drops a sum.
#define COSIM_PEAK_LOOP(NAME, TARGET, SET, STEP)                                            \
  TARGET void NAME() {                                                                      \
    auto a = SET(1), b = SET(0);                                                            \
    decltype(a) sums[kSums];                                                                \
    for (auto& sum : sums) sum = SET(0);                                                    \
    for (int64_t i = 0; i < kIterations; ++i) {                                             \
      _Pragma("GCC unroll 12") for (int s = 0; s < kSums; ++s) {                            \
        sums[s] = STEP(sums[s], a, b);                                                      \
        asm volatile("" : "+" COSIM_REGISTER(a), "+" COSIM_REGISTER(b));                    \
      }                                                                                     \
    }                                                                                       \
    _Pragma("GCC unroll 12") for (auto& sum : sums) asm volatile("" ::COSIM_REGISTER(sum)); \
  }

struct Loop {
  void (*run)();
  int lanes;
  const char* name;
};

#if defined(__x86_64__)
#define COSIM_TARGET(FEATURES) __attribute__((target(FEATURES)))
#define COSIM_FMA512(SUM, A, B) _mm512_fmadd_ps(A, B, SUM)
#define COSIM_FMA256(SUM, A, B) _mm256_fmadd_ps(A, B, SUM)
#define COSIM_PAIRS256(SUM, A, B) _mm256_add_epi32(SUM, _mm256_madd_epi16(A, B))
#define COSIM_FMA128(SUM, A, B) _mm_add_ps(SUM, _mm_mul_ps(A, B))
#define COSIM_PAIRS128(SUM, A, B) _mm_add_epi32(SUM, _mm_madd_epi16(A, B))
COSIM_PEAK_LOOP(Avx512Float, COSIM_TARGET("avx512f"), _mm512_set1_ps, COSIM_FMA512)
COSIM_PEAK_LOOP(Avx512Vnni, COSIM_TARGET("avx512f,avx512vnni"), _mm512_set1_epi32, _mm512_dpbusd_epi32)
COSIM_PEAK_LOOP(Avx2Float, COSIM_TARGET("avx2,fma"), _mm256_set1_ps, COSIM_FMA256)
COSIM_PEAK_LOOP(Avx2Integer, COSIM_TARGET("avx2"), _mm256_set1_epi32, COSIM_PAIRS256)
COSIM_PEAK_LOOP(SseFloat, , _mm_set1_ps, COSIM_FMA128)
COSIM_PEAK_LOOP(SseInteger, , _mm_set1_epi32, COSIM_PAIRS128)

Loop FloatLoop() {
  if (__builtin_cpu_supports("avx512f"))
    return {Avx512Float, 16, "AVX-512 fused multiply-add, 16 lanes of float32"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {Avx2Float, 8, "AVX2 fused multiply-add, 8 lanes of float32"};
  return {SseFloat, 4, "SSE multiply and add, 4 lanes of float32"};
}

Loop IntegerLoop() {
  if (__builtin_cpu_supports("avx512vnni")) return {Avx512Vnni, 64, "VNNI dot product, 64 lanes of int8"};
  if (__builtin_cpu_supports("avx2"))
    return {Avx2Integer, 16, "AVX2 multiply and add pairs, 16 lanes of int16"};
  return {SseInteger, 8, "SSE2 multiply and add pairs, 8 lanes of int16"};
}
#else
using FloatVector = float __attribute__((vector_size(16)));
using IntegerVector = int32_t __attribute__((vector_size(16)));
FloatVector SetFloat(float x) { return FloatVector{x, x, x, x}; }
IntegerVector SetInteger(int32_t x) { return IntegerVector{x, x, x, x}; }
#define COSIM_MULTIPLY_ADD(SUM, A, B) (SUM + A * B)
COSIM_PEAK_LOOP(FloatSums, , SetFloat, COSIM_MULTIPLY_ADD)
COSIM_PEAK_LOOP(IntegerSums, , SetInteger, COSIM_MULTIPLY_ADD)

Loop FloatLoop() { return {FloatSums, 4, "multiply and add, 4 lanes of float32"}; }
Loop IntegerLoop() { return {IntegerSums, 4, "multiply and add, 4 lanes of int32"}; }
#endif

double FastestGops(const Loop& loop) {
  loop.run();  // for the clock to rise
  double least = 0;
  for (int i = 0; i < kStretches; ++i) {
    const double begin = CpuSeconds();
    loop.run();
    const double seconds = CpuSeconds() - begin;
    least = i == 0 ? seconds : std::min(least, seconds);
  }
  return 2.0 * loop.lanes * kSums * static_cast<double>(kIterations) / least * 1e-9;
}

}  // namespace

HostPeak MeasureHostPeak() {
  const Loop floats = FloatLoop(), integers = IntegerLoop();
  return {FastestGops(floats), FastestGops(integers), floats.name, integers.name};
}

}  // namespace cosim::runtime
