// SPDX-License-Identifier: Apache-2.0
// cosim inspect: what a model file holds, what of it would run where, and what would lift the rest.
#include <fmt/format.h>

#include <filesystem>

#include "cli/inspect_report.h"
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

session::Partition PartitionOf(const po::variables_map& values, const isa::Spec& spec,
                               std::shared_ptr<const import::Model> model) {
  session::PartitionOptions options;
  options.network = model->graph.name();
  options.model = std::move(model);
  ProgressLine line;
  options.progress = line.Teller();
  if (values.count("lifts"))
    options.respecify = [&](const session::SpecChange& change) {
      return LoadSpecFrom(values, change.overrides, change.isa);
    };
  return session::ExplainPartition(spec, options);
}

/// Reads the file, and imports it if it can be.
int Inspect(const po::variables_map& values, const SpecWithSource& loaded, Inspection& inspection) {
  const std::string json = values["json"].as<std::string>();
  const auto options = ImportOptionsIn(values);
  if (!options) return 1;
  Diagnostics unreadable, problems;
  const auto bytes = import::ReadFile(inspection.file, unreadable);
  const std::string folder = std::filesystem::path(inspection.file).parent_path().string();
  auto summary = bytes ? import::Summarize(*bytes, inspection.file, folder.empty() ? "." : folder, unreadable)
                       : std::nullopt;
  if (!summary) {
    PrintError("{}", unreadable.Render());
    return 1;
  }
  inspection.summary = std::move(*summary);
  auto model = import::ImportFile(inspection.file, *options, problems);
  inspection.problems = problems.list();
  if (model && !CheckShapes(*model, inspection.file)) return 1;
  if (model) {
    inspection.notes = model->notes;
    inspection.partition =
        PartitionOf(values, loaded.spec, std::make_shared<const import::Model>(std::move(*model)));
  }
  if (json != "-") Print("{}", InspectionText(inspection));
  if (problems.HasErrors()) PrintError("{}", problems.Render());
  if (!json.empty() && !WriteFile(json, InspectionJson(inspection))) return 1;
  return problems.HasErrors() ? 1 : 0;
}

}  // namespace

int InspectVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()(
      "lifts", "try which changes of the configuration would bring the host's layers to the accelerator")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write everything as JSON; - is standard output");
  AddShapeOption(options);
  const auto parsed = Parse(arguments, options, "inspect FILE.tflite|FILE.onnx [options]",
                            "cosim inspect model.tflite --config=pynq.yaml", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  Inspection inspection;
  inspection.file = values["MODEL"].as<std::string>();
  if (!import::IsModelFile(inspection.file))
    return Fail(fmt::format("{}: not an .onnx or .tflite file", inspection.file),
                "of a network of the zoo, `cosim explain NETWORK --partition` says what runs where");
  const std::string json = values["json"].as<std::string>();
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto loaded = LoadSpecWithSource(values);
  if (!loaded) return 1;
  inspection.configuration = std::filesystem::path(loaded->config_path).filename().string();
  inspection.origin =
      OriginFor(*loaded, {NetworkIdentity(values), 0, 0, session::PartitionOptions().virtual_threads});
  return Inspect(values, *loaded, inspection);
}

}  // namespace cosim::cli
