// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/data/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>

#include "compiler/import/data/arrays.h"
#include "compiler/import/diagnostic_codes.h"

namespace cosim::import {
namespace {

namespace fs = std::filesystem;
using graph::Tensor;

constexpr char kLabels[] = "labels";

class RandomSamples : public Samples {
 public:
  RandomSamples(const Model& model, const SampleOptions& options) : model_(model), options_(options) {}
  size_t size() const override { return options_.random; }
  std::optional<std::vector<Tensor>> Get(size_t i, Diagnostics&) const override {
    return RandomInputs(model_, options_.seed + i);
  }

 private:
  const Model& model_;
  SampleOptions options_;
};

class FolderSamples : public Samples {
 public:
  struct File {
    std::string path;
    std::optional<int64_t> label;
  };
  FolderSamples(const Model& model, InputOptions options, std::vector<File> files)
      : model_(model), options_(std::move(options)), files_(std::move(files)) {}
  size_t size() const override { return files_.size(); }
  std::optional<int64_t> Label(size_t i) const override { return files_[i].label; }
  std::optional<std::vector<Tensor>> Get(size_t i, Diagnostics& diagnostics) const override {
    InputOptions options = options_;
    options.files = {files_[i].path};
    return LoadInputs(model_, options, diagnostics);
  }

 private:
  const Model& model_;
  InputOptions options_;
  std::vector<File> files_;
};

class ArraySamples : public Samples {
 public:
  ArraySamples(const Model& model, InputOptions options, std::string source, std::vector<Tensor> arrays,
               std::vector<int64_t> labels, size_t size)
      : model_(model),
        options_(std::move(options)),
        source_(std::move(source)),
        arrays_(std::move(arrays)),
        labels_(std::move(labels)),
        size_(size) {}
  size_t size() const override { return size_; }
  std::optional<int64_t> Label(size_t i) const override {
    return labels_.empty() ? std::nullopt : std::optional(labels_[i]);
  }
  std::optional<std::vector<Tensor>> Get(size_t i, Diagnostics& diagnostics) const override {
    std::vector<Tensor> inputs;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      Tensor part({arrays_[k].dtype(), model_.graph.node(model_.graph.inputs()[k]).type.shape});
      const auto to = part.mutable_bytes();
      if (!to.empty()) std::memcpy(to.data(), arrays_[k].bytes().data() + i * to.size(), to.size());
      auto input = FitInput(model_, k, std::move(part), options_, source_, diagnostics);
      if (!input) return std::nullopt;
      inputs.push_back(std::move(*input));
    }
    return inputs;
  }

 private:
  const Model& model_;
  InputOptions options_;
  std::string source_;
  std::vector<Tensor> arrays_;
  std::vector<int64_t> labels_;
  size_t size_;
};

class Opener {
 public:
  Opener(const Model& model, const std::string& source, const SampleOptions& options,
         Diagnostics& diagnostics)
      : model_(model), source_(source), options_(options), diagnostics_(diagnostics) {}

  std::unique_ptr<Samples> Run() {
    if (source_ == "random") return std::make_unique<RandomSamples>(model_, options_);
    std::error_code error;
    if (fs::is_directory(source_, error)) return OpenFolder();
    if (fs::path(source_).extension() == ".npz") return OpenArrays();
    return Bad("neither a folder, nor an .npz file, nor the word random");
  }

 private:
  std::nullptr_t Bad(const std::string& what) {
    diagnostics_.Error(codes::kBadInput, {source_}, what);
    return nullptr;
  }

  static bool IsSample(const fs::path& path) {
    static const std::set<std::string> known = {".npy", ".npz", ".bin", ".bmp", ".png",
                                                ".ppm", ".pgm", ".jpg", ".jpeg"};
    std::string extension = path.extension().string();
    for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return known.count(extension) > 0;
  }

  /// What lies in `folder`, in order: folders, or files of samples.
  std::vector<fs::path> Inside(const fs::path& folder, bool folders) {
    std::vector<fs::path> list;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (folders ? it->is_directory() : it->is_regular_file() && IsSample(it->path()))
        list.push_back(it->path());
    if (error) Bad(fmt::format("{}: {}", folder.string(), error.message()));
    std::sort(list.begin(), list.end());
    return list;
  }

