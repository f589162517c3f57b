// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/data/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "compiler/import/data/arrays.h"
#include "compiler/import/data/image.h"
#include "compiler/import/diagnostic_codes.h"

namespace cosim::import {
namespace {

using graph::DType;
using graph::Tensor;
using graph::TensorType;

class Loader {
 public:
  Loader(std::vector<Port> ports, const InputOptions& options, Diagnostics& diagnostics)
      : ports_(std::move(ports)), options_(options), diagnostics_(diagnostics), inputs_(ports_.size()) {}

  std::optional<std::vector<Tensor>> Run() {
    for (const std::string& text : options_.files) Load(text);
    std::vector<Tensor> result;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i] && ports_[i].initial) inputs_[i] = *ports_[i].initial;
      if (inputs_[i]) {
        result.push_back(std::move(*inputs_[i]));
      } else if (!diagnostics_.HasErrors()) {
        Bad("", fmt::format("input '{}' ({}) is not given", Name(i), ToString(Type(i))));
      }
    }
    if (diagnostics_.HasErrors()) return std::nullopt;
    return result;
  }

  std::optional<Tensor> Fit(Tensor array, size_t index, const std::string& source) {
    Take(std::move(array), index, source);
    return std::move(inputs_[index]);
  }

 private:
  static bool IsColour(int64_t channels) { return channels == 1 || channels == 3; }
  bool ChannelsLast(const graph::Shape& shape) const {
    return options_.layout.empty() ? IsColour(shape[3]) : options_.layout == "nhwc";
  }

  /// How many channels there are, and how far apart.
  struct Pixels {
    int64_t channels = 1, step = 1;
  };
  Pixels PixelsOf(const graph::Shape& shape) const {
    if (shape.size() != 4) return {};
    if (ChannelsLast(shape)) return {shape[3], 1};
    return {shape[1], shape[2] * shape[3]};
  }

  const std::string& Name(size_t i) const { return ports_[i].name; }
  const TensorType& Type(size_t i) const { return ports_[i].type; }

  Diagnostic& Bad(const std::string& file, const std::string& what) {
    return diagnostics_.Error(codes::kBadInput, {file}, what);
  }

  std::optional<size_t> Find(const std::string& name) const {
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (Name(i) == name) return i;
    return std::nullopt;
  }

  std::string Known() const {
    std::string list;
    for (size_t i = 0; i < inputs_.size(); ++i) list += fmt::format("{}{}", i ? ", " : "", Name(i));
    return list;
  }

  /// How many a file has to give: states stand behind them.
  size_t Wanted() const {
    return static_cast<size_t>(std::ranges::count_if(ports_, [](const Port& port) { return !port.initial; }));
  }

  void Load(const std::string& text) {
    std::string file = text;
    size_t index = 0;
    const size_t equals = text.find('=');
    const bool named = equals != std::string::npos && Find(text.substr(0, equals));
    if (named) {
      index = *Find(text.substr(0, equals));
      file = text.substr(equals + 1);
    }
    const std::string extension = std::filesystem::path(file).extension().string();
    if (!named && Wanted() != 1 && extension != ".npz") {
      Bad(file, fmt::format("the model has {} inputs", Wanted())).hint =
          "--input=NAME=FILE; inputs: " + Known();
      return;
    }
    const auto bytes = ReadFile(file, diagnostics_);
    if (!bytes) return;
    if (extension != ".npz" && !IsNew(index, file)) return;
    if (extension == ".npz") return LoadNpz(*bytes, file);
    if (extension == ".npy") {
      std::string error;
      auto tensor = ParseNpy(*bytes, error);
      return tensor ? Take(std::move(*tensor), index, file) : void(Bad(file, error));
    }
    if (extension == ".bin") return LoadRaw(*bytes, index, file);
    LoadImage(*bytes, index, file);
  }

  /// Reports an input that has been given already.
  bool IsNew(size_t index, const std::string& file) {
    if (inputs_[index]) Bad(file, fmt::format("input '{}' is given already", Name(index)));
    return !inputs_[index];
  }

  void LoadNpz(const std::vector<uint8_t>& bytes, const std::string& file) {
    std::string error;
    auto arrays = ParseNpz(bytes, error);
    if (!arrays) return void(Bad(file, error));
    if (arrays->size() == 1 && Wanted() == 1 && !Find(arrays->begin()->first)) {
      if (IsNew(0, file)) Take(std::move(arrays->begin()->second), 0, file);
      return;
    }
    for (auto& [name, tensor] : *arrays) {
      if (const auto index = Find(name)) {
        if (IsNew(*index, file)) Take(std::move(tensor), *index, file);
      } else {
        Bad(file, fmt::format("the model has no input '{}'", name)).hint = "inputs: " + Known();
      }
    }
  }

  void LoadRaw(const std::vector<uint8_t>& bytes, size_t index, const std::string& file) {
    Tensor tensor(Type(index));
    const auto to = tensor.mutable_bytes();
    if (to.size() != bytes.size())
      return void(Bad(file, fmt::format("has {} bytes, but input '{}' ({}) takes {}", bytes.size(),
                                        Name(index), ToString(Type(index)), to.size())));
    std::copy(bytes.begin(), bytes.end(), to.begin());
    inputs_[index] = std::move(tensor);
  }

  // An array of the input's type; a leading 1 may be missing. Real numbers are quantized, those of 64 bits
  // rounded to 32 first; uint8 for an input that is none is pixels.
  void Take(Tensor tensor, size_t index, const std::string& file) {
    const TensorType& want = Type(index);
    graph::Shape longer = tensor.shape();
    longer.insert(longer.begin(), 1);
    if (longer == want.shape) tensor = tensor.Reshaped(longer);
    if (tensor.dtype() == DType::kUint8 && want.dtype != DType::kUint8 && tensor.shape() == want.shape) {
      const auto bytes = tensor.data<uint8_t>();
      const Pixels pixels = PixelsOf(want.shape);
      return TakePixels({bytes.begin(), bytes.end()}, index, pixels.channels, pixels.step, file);
    }
    if (tensor.dtype() == DType::kFloat64 && want.dtype != DType::kFloat64) {
      const auto from = tensor.data<double>();
      tensor = Tensor(tensor.shape(), std::vector<float>(from.begin(), from.end()));
    }
    if (tensor.dtype() == DType::kFloat32 && tensor.shape() == want.shape && ports_[index].quantization)
      tensor = Quantized(tensor.data<float>(), index);
    if (tensor.type() != want)
      return void(Bad(file, fmt::format("holds {}, but input '{}' is {}", ToString(tensor.type()),
                                        Name(index), ToString(want))));
    inputs_[index] = std::move(tensor);
  }

  Tensor Quantized(std::span<const float> real, size_t index) const {
    const auto& q = *ports_[index].quantization;
    Tensor tensor(Type(index));
    graph::WithElementType(tensor.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) {
        const auto to = tensor.mutable_data<T>();
        const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        for (size_t i = 0; i < real.size(); ++i) {
          const double steps = std::round(static_cast<double>(real[i]) / q.scales[0]) + q.zero_point;
          to[i] = static_cast<T>(std::clamp(std::isnan(steps) ? 0 : steps, low, high));
        }
      }
    });
    return tensor;
  }

  void LoadImage(const std::vector<uint8_t>& bytes, size_t index, const std::string& file) {
    const TensorType& type = Type(index);
    if (type.shape.size() != 4 || type.shape[0] != 1)
      return void(
          Bad(file, fmt::format("an image for input '{}', which is {}", Name(index), ToString(type))));
    const bool last = ChannelsLast(type.shape);
    const int64_t channels = last ? type.shape[3] : type.shape[1];
    const int64_t height = last ? type.shape[1] : type.shape[2], width = last ? type.shape[2] : type.shape[3];
    if (!IsColour(channels))
      return void(Bad(file, fmt::format("an image for input '{}' of {} channels", Name(index), channels)));
    if (width > 1 << 14 || height > 1 << 14)
      return void(Bad(file, "the input is larger than an image may be"));
    std::string error;
    const auto image = DecodeImage(bytes, static_cast<int>(channels), error);
    if (!image) return void(Bad(file, error));
    const Image scaled = Resize(*image, width, height);
    std::vector<uint8_t> pixels(scaled.pixels.size());  // in the input's layout
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < width * height; ++p)
        pixels[last ? p * channels + c : c * width * height + p] = scaled.pixels[p * channels + c];
    TakePixels(pixels, index, channels, last ? 1 : width * height, file);
  }

  // Channels change every `step` pixels.
  void TakePixels(const std::vector<uint8_t>& pixels, size_t index, int64_t channels, int64_t step,
                  const std::string& file) {
    const DType dtype = Type(index).dtype;
    if (options_.mean.empty() && options_.scale.empty() &&
        (dtype == DType::kInt8 || dtype == DType::kUint8)) {
      Tensor tensor(Type(index));
      const uint8_t flip = dtype == DType::kInt8 ? 0x80 : 0;
      std::transform(pixels.begin(), pixels.end(), tensor.mutable_bytes().begin(),
                     [=](uint8_t v) { return static_cast<uint8_t>(v ^ flip); });
      inputs_[index] = std::move(tensor);
      return;
    }
    const auto at = [](const std::vector<float>& list, int64_t c, float none) {
      return list.empty() ? none : list[list.size() == 1 ? 0 : c];
    };
    for (const auto* list : {&options_.mean, &options_.scale})
      if (list->size() > 1 && static_cast<int64_t>(list->size()) != channels)
        return void(
            Bad(file, fmt::format("{} values of --mean or --scale for {} channels", list->size(), channels)));
    std::vector<float> real(pixels.size());
    for (size_t i = 0; i < pixels.size(); ++i) {
      const int64_t c = static_cast<int64_t>(i) / step % channels;
      real[i] = (static_cast<float>(pixels[i]) - at(options_.mean, c, 0)) * at(options_.scale, c, 1);
    }
    if (dtype == DType::kFloat32) {
      inputs_[index] = Tensor(Type(index).shape, std::move(real));
    } else if (ports_[index].quantization) {
      inputs_[index] = Quantized(real, index);
    } else {
      Bad(file, fmt::format("an image for input '{}', which is {}", Name(index), ToString(Type(index))));
    }
  }

  const std::vector<Port> ports_;
  const InputOptions& options_;
  Diagnostics& diagnostics_;
  std::vector<std::optional<Tensor>> inputs_;
};

}  // namespace

