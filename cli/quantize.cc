// SPDX-License-Identifier: Apache-2.0
// cosim quantize: a float model file as a quantized one, and what each layer lost.
#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/onnx_writer.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using quantize::LayerReport;

/// --bits16: a count of activations, a percentage of what their rounding costs, or all.
std::optional<quantize::Widening> WideningIn(const std::string& text) {
  if (text == "all") return quantize::Widening{.share = 1};
  constexpr size_t kMost = 1'000'000;
  const bool percent = text.ends_with('%');
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  size_t number = 0;
  const auto [rest, bad] = std::from_chars(text.data(), end, number);
  if (bad != std::errc() || rest != end || number < 1 || number > (percent ? 100 : kMost))
    return std::nullopt;
  return percent ? quantize::Widening{.share = static_cast<double>(number) / 100}
                 : quantize::Widening{.count = number};
}

std::string Table(const std::vector<LayerReport>& report, size_t samples) {
  size_t width = 5;
  bool wide = false;
  for (const LayerReport& row : report) {
    width = std::max(width, row.layer.value.size());
    wide |= row.layer.bits != 8;
  }
  std::string text = fmt::format("{:<{}} {:<18} {:>9} {:>9} {:>9}{}\n", "layer", width, "operator",
                                 "alone dB", "all dB", "cosine", wide ? " bits" : "");
  for (const LayerReport& row : report) {
    text += fmt::format("{:<{}} {:<18} {:>9.1f} {:>9.1f} {:>9.5f}", row.layer.value, width, row.layer.op,
                        row.alone.SqnrDb(), row.all.SqnrDb(), row.all.Cosine());
    text += wide ? fmt::format(" {:>4}\n", row.layer.bits) : "\n";
  }
  const LayerReport& worst = quantize::WorstLayer(report);
  return text + fmt::format(
                    "worst layer: {} ({}), {:.1f} dB by itself; signal to quantization noise over {} "
                    "samples\n",
                    worst.layer.value, worst.layer.op, worst.alone.SqnrDb(), samples);
}

/// Of this process so far.
double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// A line of progress once it has taken two seconds. Its part of the whole is known better than that of
/// steps.
void TellProgress(const quantize::Progress& progress) {
  constexpr double kSoon = 2;
  if (progress.seconds < kSoon || progress.part <= 0) return;
  ShowProgress(fmt::format("{} {}/{}, {}", progress.doing, progress.done, progress.total,
                           LeftText(progress.part, progress.seconds)));
}

std::string Json(const std::vector<LayerReport>& report, size_t samples, double seconds) {
  nlohmann::ordered_json json;
  json["seconds"] = seconds;
  json["peak_memory_mb"] = PeakMegabytes();
  json["samples"] = samples;
  json["worst_layer"] = quantize::WorstLayer(report).layer.value;
  for (const LayerReport& row : report)
    json["layers"].push_back({{"name", row.layer.value},
                              {"operator", row.layer.op},
                              {"bits", row.layer.bits},
                              {"alone_db", row.alone.SqnrDb()},
                              {"all_db", row.all.SqnrDb()},
                              {"cosine", row.all.Cosine()}});
  return JsonText(json);
}

int Mistakes(const Diagnostics& diagnostics) {
  PrintError("{}", diagnostics.Render());
  return 1;
}

void AddOptions(po::options_description& options) {
  options.add_options()("calibrate", po::value<std::string>()->value_name("SOURCE"),
                        "inputs: a folder of files, an .npz with a stack of them, or random")(
      "samples", po::value<size_t>()->value_name("N")->default_value(32), "of --calibrate=random")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1),
      "of --calibrate=random, and of the rows that learned rounding looks at")(
      "method", po::value<std::string>()->value_name("NAME")->default_value("auto"),
      "ranges of activations: auto | max | percentile | kl | mse")(
      "rounding", po::value<std::string>()->value_name("NAME")->default_value("learned"),
      "of weights: learned (for the results of their layer) | nearest")(
      "bits16", po::value<std::string>()->value_name("N|P%|all"),
      "activations of 16 bits: the N whose rounding costs the results most, those that cause P % of the "
      "cost, or all")("no-equalization", "leave channels of different ranges as they are")(
      "per-channel", "one weight scale an output channel")(
      "output,o", po::value<std::string>()->value_name("FILE"), "the quantized model, .onnx")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write the report as JSON; - is standard output");
  AddReadingOptions(options);
}

}  // namespace

int QuantizeVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddOptions(options);
  const auto parsed =
      Parse(arguments, options, "quantize MODEL --calibrate=SOURCE -o FILE [options]",
            "cosim quantize model.onnx --calibrate=photos --per-channel -o model_int8.onnx", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  const std::string path = values["MODEL"].as<std::string>(), json = values["json"].as<std::string>();
  if (!import::IsModelFile(path)) return Fail(fmt::format("{}: not an .onnx or .tflite file", path));
  for (const char* needed : {"calibrate", "output"})
    if (!values.count(needed)) return Fail(fmt::format("--{} is missing", needed));
  const std::string output = values["output"].as<std::string>();
  if (!output.ends_with(".onnx")) return Fail(fmt::format("--output={}: not an .onnx file", output));
  const auto method = quantize::ParseMethod(values["method"].as<std::string>());
  if (!method)
    return Fail(fmt::format("--method={}: not one of auto, max, percentile, kl, mse",
                            values["method"].as<std::string>()));
  const std::string rounding = values["rounding"].as<std::string>();
  if (rounding != "learned" && rounding != "nearest")
    return Fail(fmt::format("--rounding={}: not one of learned, nearest", rounding));
  const bool mixed = values.count("bits16") > 0;
  const auto widening =
      mixed ? WideningIn(values["bits16"].as<std::string>()) : std::optional(quantize::Widening{});
  if (!widening)
    return Fail(fmt::format("--bits16={}: not a number of activations, a percentage from 1 to 100, or all",
                            values["bits16"].as<std::string>()));
  if (output == json) return Fail(fmt::format("--output and --json both write {}", json));
  if (!CheckWritable(output) || (!json.empty() && !CheckWritable(json))) return 1;
  const auto import_options = ImportOptionsIn(values);
  const auto input_options = InputOptionsIn(values);
  if (!import_options || !input_options) return 1;
  if (values["samples"].as<size_t>() < 1 || values["samples"].as<size_t>() > kMostSamples)
    return Fail(fmt::format("--samples: from 1 to {}", kMostSamples));

  Diagnostics diagnostics;
  const auto start = std::chrono::steady_clock::now();
  // Importing checks the whole model, and says what its inputs are.
  const auto model = import::ImportFile(path, *import_options, diagnostics);
  if (!model) return Mistakes(diagnostics);
  if (!model->unused_shapes.empty())
    return Fail(fmt::format("--shape={}=...: {} has no input and no open dimension of that name",
                            model->unused_shapes.front(), path));
  const auto samples = import::OpenSamples(*model, values["calibrate"].as<std::string>(),
                                           {.input = *input_options,
                                            .random = values["samples"].as<size_t>(),
                                            .seed = values["seed"].as<uint64_t>()},
                                           diagnostics);
  // What the file lacks and what the samples lack are told together.
  auto network = quantize::ReadNetwork(path, diagnostics);
  if (network && samples) quantize::CheckNetwork(*network, diagnostics);
  if (samples) quantize::CheckSamples(*samples, diagnostics);
  if (!network || !samples || diagnostics.HasErrors()) return Mistakes(diagnostics);
  quantize::FixShapes(*network, *model);
  quantize::Settings settings{
      .method = *method,
      .per_channel = values.count("per-channel") > 0,
      .equalize = values.count("no-equalization") == 0,
      .bits16 = *widening,
      .rounding = rounding == "learned" ? quantize::Rounding::kLearned : quantize::Rounding::kNearest,
      .seed = static_cast<uint32_t>(values["seed"].as<uint64_t>())};
  const bool terminal = ShowsProgress();
  if (terminal) settings.progress = TellProgress;
  const auto outcome = quantize::QuantizeNetwork(std::move(*network), *samples, settings, diagnostics);
  if (terminal) ShowProgress("");
  if (!outcome) return Mistakes(diagnostics);
  std::string error;
  const auto bytes = quantize::WriteOnnx(outcome->quantized.file, error);
  if (!bytes) return Fail(fmt::format("ONNX's checker does not take the quantized model: {}", error));
  if (!WriteFile(output, *bytes)) return 1;
  const size_t compared = std::min(settings.reported, samples->size());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (json != "-")
    Print("{}{} layers quantized, {} samples seen, written to {}\n{:.1f} s, {:.0f} MB of memory at most\n",
          Table(outcome->report, compared), outcome->report.size(), samples->size(), output, seconds,
          PeakMegabytes());
  return json.empty() || WriteFile(json, Json(outcome->report, compared, seconds)) ? 0 : 1;
}

}  // namespace cosim::cli
