// SPDX-License-Identifier: Apache-2.0
// cosim explain: why a network, or each layer, takes the cycles it takes, and what would lift it.
#include "compiler/session/explain.h"

#include <fmt/format.h>

#include "cli/explain_partition.h"
#include "cli/explain_report.h"
#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/verbs.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

int RunPartition(const po::variables_map& values, const isa::Spec& spec,
                 const session::ExplainOptions& explain, const session::Origin& origin,
                 const std::string& json) {
  session::PartitionOptions options{.network = explain.model ? explain.model->graph.name() : explain.network,
                                    .model = explain.model,
                                    .seed = explain.seed,
                                    .activation_bits = explain.activation_bits,
                                    .virtual_threads = explain.virtual_threads,
                                    .respecify = {},
                                    .progress = {}};
  options.respecify = [&](const session::SpecChange& change) {
    return LoadSpecFrom(values, change.overrides, change.isa);
  };
  const auto partition = [&] {
    ProgressLine line;
    options.progress = line.Teller();
    return session::ExplainPartition(spec, options);
  }();
  if (json != "-") Print("{}", PartitionText(partition));
  return json.empty() || WriteFile(json, PartitionJson(partition, origin)) ? 0 : 1;
}

}  // namespace

int ExplainVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  AddActivationBits(options);
  options.add_options()("layer", po::value<std::string>()->value_name("NAME")->default_value(""),
                        "only this layer, with its knobs; lifts are then the layer's")(
      "layers", "each layer by itself, instead of the network on one screen")(
      "partition", "what runs on the host instead: which limit it met, and what would lift it")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2), "virtual threads a kernel")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write everything as JSON; - is standard output");
  AddShapeOption(options);
  const auto parsed =
      Parse(arguments, options,
            "explain NETWORK|FILE.tflite|FILE.onnx [--layer=NAME | --layers | --partition] [options]",
            "cosim explain small_cnn --config=tiny.yaml", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  session::ExplainOptions explain;
  explain.network = values["MODEL"].as<std::string>();
  explain.layer = values["layer"].as<std::string>();
  explain.seed = values["seed"].as<uint64_t>();
  explain.virtual_threads = values["virtual-threads"].as<int>();
  explain.respecify = [&](const std::vector<isa::Override>& changes) {
    return LoadSpecFrom(values, changes);
  };
  if (explain.virtual_threads < 1 || explain.virtual_threads > 8)
    return Fail("--virtual-threads: from 1 to 8");
  const std::string json = values["json"].as<std::string>();
  const bool partition = values.count("partition") > 0;
  if (partition && !explain.layer.empty())
    return Fail("--partition is of the whole network: leave out --layer");
  const bool layers = values.count("layers") > 0;
  if (layers && (partition || !explain.layer.empty()))
    return Fail(fmt::format("--layers shows them all: leave out --{}", partition ? "partition" : "layer"));
  if (import::IsModelFile(explain.network)) {
    explain.model = ImportModel(values, explain.network);
    if (!explain.model) return 1;
    explain.network = explain.model->graph.name();
  } else if (!CheckNetwork(explain.network)) {
    return 1;
  }
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto loaded = LoadSpecWithSource(values);
  if (!loaded) return 1;
  const isa::Spec& spec = loaded->spec;
  const auto activation_bits = ActivationBitsIn(values, spec);
  if (!activation_bits) return 1;
  explain.activation_bits = *activation_bits;
  const session::Origin origin = OriginFor(
      *loaded, {NetworkIdentity(values), explain.seed, explain.activation_bits, explain.virtual_threads});
  if (partition) return RunPartition(values, spec, explain, origin, json);
  std::string error;
  const auto result = [&] {
    ProgressLine line;
    explain.progress = line.Teller();
    return session::Explain(spec, explain, error);
  }();
  if (!result) return Fail(error);
  if (json != "-")
    Print("{}",
          layers || !explain.layer.empty() ? LayersText(*result, explain.layer) : NetworkText(*result, spec));
  return json.empty() || WriteFile(json, ExplanationJson(*result, origin)) ? 0 : 1;
}

}  // namespace cosim::cli