  static std::optional<int64_t> Number(const std::string& text) {
    int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

  std::unique_ptr<Samples> OpenFolder() {
    std::vector<FolderSamples::File> files;
    const auto classes = Inside(source_, true);
    const bool numbered = std::all_of(classes.begin(), classes.end(), [](const fs::path& p) {
      return Number(p.filename().string()).has_value();
    });
    for (size_t c = 0; c < classes.size(); ++c)
      for (const fs::path& file : Inside(classes[c], false))
        files.push_back(
            {file.string(), numbered ? *Number(classes[c].filename().string()) : static_cast<int64_t>(c)});
    for (const fs::path& file : Inside(source_, false)) {
      if (!classes.empty() && !files.empty()) {
        Bad(fmt::format("{} lies beside folders of classes", file.filename().string()));
        break;
      }
      files.push_back({file.string(), std::nullopt});
    }
    if (files.empty()) Bad("the folder holds no .npy, .npz, .bin files or images");
    if (diagnostics_.HasErrors()) return nullptr;
    return std::make_unique<FolderSamples>(model_, options_.input, std::move(files));
  }

  /// How many samples of input `index` an array holds; nothing after reporting.
  std::optional<size_t> Count(const Tensor& array, size_t index) {
    const auto& type = model_.graph.node(model_.graph.inputs()[index]).type;
    const int64_t elements = graph::NumElements(type.shape);
    graph::Shape rest(array.shape());
    const graph::Shape& one = type.shape;
    const bool stacked =
        rest.size() == one.size() + 1 && std::equal(one.begin(), one.end(), rest.begin() + 1);
    const bool batched =
        rest.size() == one.size() && !one.empty() && std::equal(one.begin() + 1, one.end(), rest.begin() + 1);
    if ((!stacked && !batched) || elements == 0 || array.size() % elements != 0 || array.size() == 0)
      return Bad(fmt::format("holds {}, but input '{}' is {}", graph::ToString(array.type()),
                             model_.graph.node(model_.graph.inputs()[index]).name, graph::ToString(type))),
             std::nullopt;
    return static_cast<size_t>(array.size() / elements);
  }

  std::optional<std::vector<int64_t>> Labels(const Tensor& array, size_t count) {
    std::vector<int64_t> labels;
    const bool integers = graph::WithElementType(array.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) {
        for (T v : array.data<T>()) labels.push_back(static_cast<int64_t>(v));
        return true;
      }
      return false;
    });
    if (!integers || labels.size() != count)
      return Bad(fmt::format("labels are {}, for {} samples", graph::ToString(array.type()), count)),
             std::nullopt;
    return labels;
  }

  std::unique_ptr<Samples> OpenArrays() {
    const auto bytes = ReadFile(source_, diagnostics_);
    if (!bytes) return nullptr;
    std::string error;
    auto arrays = ParseNpz(*bytes, error);
    if (!arrays) return Bad(error);
    std::optional<Tensor> labels;
    const auto& inputs = model_.graph.inputs();
    if (const auto at = arrays->find(kLabels); at != arrays->end()) {
      labels = std::move(at->second);
      arrays->erase(at);
    }
    std::vector<Tensor> list;
    std::optional<size_t> count;
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto at = arrays->find(model_.graph.node(inputs[i]).name);
      if (at == arrays->end() && inputs.size() == 1 && arrays->size() == 1) at = arrays->begin();
      if (at == arrays->end())
        return Bad(fmt::format("holds no array for input '{}'", model_.graph.node(inputs[i]).name));
      const auto samples = Count(at->second, i);
      if (!samples) return nullptr;
      if (count && *count != *samples) return Bad("its arrays differ in the number of samples");
      count = samples;
      list.push_back(std::move(at->second));
      arrays->erase(at);
    }
    if (!arrays->empty()) return Bad(fmt::format("the model has no input '{}'", arrays->begin()->first));
    if (!count) return Bad("the model has no inputs");
    std::vector<int64_t> classes;
    if (labels) {
      auto list_of = Labels(*labels, *count);
      if (!list_of) return nullptr;
      classes = std::move(*list_of);
    }
    return std::make_unique<ArraySamples>(model_, options_.input, source_, std::move(list),
                                          std::move(classes), *count);
  }

  const Model& model_;
  const std::string& source_;
  const SampleOptions& options_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::unique_ptr<Samples> OpenSamples(const Model& model, const std::string& source,
                                     const SampleOptions& options, Diagnostics& diagnostics) {
  return Opener(model, source, options, diagnostics).Run();
}

}  // namespace cosim::import
