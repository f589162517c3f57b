// SPDX-License-Identifier: Apache-2.0
// cosim accuracy: how often a model file is right on labelled inputs, and agrees with a float reference.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/accuracy_layers.h"
#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/rtl_options.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "compiler/import/data/samples.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/loss.h"
#include "compiler/quantize/ranking.h"
#include "compiler/session/evaluator.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

constexpr size_t kChunk = 16;     // samples between two lines of progress
constexpr size_t kCompared = 16;  // samples whose layers are compared

using graph::Tensor;

/// The float model that the other is held against, and its inputs.
struct Reference {
  std::shared_ptr<const import::Model> model;
  import::onnx::File network;
  std::unique_ptr<import::Samples> samples;
};

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

struct Tally {
  size_t samples = 0, labelled = 0, top1 = 0, top5 = 0, agree = 0;
  runtime::Cycle cycles = 0;
  std::vector<quantize::LossFinder::Loss> losses;
};

class Measurement {
 public:
  /// `network`: of an ONNX model whose layers are to be compared; `model` is that of the evaluator.
  Measurement(session::Evaluator& evaluator, const import::Samples& samples, const Reference* reference,
              const std::optional<import::onnx::File>& network, const import::Model& model)
      : evaluator_(evaluator), samples_(samples), reference_(reference), network_(network), model_(model) {}

  /// False after reporting or setting `error`.
  bool Run(size_t limit, bool progress, Diagnostics& diagnostics, std::string& error) {
    const size_t n = std::min(limit, samples_.size());
    for (size_t begin = 0; begin < n; begin += kChunk) {
      if (progress)
        ShowProgress(fmt::format(
            "{}/{} samples{}", begin, n,
            tally.labelled ? fmt::format(", top-1 {}", Percent(Share(tally.top1, tally.labelled))) : ""));
      std::vector<std::vector<Tensor>> inputs;
      for (size_t i = begin; i < std::min(begin + kChunk, n); ++i) {
        auto input = samples_.Get(i, diagnostics);
        if (!input) return false;
        inputs.push_back(std::move(*input));
      }
      const auto outputs = evaluator_.Run(inputs, error);
      if (!outputs) return false;
      for (size_t i = 0; i < inputs.size(); ++i)
        if (!Count(begin + i, inputs[i], (*outputs)[i].front(), diagnostics, error)) return false;
    }
    if (progress) ShowProgress("");
    tally.cycles = evaluator_.cycles();
    if (reference_) tally.losses = finder_.Losses(reference_->network);
    return true;
  }

  static double Share(size_t part, size_t whole) {
    return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  }

  Tally tally;

 private:
  bool Count(size_t i, const std::vector<Tensor>& inputs, const Tensor& scores, Diagnostics& diagnostics,
             std::string& error) {
    ++tally.samples;
    if (const auto label = samples_.Label(i)) {
      const auto rank = quantize::RankOf(scores, *label);
      if (!rank)
        return error =
                   fmt::format("sample {} has label {}, but the model {} classes", i, *label, scores.size()),
               false;
      ++tally.labelled;
      tally.top1 += *rank < 1;
      tally.top5 += *rank < 5;
    }
    if (!reference_) return true;
    const auto exact_inputs = reference_->samples->Get(i, diagnostics);
    if (!exact_inputs) return false;
    const auto exact = quantize::Evaluate(reference_->network, *exact_inputs, error);
    if (!exact) return false;
    const Tensor& exact_scores = *exact->at(reference_->network.outputs.front().name);
    if (exact_scores.size() != scores.size())
      return error = fmt::format("the reference has {} classes, the model {}", exact_scores.size(),
                                 scores.size()),
             false;
    tally.agree += quantize::TopClass(exact_scores) == quantize::TopClass(scores);
    if (i >= kCompared) return true;
    if (!network_) return finder_.AddRun(*exact, LayersOf(model_, inputs, *exact)), true;
    const auto own = quantize::Evaluate(*network_, inputs, error);
    if (own) finder_.AddRun(*exact, *own);
    return own.has_value();
  }

