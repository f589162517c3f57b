// SPDX-License-Identifier: Apache-2.0
// cosim accuracy: how often a model file is right on labelled inputs, and agrees with a float reference.
#include <fmt/format.h>

#include "cli/accuracy_measurement.h"
#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/rtl_options.h"
#include "cli/verbs.h"
#include "compiler/import/data/samples.h"
#include "compiler/quantize/calibrate.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using graph::Tensor;

/// The inputs of a reference, in the types of a quantized model.
class FittedSamples : public import::Samples {
 public:
  FittedSamples(const import::Model& model, const import::Samples& from) : model_(model), from_(from) {}
  size_t size() const override { return from_.size(); }
  std::optional<std::vector<Tensor>> Get(size_t i, Diagnostics& diagnostics) const override {
    auto inputs = from_.Get(i, diagnostics);
    for (size_t k = 0; inputs && k < inputs->size(); ++k) {
      auto fitted = import::FitInput(model_, k, std::move((*inputs)[k]), {}, "random", diagnostics);
      if (!fitted) return std::nullopt;
      (*inputs)[k] = std::move(*fitted);
    }
    return inputs;
  }

 private:
  const import::Model& model_;
  const import::Samples& from_;
};

void AddOptions(po::options_description& options) {
  AddSpecOptions(options);
  options.add_options()(
      "data", po::value<std::string>()->value_name("SOURCE"),
      "labelled inputs: an .npz with an array `labels`, folders of images by class, a .csv of files and "
      "classes; or random")(
      "normal", po::value<int64_t>()->value_name("CLASS"),
      "of a model that repeats its input: how well its error tells this class from all others")(
      "reference", po::value<std::string>()->value_name("FILE"),
      "the float model: agreement, and who loses it")(
      "device", po::value<std::string>()->value_name("NAME")->default_value("functional"),
      "functional | cycle | rtl | tlm | tlm-rtl")("jobs", po::value<int>()->value_name("N")->default_value(1),
                                                  "accelerators to simulate at a time")(
      "limit", po::value<size_t>()->value_name("N")->default_value(size_t{1} << 30, "all"),
      "only the first N samples")("samples", po::value<size_t>()->value_name("N")->default_value(32),
                                  "of --data=random")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "of --data=random")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write the figures as JSON; - is standard output");
  AddReadingOptions(options);
}

std::optional<Reference> OpenReference(const std::string& path, const std::string& data,
                                       const import::Options& import_options,
                                       const import::SampleOptions& sample_options,
                                       Diagnostics& diagnostics) {
  auto model = import::ImportFile(path, import_options, diagnostics);
  auto network = model ? quantize::ReadNetwork(path, diagnostics) : std::nullopt;
  if (!network) return std::nullopt;
  Reference reference{std::make_shared<const import::Model>(std::move(*model)), std::move(*network), nullptr};
  reference.samples = import::OpenSamples(*reference.model, data, sample_options, diagnostics);
  if (!reference.samples) return std::nullopt;
  return reference;
}

int Mistakes(const Diagnostics& diagnostics) {
  PrintError("{}", diagnostics.Render());
  return 1;
}

/// Whether there is something to hold the outputs against; prints mistakes.
bool CheckLabels(const po::variables_map& values, const import::Samples& samples,
                 const import::Model& model) {
  const std::string data = values["data"].as<std::string>();
  if (!samples.Label(0) && !values.count("reference"))
    return Fail(fmt::format("{}: nothing says what the right answers are", data),
                "an array `labels`, a folder for each class, a .csv, or --reference=FILE"),
           false;
  if (!values.count("normal")) return true;
  const graph::TensorType &in = model.graph.node(model.graph.inputs().front()).type,
                          &out = model.graph.node(model.graph.outputs().front()).type;
  if (graph::NumElements(in.shape) != graph::NumElements(out.shape))
    return Fail(fmt::format("--normal: the model does not repeat its input, {}, but gives {}",
                            graph::ToString(in), graph::ToString(out))),
           false;
  if (!samples.Label(0)) return Fail(fmt::format("--normal: {} has no classes", data)), false;
  return true;
}

