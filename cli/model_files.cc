// SPDX-License-Identifier: Apache-2.0
#include "cli/model_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "compiler/import/data/arrays.h"
#include "compiler/import/import.h"
#include "isa/text_escape.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

std::vector<float> ParseNumbers(const std::string& text, const char* option, bool& good) {
  std::vector<float> numbers;
  std::istringstream stream(text);
  std::string item;
  while (std::getline(stream, item, ',')) {
    char* end = nullptr;
    numbers.push_back(std::strtof(item.c_str(), &end));
    if (item.empty() || *end)
      good = (Fail(fmt::format("--{}={}: not numbers separated by commas", option, text)), false);
  }
  return numbers;
}

/// NAME=1x3x224x224.
bool ParseShape(const std::string& text, import::Options& options) {
  const size_t equals = text.rfind('=');
  std::vector<int64_t> shape;
  std::istringstream stream(equals == std::string::npos ? "" : text.substr(equals + 1));
  for (std::string item; std::getline(stream, item, 'x');) {
    int64_t extent = 0;
    const auto [end, failed] = std::from_chars(item.data(), item.data() + item.size(), extent);
    if (failed != std::errc() || end != item.data() + item.size() || extent < 0)
      return Fail(fmt::format("--shape={}: not NAME=1x3x224x224", text)), false;
    shape.push_back(extent);
  }
  if (shape.empty()) return Fail(fmt::format("--shape={}: not NAME=1x3x224x224", text)), false;
  options.shapes[text.substr(0, equals)] = std::move(shape);
  return true;
}

/// The files of --input for `ports`; mistakes are printed.
std::optional<std::vector<graph::Tensor>> ReadInputs(const po::variables_map& values,
                                                     std::vector<import::Port> ports) {
  auto options = InputOptionsIn(values);
  if (!options) return std::nullopt;
  options->files = values["input"].as<std::vector<std::string>>();
  Diagnostics diagnostics;
  auto inputs = import::LoadInputs(std::move(ports), *options, diagnostics);
  if (diagnostics.HasErrors()) PrintError("{}", diagnostics.Render());
  return inputs;
}

/// Without --input: that nothing is said of its images either; mistakes are printed.
bool HasNoImageOptions(const po::variables_map& values) {
  for (const char* option : {"mean", "scale", "layout"})
    if (values.count(option))
      return Fail(fmt::format("--{} is of the images of --input", option), "use --input=FILE too"), false;
  return true;
}

/// The k largest values of the first output, with their labels.
std::string TopTable(const graph::Tensor& output, const std::optional<graph::Quantization>& quantization,
                     size_t k, const std::vector<std::string>& labels) {
  std::vector<double> values;
  graph::WithElementType(output.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (const T& v : output.data<T>()) {
      if constexpr (std::is_same_v<T, graph::Half>) {
        values.push_back(static_cast<float>(v));
      } else {
        values.push_back(static_cast<double>(v));
      }
    }
  });
  if (quantization)
    for (double& v : values)
      v = (v - quantization->zero_point) * static_cast<double>(quantization->scales[0]);
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
  std::string text;
  for (size_t i = 0; i < std::min(k, order.size()); ++i)
    text += fmt::format("  {:>5} {:>10.5g}{}\n", order[i], values[order[i]],
                        order[i] < labels.size() ? "  " + labels[order[i]] : "");
  return text;
}

}  // namespace

void AddShapeOption(po::options_description& options) {
  options.add_options()("shape", po::value<std::vector<std::string>>()->value_name("NAME=DIMS"),
                        "open dimensions of an ONNX input, or one by its name: x=1x3x224x224, batch=1");
}

void AddReadingOptions(po::options_description& options) {
  AddShapeOption(options);
  options.add_options()("mean", po::value<std::string>()->value_name("M[,M,M]"),
                        "of an image: (byte - mean) * scale")(
      "scale", po::value<std::string>()->value_name("S[,S,S]"),
      "see --mean; without both, the bytes as they are")("layout",
                                                         po::value<std::string>()->value_name("LAYOUT"),
                                                         "of an image: nhwc | nchw (default: by the shape)");
}

void AddModelOptions(po::options_description& options) {
  options.add_options()("input", po::value<std::vector<std::string>>()->value_name("[NAME=]FILE"),
                        "of a model file: .npy, .npz, .bin (raw), or an image; without one the seed makes "
                        "them");
  AddReadingOptions(options);
  options.add_options()("output", po::value<std::string>()->value_name("FILE"), "write the outputs as .npz")(
      "top", po::value<size_t>()->value_name("K"), "print the K largest values of the first output")(
      "labels", po::value<std::string>()->value_name("FILE"), "one line a class, for --top");
}

std::optional<import::InputOptions> InputOptionsIn(const po::variables_map& values) {
  import::InputOptions input;
  bool good = true;
  if (values.count("mean")) input.mean = ParseNumbers(values["mean"].as<std::string>(), "mean", good);
  if (values.count("scale")) input.scale = ParseNumbers(values["scale"].as<std::string>(), "scale", good);
  if (values.count("layout")) input.layout = values["layout"].as<std::string>();
  if (!good) return std::nullopt;
  if (input.layout.empty() || input.layout == "nhwc" || input.layout == "nchw") return input;
  Fail(fmt::format("--layout={}: not one of nhwc, nchw", input.layout));
  return std::nullopt;
}

std::optional<import::Options> ImportOptionsIn(const po::variables_map& values) {
  import::Options options;
  if (values.count("shape"))
    for (const std::string& text : values["shape"].as<std::vector<std::string>>())
      if (!ParseShape(text, options)) return std::nullopt;
  return options;
}