std::vector<Port> InputsOf(const Model& model) {
  std::vector<Port> ports;
  for (graph::ValueId id : model.graph.inputs())
    ports.push_back(
        {model.graph.node(id).name, model.graph.node(id).type, model.input_quantization[ports.size()]});
  for (const State& state : model.states) ports.at(state.input).initial = state.initial;
  return ports;
}

std::optional<std::vector<Tensor>> LoadInputs(std::vector<Port> inputs, const InputOptions& options,
                                              Diagnostics& diagnostics) {
  return Loader(std::move(inputs), options, diagnostics).Run();
}

std::optional<Tensor> FitInput(const Model& model, size_t index, Tensor array, const InputOptions& options,
                               const std::string& source, Diagnostics& diagnostics) {
  return Loader(InputsOf(model), options, diagnostics).Fit(std::move(array), index, source);
}

std::vector<Tensor> RandomInputs(const Model& model, uint64_t seed) {
  uint64_t state = seed;
  const auto next = [&] {  // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  std::vector<Tensor> inputs;
  for (graph::ValueId id : model.graph.inputs()) {
    Tensor tensor(model.graph.node(id).type);
    graph::WithElementType(tensor.dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (T& v : tensor.mutable_data<T>()) {
        const uint64_t bits = next();
        if constexpr (std::is_floating_point_v<T>) {
          v = static_cast<T>(static_cast<double>(bits >> 40) / (1 << 23) - 1);
        } else if constexpr (std::is_same_v<T, graph::Half>) {
          v = graph::Half(static_cast<float>(bits >> 40) / (1 << 23) - 1);
        } else {
          v = static_cast<T>(sizeof(T) == 1 && tensor.dtype() != DType::kBool ? bits : bits & 1);
        }
      }
    });
    inputs.push_back(std::move(tensor));
  }
  for (const State& state : model.states) inputs.at(state.input) = *state.initial;
  return inputs;
}

}  // namespace cosim::import