/// Everything that was asked for, on what was read.
int Measure(const po::variables_map& values, const import::Options& import_options,
            const import::SampleOptions& sample_options, session::Options& run, const isa::Spec& spec) {
  Diagnostics diagnostics;
  const std::string path = run.network, data = values["data"].as<std::string>(),
                    json = values["json"].as<std::string>();
  std::optional<Reference> reference;
  if (values.count("reference")) {
    reference = OpenReference(values["reference"].as<std::string>(), data, import_options, sample_options,
                              diagnostics);
    if (!reference) return Mistakes(diagnostics);
  }
  auto model = import::ImportFile(path, import_options, diagnostics);
  if (!model) return Mistakes(diagnostics);
  if (model->graph.outputs().empty()) return Fail(fmt::format("{} has no outputs", path));
  run.model = std::make_shared<const import::Model>(std::move(*model));
  run.network = run.model->graph.name();
  if (reference && reference->model->graph.inputs().size() != run.model->graph.inputs().size())
    return Fail("the model and its reference differ in the number of inputs");
  std::unique_ptr<import::Samples> samples;
  if (data == "random" && reference) {
    samples = std::make_unique<FittedSamples>(*run.model, *reference->samples);
  } else {
    samples = import::OpenSamples(*run.model, data, sample_options, diagnostics);
  }
  if (samples && reference && samples->size() != reference->samples->size())
    return Fail(
        fmt::format("{} holds {} samples for {}, but {} for its reference, whose inputs have other types",
                    data, samples->size(), path, reference->samples->size()),
        "an .npz or .npy says its type; a .bin is taken as the model's");
  std::optional<import::onnx::File> network;
  if (samples && reference && path.ends_with(".onnx")) network = quantize::ReadNetwork(path, diagnostics);
  if (diagnostics.HasErrors()) return Mistakes(diagnostics);
  if (!CheckLabels(values, *samples, *run.model)) return 1;
  std::string error;
  const auto evaluator = session::Evaluator::Make(spec, run, error);
  if (!evaluator) return Fail(error);
  Measurement measurement(
      *evaluator, *samples, reference ? &*reference : nullptr, network, *run.model,
      values.count("normal") ? std::optional(values["normal"].as<int64_t>()) : std::nullopt);
  const bool good = measurement.Run(values["limit"].as<size_t>(), diagnostics, error);
  if (diagnostics.HasErrors()) return Mistakes(diagnostics);
  if (!good) return Fail(error);
  if (json != "-") Print("{}", TallyText(measurement.tally));
  const std::string report = TallyJson(measurement.tally, path, run.device);
  return json.empty() || WriteFile(json, report) ? 0 : 1;
}

}  // namespace

int AccuracyVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddOptions(options);
  const auto parsed = Parse(arguments, options, "accuracy MODEL --data=SOURCE [--reference=FILE] [options]",
                            "cosim accuracy model_int8.onnx --data=photos --reference=model.onnx", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  session::Options run;
  run.network = values["MODEL"].as<std::string>();
  run.device = values["device"].as<std::string>();
  run.jobs = values["jobs"].as<int>();
  if (!import::IsModelFile(run.network))
    return Fail(fmt::format("{}: not an .onnx or .tflite file", run.network));
  if (!values.count("data")) return Fail("--data is missing");
  if (!CheckDevice(run.device)) return 1;
  if (run.jobs < 1 || run.jobs > 256) return Fail("--jobs: from 1 to 256");
  if (values["limit"].as<size_t>() < 1) return Fail("--limit: at least 1");
  if (values["samples"].as<size_t>() < 1 || values["samples"].as<size_t>() > kMostSamples)
    return Fail(fmt::format("--samples: from 1 to {}", kMostSamples));
  const std::string json = values["json"].as<std::string>();
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto import_options = ImportOptionsIn(values);
  const auto input_options = InputOptionsIn(values);
  const auto spec = import_options && input_options ? LoadSpecFrom(values) : std::nullopt;
  if (!spec || !BuildRtlOf(*spec, run)) return 1;
  return Measure(values, *import_options,
                 {.input = *input_options,
                  .random = values["samples"].as<size_t>(),
                  .seed = values["seed"].as<uint64_t>()},
                 run, *spec);
}

}  // namespace cosim::cli
