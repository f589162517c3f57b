// SPDX-License-Identifier: Apache-2.0
// The registry of networks, one line each, and the reader of their arguments.
#include "compiler/graph/zoo/zoo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "compiler/graph/zoo/networks.h"
#include "isa/check.h"

namespace cosim::graph::zoo {
namespace {

/// Sizes it can be built for, in steps; a network with one size takes no such argument, and one that is not
/// scalable no width.
struct Entry {
  std::string_view name;
  Graph (*build)(NetworkBuilder net, const Variant& variant);
  int64_t size, least_size, step;
  bool scalable;
};

constexpr int64_t kMostSize = 512, kMostBatch = 64;
constexpr int64_t kMostPixels = 16 * 224 * 224;  // float calibration keeps every value
constexpr double kLeastWidth = 0.1, kMostWidth = 2;

constexpr std::array kNetworks = {
    Entry{"autoencoder", BuildAutoencoder, 128, 16, 8, true},
    Entry{"mlp", BuildMlp, 28, 28, 1, false},
    Entry{"mobilenet_v1", BuildMobileNetV1, 224, 32, 1, true},
    Entry{"mobilenet_v2", BuildMobileNetV2, 224, 32, 1, true},
    Entry{"resnet18", BuildResNet18, 224, 32, 1, true},
    Entry{"resnet34", BuildResNet34, 224, 32, 1, true},
    Entry{"resnet50", BuildResNet50, 224, 32, 1, true},
    Entry{"small_cnn", BuildSmallCnn, 27, 27, 1, false},
    Entry{"squeezenet1_1", BuildSqueezeNet, 224, 32, 1, true},
    Entry{"vgg16", BuildVgg16, 224, 32, 1, true},
    Entry{"vit_tiny", BuildVitTiny, 224, 32, 16, false},
};

const Entry* Find(std::string_view name) {
  const auto* entry =
      std::find_if(kNetworks.begin(), kNetworks.end(), [&](const Entry& e) { return e.name == name; });
  return entry == kNetworks.end() ? nullptr : entry;
}

template <typename Number>
bool ReadNumber(std::string_view text, Number low, Number high, Number& out) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc{} && end == text.data() + text.size() && out >= low && out <= high;
}

/// What is wrong with "key=value"; empty, and `variant` changed, when nothing is.
std::string ReadArgument(const Entry& entry, std::string_view argument, Variant& variant) {
  const size_t equals = std::min(argument.find('='), argument.size());
  const std::string_view key = argument.substr(0, equals);
  const std::string_view value = argument.substr(std::min(equals + 1, argument.size()));
  if (key == "batch") {
    if (ReadNumber(value, int64_t{1}, kMostBatch, variant.batch)) return "";
    return fmt::format("batch '{}' is not in 1..{}", value, kMostBatch);
  }
  if (key == "size" && entry.least_size < entry.size) {
    if (ReadNumber(value, entry.least_size, kMostSize, variant.size) && variant.size % entry.step == 0)
      return "";
    const std::string steps = entry.step > 1 ? fmt::format(" in steps of {}", entry.step) : "";
    return fmt::format("size '{}' is not in {}..{}{}", value, entry.least_size, kMostSize, steps);
  }
  if (key == "width" && entry.scalable) {
    if (ReadNumber(value, kLeastWidth, kMostWidth, variant.width)) return "";
    return fmt::format("width '{}' is not in {}..{}", value, kLeastWidth, kMostWidth);
  }
  return fmt::format("network '{}' has no argument '{}', only {}{}batch", entry.name, key,
                     entry.scalable ? "width, " : "", entry.least_size < entry.size ? "size, " : "");
}

}  // namespace

const std::vector<std::string_view>& Names() {
  static const auto* names = [] {
    auto* list = new std::vector<std::string_view>;
    for (const Entry& entry : kNetworks) list->push_back(entry.name);
    return list;
  }();
  return *names;
}

std::optional<Variant> ParseVariant(std::string_view text, std::string& error) {
  const size_t colon = std::min(text.find(':'), text.size());
  const Entry* entry = Find(text.substr(0, colon));
  if (!entry) {
    error = fmt::format("unknown network '{}'", text.substr(0, colon));
    return std::nullopt;
  }
  Variant variant{std::string(entry->name), 1, entry->size, 1};
  for (std::string_view rest = text.substr(colon); !rest.empty();) {  // begins with a colon or comma
    rest.remove_prefix(1);
    const size_t comma = std::min(rest.find(','), rest.size());
    error = ReadArgument(*entry, rest.substr(0, comma), variant);
    if (!error.empty()) return std::nullopt;
    rest.remove_prefix(comma);
  }
  if (entry->least_size < entry->size && variant.size * variant.size * variant.batch > kMostPixels) {
    error = fmt::format("{} images of {}x{} are too large: at most {} pixels together", variant.batch,
                        variant.size, variant.size, kMostPixels);
    return std::nullopt;
  }
  return variant;
}

Graph Build(std::string_view text, uint64_t seed) {
  std::string error;
  const auto variant = ParseVariant(text, error);
  COSIM_CHECK(variant, "{}", error);
  return Find(variant->name)->build(NetworkBuilder(std::string(text), seed, variant->width), *variant);
}

}  // namespace cosim::graph::zoo