bool CheckShapes(const import::Model& model, const std::string& path) {
  if (model.unused_shapes.empty()) return true;
  std::vector<std::string> inputs;
  for (const import::Port& port : import::InputsOf(model)) inputs.push_back(port.name);
  Fail(fmt::format("--shape={}=...: {} has no input and no open dimension of that name",
                   model.unused_shapes.front(), path),
       fmt::format("inputs: {}", fmt::join(inputs, ", ")));
  return false;
}

std::shared_ptr<const import::Model> ImportModel(const po::variables_map& values, const std::string& path) {
  const auto options = ImportOptionsIn(values);
  if (!options) return nullptr;
  Diagnostics diagnostics;
  auto model = import::ImportFile(path, *options, diagnostics);
  if (diagnostics.HasErrors()) PrintError("{}", diagnostics.Render());
  for (size_t i = 0; model && i < model->notes.size(); ++i)
    PrintError("{}: note: {}\n", path, model->notes[i]);
  if (model && !CheckShapes(*model, path)) return nullptr;
  return model ? std::make_shared<const import::Model>(std::move(*model)) : nullptr;
}

std::optional<graph::Graph> LoadGraph(const po::variables_map& values, const isa::Spec& spec,
                                      const std::string& name, uint64_t seed) {
  const auto activation_bits = ActivationBitsIn(values, spec);
  if (!activation_bits) return std::nullopt;
  if (!import::IsModelFile(name)) {
    if (!CheckNetwork(name)) return std::nullopt;
    return session::QuantizeFor(spec, name, seed, *activation_bits).graph;
  }
  const auto model = ImportModel(values, name);
  return model ? std::optional(model->graph) : std::nullopt;
}

bool LoadNetwork(const po::variables_map& values, session::Options& run) {
  if (!import::IsModelFile(run.network)) {
    for (const char* option : {"input", "shape", "mean", "scale", "layout"})
      if (values.count(option))
        return Fail(fmt::format("--{} is for models from files; {} gets its inputs from the seed", option,
                                run.network)),
               false;
    return CheckNetwork(run.network);
  }
  if (!values.count("input") && !HasNoImageOptions(values)) return false;
  run.model = ImportModel(values, run.network);
  if (!run.model) return false;
  run.network = run.model->graph.name();
  auto inputs = values.count("input") ? ReadInputs(values, import::InputsOf(*run.model))
                                      : std::optional(import::RandomInputs(*run.model, run.seed));
  if (inputs) run.inputs = std::move(*inputs);
  return inputs.has_value();
}

std::optional<std::vector<graph::Tensor>> InputsFor(const po::variables_map& values,
                                                    const std::vector<runtime::Place>& places) {
  if (!values.count("input"))
    return HasNoImageOptions(values) ? std::optional(std::vector<graph::Tensor>()) : std::nullopt;
  std::string error;
  auto ports = session::PortsOf(places, error);
  if (!ports) return Fail(error), std::nullopt;
  return ReadInputs(values, std::move(*ports));
}

bool CheckOutputOptions(const po::variables_map& values) {
  const std::string json = values["json"].as<std::string>(),
                    output = values.count("output") ? values["output"].as<std::string>() : "";
  if (!output.empty() && output == json)
    return Fail(fmt::format("--output and --json both write {}", json == "-" ? "to standard output" : json)),
           false;
  if (values.count("top") && (output == "-" || json == "-"))
    return Fail(fmt::format("--top: standard output is that of --{}", output == "-" ? "output" : "json"),
                "name a file there"),
           false;
  for (const char* option : {"output", "top"})
    if (values.count(option) && values.count("timing-only"))
      return Fail(fmt::format("--{}: --timing-only computes no outputs", option)), false;
  if (values.count("top") && values["top"].as<size_t>() < 1) return Fail("--top: at least 1"), false;
  if (values.count("labels") && !values.count("top"))
    return Fail("--labels are for the lines of --top", "use --top=5 too"), false;
  std::error_code error;
  if (values.count("labels") && !std::filesystem::is_regular_file(values["labels"].as<std::string>(), error))
    return Fail(fmt::format("--labels={}: there is no such file", values["labels"].as<std::string>())), false;
  return !values.count("output") || CheckWritable(values["output"].as<std::string>());
}

bool WriteOutputs(const po::variables_map& values, const session::Result& result) {
  if (result.run.outputs.empty() || (!values.count("output") && !values.count("top"))) return true;
  std::string error;
  const auto ports = session::PortsOf(result.network.outputs, error);
  if (!ports) return Fail(error), false;
  std::vector<std::pair<std::string, graph::Tensor>> outputs;
  for (size_t i = 0; i < ports->size(); ++i) {
    outputs.emplace_back(isa::OneLine((*ports)[i].name), graph::Tensor((*ports)[i].type));
    std::ranges::copy(result.run.outputs[i], outputs.back().second.mutable_bytes().begin());
  }
  if (values.count("output")) {
    const auto bytes = import::FormatNpz(outputs, error);
    if (!bytes) return Fail(error), false;
    if (!WriteFile(values["output"].as<std::string>(), std::string(bytes->begin(), bytes->end())))
      return false;
  }
  if (!values.count("top")) return true;
  std::vector<std::string> labels;
  if (values.count("labels")) {
    std::ifstream file(values["labels"].as<std::string>());
    if (!file) return Fail(fmt::format("cannot read {}", values["labels"].as<std::string>())), false;
    for (std::string line; std::getline(file, line);) labels.push_back(line);
  }
  Print("{}", TopTable(outputs[0].second, (*ports)[0].quantization, values["top"].as<size_t>(), labels));
  return true;
}

}  // namespace cosim::cli
