// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/data/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "compiler/import/data/arrays.h"
#include "compiler/import/data/label_file.h"
#include "compiler/import/diagnostic_codes.h"

namespace cosim::import {
namespace {

namespace fs = std::filesystem;
using graph::Tensor;

constexpr char kLabels[] = "labels", kGroups[] = "groups";

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
    std::optional<size_t> part;  ///< of several samples in the file
    int64_t group = 0;
  };
  FolderSamples(const Model& model, InputOptions options, std::vector<File> files,
                std::vector<std::string> names)
      : model_(model), options_(std::move(options)), files_(std::move(files)), names_(std::move(names)) {}
  size_t size() const override { return files_.size(); }
  std::vector<std::string> ClassNames() const override { return names_; }
  std::optional<int64_t> Label(size_t i) const override { return files_[i].label; }
  std::optional<std::vector<Tensor>> Get(size_t i, Diagnostics& diagnostics) const override {
    if (files_[i].part) return Part(files_[i].path, *files_[i].part, diagnostics);
    InputOptions options = options_;
    options.files = {files_[i].path};
    return LoadInputs(model_, options, diagnostics);
  }
  int64_t Group(size_t i) const override { return files_[i].group; }

 private:
  std::optional<std::vector<Tensor>> Part(const std::string& path, size_t part,
                                          Diagnostics& diagnostics) const {
    Tensor input(model_.graph.node(model_.graph.inputs().front()).type);
    const auto to = input.mutable_bytes();
    std::ifstream file(path, std::ios::binary);
    if (!file.seekg(static_cast<std::streamoff>(part * to.size())) ||
        !file.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()))) {
      diagnostics.Error(codes::kUnreadable, {path}, "the file cannot be read");
      return std::nullopt;
    }
    return std::vector<Tensor>{std::move(input)};
  }

  const Model& model_;
  InputOptions options_;
  std::vector<File> files_;
  std::vector<std::string> names_;
};

class ArraySamples : public Samples {
 public:
  ArraySamples(const Model& model, InputOptions options, std::string source, std::vector<Tensor> arrays,
               std::vector<int64_t> labels, std::vector<int64_t> groups, size_t size)
      : model_(model),
        options_(std::move(options)),
        source_(std::move(source)),
        arrays_(std::move(arrays)),
        labels_(std::move(labels)),
        groups_(std::move(groups)),
        size_(size) {}
  size_t size() const override { return size_; }
  std::optional<int64_t> Label(size_t i) const override {
    return labels_.empty() ? std::nullopt : std::optional(labels_[i]);
  }
  int64_t Group(size_t i) const override { return groups_.empty() ? Samples::Group(i) : groups_[i]; }
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
  std::vector<int64_t> labels_, groups_;
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
    if (fs::path(source_).extension() == ".csv") return OpenList();
    return Bad("neither a folder, nor an .npz or .csv file, nor the word random");
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

  /// How many samples a file holds: more than one only in raw bytes for a single input.
  size_t SamplesIn(const std::string& path) const {
    const auto& inputs = model_.graph.inputs();
    if (inputs.size() != 1 || fs::path(path).extension() != ".bin") return 1;
    const graph::TensorType& type = model_.graph.node(inputs.front()).type;
    const auto each = static_cast<uintmax_t>(graph::NumElements(type.shape) * graph::SizeOf(type.dtype));
    std::error_code error;
    const uintmax_t size = fs::file_size(path, error);
    return error || each == 0 || size % each != 0 ? 1 : std::max<size_t>(1, size / each);
  }

  std::unique_ptr<Samples> Open(const std::vector<FolderSamples::File>& files,
                                std::vector<std::string> names) {
    std::vector<FolderSamples::File> samples;
    for (size_t f = 0; f < files.size(); ++f) {
      FolderSamples::File sample = files[f];
      sample.group = static_cast<int64_t>(f);
      const size_t count = SamplesIn(sample.path);
      for (size_t part = 0; part < count; ++part) {
        if (count > 1) sample.part = part;
        samples.push_back(sample);
      }
    }
    return std::make_unique<FolderSamples>(model_, options_.input, std::move(samples), std::move(names));
  }

  std::unique_ptr<Samples> OpenFolder() {
    std::vector<FolderSamples::File> files;
    const auto classes = Inside(source_, true);
    const bool numbered = std::all_of(classes.begin(), classes.end(), [](const fs::path& p) {
      return ClassNumber(p.filename().string()).has_value();
    });
    for (size_t c = 0; c < classes.size(); ++c)
      for (const fs::path& file : Inside(classes[c], false))
        files.push_back(
            {.path = file.string(),
             .label = numbered ? *ClassNumber(classes[c].filename().string()) : static_cast<int64_t>(c)});
    for (const fs::path& file : Inside(source_, false)) {
      if (!classes.empty() && !files.empty()) {
        Bad(fmt::format("{} lies beside folders of classes", file.filename().string()));
        break;
      }
      files.push_back({.path = file.string()});
    }
    if (files.empty()) Bad("the folder holds no .npy, .npz, .bin files or images");
    if (diagnostics_.HasErrors()) return nullptr;
    std::vector<std::string> names;
    if (!numbered)
      for (const fs::path& folder : classes) names.push_back(folder.filename().string());
    return Open(files, std::move(names));
  }

  std::unique_ptr<Samples> OpenList() {
    auto list = ReadLabelFile(source_, diagnostics_);
    if (!list) return nullptr;
    std::vector<FolderSamples::File> files;
    for (LabelledFile& file : list->files)
      files.push_back({.path = std::move(file.path), .label = file.label});
    return Open(files, std::move(list->names));
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

  /// One integer a sample; empty when there is no such array, nothing after reporting.
  std::optional<std::vector<int64_t>> Numbers(const std::optional<Tensor>& given, const char* name,
                                              size_t count) {
    if (!given) return std::vector<int64_t>();
    const Tensor& array = *given;
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
      return Bad(fmt::format("{} are {}, for {} samples", name, graph::ToString(array.type()), count)),
             std::nullopt;
    return labels;
  }

  std::unique_ptr<Samples> OpenArrays() {
    const auto bytes = ReadFile(source_, diagnostics_);
    if (!bytes) return nullptr;
    std::string error;
    auto arrays = ParseNpz(*bytes, error);
    if (!arrays) return Bad(error);
    const auto& inputs = model_.graph.inputs();
    const auto take = [&](const char* name) {
      auto taken = arrays->extract(name);
      return taken ? std::optional(std::move(taken.mapped())) : std::nullopt;
    };
    const std::optional<Tensor> labels = take(kLabels), groups = take(kGroups);
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
    auto label_of = Numbers(labels, kLabels, *count), group_of = Numbers(groups, kGroups, *count);
    if (!label_of || !group_of) return nullptr;
    return std::make_unique<ArraySamples>(model_, options_.input, source_, std::move(list),
                                          std::move(*label_of), std::move(*group_of), *count);
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
