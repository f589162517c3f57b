// SPDX-License-Identifier: Apache-2.0
// Resize, sums of products over named dimensions, recurrent layers.
#include <cmath>

#include "compiler/host/einsum.h"
#include "compiler/host/recurrent.h"
#include "compiler/host/resize.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::HostOperatorPtr;

HostOperatorPtr MakeResize(NodeView& n) {
  host::ResizeAttributes r;
  const std::string mode = n.Text("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "cubic") return n.Fail("mode " + mode);
  if (n.Has("axes") || n.Text("keep_aspect_ratio_policy", "stretch") != "stretch")
    return n.Fail("axes, or a policy that keeps proportions");
  r.interpolation = mode == "linear"  ? host::Interpolation::kLinear
                    : mode == "cubic" ? host::Interpolation::kCubic
                                      : host::Interpolation::kNearest;
  // Before operator set 11: elements stand where their indices say, and the nearest is the one below.
  const bool old = n.opset() < 11;
  using host::Coordinates;
  static const std::map<std::string, Coordinates> places = {
      {"half_pixel", Coordinates::kHalfPixel},
      {"half_pixel_symmetric", Coordinates::kHalfPixelSymmetric},
      {"pytorch_half_pixel", Coordinates::kPytorchHalfPixel},
      {"align_corners", Coordinates::kAlignCorners},
      {"asymmetric", Coordinates::kAsymmetric},
      {"tf_half_pixel_for_nn", Coordinates::kTfHalfPixel},
      {"tf_crop_and_resize", Coordinates::kTfCropAndResize}};
  static const std::map<std::string, host::Nearest> roundings = {
      {"round_prefer_floor", host::Nearest::kRoundPreferFloor},
      {"round_prefer_ceil", host::Nearest::kRoundPreferCeil},
      {"floor", host::Nearest::kFloor},
      {"ceil", host::Nearest::kCeil}};
  const std::string place = n.Text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                    rounding = n.Text("nearest_mode", old ? "floor" : "round_prefer_floor");
  if (!places.count(place)) return n.Fail("coordinate transformation " + place);
  if (!roundings.count(rounding)) return n.Fail("nearest mode " + rounding);
  r.coordinates = places.at(place);
  r.nearest = roundings.at(rounding);
  r.cubic = static_cast<double>(n.Float("cubic_coeff_a", -0.75f));
  r.exclude_outside = n.Int("exclude_outside", 0) != 0;
  r.antialias = n.Int("antialias", 0) != 0;
  r.extrapolation = static_cast<double>(n.Float("extrapolation_value", 0));
  if (n.Has("scales")) n.AppendFloats(n.Floats("scales"));  // Upsample before operator set 9
  const auto resize = host::Resize(r);
  // Then there was no region of interest.
  return old ? host::WithoutAbsent(resize, {true, false, true}) : resize;
}

/// An activation of a recurrent layer by its name; null for an unknown one.
std::function<double(double)> Activation(const std::string& name, std::optional<double> a,
                                         std::optional<double> b) {
  if (name == "Sigmoid") return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (name == "Tanh") return [](double x) { return std::tanh(x); };
  if (name == "Relu") return [](double x) { return std::fmax(x, 0); };
  if (name == "Softsign") return [](double x) { return x / (1 + std::abs(x)); };
  if (name == "Softplus") return [](double x) { return std::log1p(std::exp(x)); };
  const double alpha = a.value_or(name == "LeakyRelu" ? 0.01 : name == "HardSigmoid" ? 0.2 : 1);
  const double beta = b.value_or(name == "HardSigmoid" ? 0.5 : name == "ScaledTanh" ? 1 : 0);
  if (name == "LeakyRelu") return [=](double x) { return x < 0 ? alpha * x : x; };
  if (name == "ThresholdedRelu") return [=](double x) { return x > alpha ? x : 0; };
  if (name == "Elu") return [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; };
  if (name == "Affine") return [=](double x) { return alpha * x + beta; };
  if (name == "ScaledTanh") return [=](double x) { return alpha * std::tanh(beta * x); };
  if (name == "HardSigmoid") return [=](double x) { return std::fmin(1, std::fmax(0, alpha * x + beta)); };
  return nullptr;
}

HostOperatorPtr MakeRecurrent(NodeView& n, host::Cell cell) {
  host::RecurrentAttributes r{.cell = cell, .hidden = n.Int("hidden_size", 0)};
  constexpr int64_t kMostHidden = int64_t{1} << 24;
  if (r.hidden < 1 || r.hidden > kMostHidden) return n.Fail(fmt::format("a hidden size of {}", r.hidden));
  const std::string direction = n.Text("direction", "forward");
  if (direction == "reverse") {
    r.reversed = {true};
  } else if (direction == "bidirectional") {
    r.reversed = {false, true};
  } else if (direction != "forward") {
    return n.Fail("direction " + direction);
  }
  const size_t each = host::ActivationsOf(cell), count = each * r.reversed.size();
  auto names = n.Texts("activations");
  const auto alphas = n.Floats("activation_alpha"), betas = n.Floats("activation_beta");
  for (size_t i = names.size(); i < count && n.Texts("activations").empty(); ++i)
    names.emplace_back(i % each == 0 && cell != host::Cell::kRnn ? "Sigmoid" : "Tanh");
  if (names.size() != count) return n.Fail(fmt::format("{} activations, not {}", names.size(), count));
  for (size_t i = 0; i < count; ++i) {
    const auto at = [&](const std::vector<float>& list) {
      return i < list.size() ? std::optional<double>(list[i]) : std::nullopt;
    };
    r.activations.push_back(Activation(names[i], at(alphas), at(betas)));
    if (!r.activations.back()) return n.Fail("activation " + names[i]);
  }
  r.clip = static_cast<double>(n.Float("clip", 0));
  r.input_forget = n.Int("input_forget", 0) != 0;
  r.linear_before_reset = n.Int("linear_before_reset", 0) != 0;
  r.batch_first = n.Int("layout", 0) != 0;
  return host::Recurrent(r);
}

}  // namespace

void AddSequence(Factories& all) {
  all["Resize"] = all["Upsample"] = MakeResize;
  all["Einsum"] = [](NodeView& n) { return host::Einsum(n.Text("equation", "")); };
  all["RNN"] = [](NodeView& n) { return MakeRecurrent(n, host::Cell::kRnn); };
  all["GRU"] = [](NodeView& n) { return MakeRecurrent(n, host::Cell::kGru); };
  all["LSTM"] = [](NodeView& n) { return MakeRecurrent(n, host::Cell::kLstm); };
}

}  // namespace cosim::import::onnx