  session::Evaluator& evaluator_;
  const import::Samples& samples_;
  const Reference* reference_;
  const std::optional<import::onnx::File>& network_;
  const import::Model& model_;
  quantize::LossFinder finder_;
};

const quantize::LossFinder::Loss& Worst(const Tally& tally) {
  return *std::max_element(tally.losses.begin(), tally.losses.end(),
                           [](const auto& a, const auto& b) { return a.lost_db < b.lost_db; });
}

std::string Text(const Tally& tally, bool with_reference) {
  std::string text = fmt::format("{} samples", Grouped(static_cast<int64_t>(tally.samples)));
  if (tally.cycles) text += fmt::format(", {} cycles each", Grouped(tally.cycles / tally.samples));
  text += "\n";
  const auto line = [&](const char* what, size_t part, size_t whole) {
    text +=
        fmt::format("{:<26} {:>8}   {} of {}\n", what, Percent(Measurement::Share(part, whole)), part, whole);
  };
  if (tally.labelled) {
    line("top-1", tally.top1, tally.labelled);
    line("top-5", tally.top5, tally.labelled);
  }
  if (!with_reference) return text;
  line("agreement with reference", tally.agree, tally.samples);
  if (tally.losses.empty())
    return text +
           "layers: no values of the model have names of the reference's; an ONNX model has them when it "
           "was quantized from it, a TensorFlow Lite model when both consist of the same operators\n";
  const auto& worst = Worst(tally);
  if (worst.lost_db < 0.1) return text + "no layer loses more of the signal than eight bits have to\n";
  return text + fmt::format("most is lost in {} ({}): {:.1f} dB of signal to noise, {:.1f} dB are left\n",
                            worst.value, worst.op, worst.lost_db, worst.db);
}

std::string TallyJson(const Tally& tally, const std::string& model, const std::string& device,
                      bool with_reference) {
  nlohmann::ordered_json json = {{"model", model}, {"device", device}, {"samples", tally.samples}};
  if (tally.cycles) json["cycles"] = tally.cycles;
  if (tally.labelled) {
    json["labelled"] = tally.labelled;
    json["top1"] = Measurement::Share(tally.top1, tally.labelled);
    json["top5"] = Measurement::Share(tally.top5, tally.labelled);
  }
  if (with_reference) json["agreement"] = Measurement::Share(tally.agree, tally.samples);
  if (!tally.losses.empty()) json["most_lost_in"] = Worst(tally).value;
  for (const auto& loss : tally.losses)
    json["layers"].push_back(
        {{"name", loss.value}, {"operator", loss.op}, {"db", loss.db}, {"lost_db", loss.lost_db}});
  return JsonText(json);
}

void AddOptions(po::options_description& options) {
  AddSpecOptions(options);
  options.add_options()(
      "data", po::value<std::string>()->value_name("SOURCE"),
      "labelled inputs: an .npz with an array `labels`, folders of images by class; or random")(
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
  std::optional<import::onnx::File> network;
  if (samples && reference && path.ends_with(".onnx")) network = quantize::ReadNetwork(path, diagnostics);
  if (diagnostics.HasErrors()) return Mistakes(diagnostics);
  if (!samples->Label(0) && !reference)
    return Fail(fmt::format("{}: nothing says what the right answers are", data),
                "an array `labels`, a folder for each class, or --reference=FILE");
  std::string error;
  const auto evaluator = session::Evaluator::Make(spec, run, error);
  if (!evaluator) return Fail(error);
  Measurement measurement(*evaluator, *samples, reference ? &*reference : nullptr, network, *run.model);
  const bool good =
      measurement.Run(values["limit"].as<size_t>(), isatty(STDERR_FILENO) != 0, diagnostics, error);
  if (diagnostics.HasErrors()) return Mistakes(diagnostics);
  if (!good) return Fail(error);
  if (json != "-") Print("{}", Text(measurement.tally, reference.has_value()));
  const std::string report = TallyJson(measurement.tally, path, run.device, reference.has_value());
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
