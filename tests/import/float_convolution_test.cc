// SPDX-License-Identifier: Apache-2.0
// Every bit of the reference convolution is that of one sum after the other.
#include "compiler/host/float_convolution.h"

#include <gmock/gmock.h>

#include <random>

namespace cosim::host {
namespace {

std::vector<float> Draw(std::mt19937& random, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = std::uniform_real_distribution<float>(-3, 3)(random);
  return values;
}

/// Some taps of some pixels stand outside.
FloatConvolution Make(std::mt19937& random, int64_t batch, int64_t groups, int64_t channels, int64_t outputs,
                      int64_t taps, int64_t pixels) {
  FloatConvolution c{batch, groups, channels, outputs, /*plane=*/50, taps, {}};
  for (int64_t i = 0; i < taps * pixels; ++i)
    c.places.push_back(std::uniform_int_distribution<int64_t>(-1, c.plane - 1)(random));
  return c;
}

/// y[n, o, p] one by one.
std::vector<float> Plainly(const FloatConvolution& c, const std::vector<float>& x,
                           const std::vector<float>& w, const float* bias) {
  std::vector<float> y;
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t o = 0; o < c.groups * c.outputs; ++o)
      for (int64_t p = 0; p < c.pixels(); ++p) {
        double sum = bias ? static_cast<double>(bias[o]) : 0;
        for (int64_t k = 0; k < c.channels; ++k)
          for (int64_t t = 0; t < c.taps; ++t) {
            const int64_t place = c.places[p * c.taps + t];
            const int64_t channel = (n * c.groups + o / c.outputs) * c.channels + k;
            if (place >= 0)
              sum += static_cast<double>(x[channel * c.plane + place]) *
                     static_cast<double>(w[(o * c.channels + k) * c.taps + t]);
          }
        y.push_back(static_cast<float>(sum));
      }
  return y;
}

TEST(FloatConvolution, IsTheSumsInTheirOrder) {
  std::mt19937 random(1);
  struct Case {
    int64_t batch, groups, channels, outputs, taps, pixels;
  };
  for (const Case& c : {Case{1, 1, 3, 16, 9, 48}, Case{2, 1, 5, 17, 4, 49}, Case{1, 3, 2, 5, 9, 7},
                        Case{1, 1, 1, 1, 1, 1}, Case{2, 4, 1, 1, 9, 13}, Case{1, 2, 7, 40, 1, 100}}) {
    const FloatConvolution convolution =
        Make(random, c.batch, c.groups, c.channels, c.outputs, c.taps, c.pixels);
    const auto x = Draw(random, c.batch * c.groups * c.channels * convolution.plane);
    const auto w = Draw(random, c.groups * c.outputs * c.channels * c.taps);
    const auto bias = Draw(random, c.groups * c.outputs);
    for (const float* biases : {static_cast<const float*>(nullptr), bias.data()}) {
      std::vector<float> y(static_cast<size_t>(c.batch * c.groups * c.outputs * c.pixels), -1);
      convolution.Run(x.data(), w.data(), biases, y.data());
      EXPECT_EQ(y, Plainly(convolution, x, w, biases))
          << c.outputs << " outputs of " << c.groups << " groups";
    }
  }
}

}  // namespace
}  // namespace cosim::host
