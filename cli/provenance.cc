// SPDX-License-Identifier: Apache-2.0
#include "cli/provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/report_figures.h"
#include "cli/version.h"
#include "compiler/import/import.h"
#include "compiler/session/identity.h"

namespace cosim::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownDigits = 12;

std::string FileText(const session::OriginFile& file) {
  return fmt::format("{} ({}, sha256 {})", file.name, file.path, file.sha256.substr(0, kShownDigits));
}

Json FileJson(const session::OriginFile& file) {
  return {{"name", file.name}, {"file", file.path}, {"sha256", file.sha256}};
}

}  // namespace

session::Origin OriginFor(const SpecWithSource& loaded, const session::ExperimentKey& key) {
  session::Origin origin =
      session::OriginOf(loaded.spec, loaded.source, loaded.isa_path, loaded.config_path, key);
  if (key.network.empty()) origin.experiment.clear();
  return origin;
}

bool Describe(const SpecWithSource& loaded, const session::ExperimentKey& key, session::Result& result,
              std::string& error) {
  result.origin = OriginFor(loaded, key);
  if (!result.run.timed) return true;
  result.clock = synth::EvidenceOf(synth::CachedPlacement(loaded.spec), loaded.spec);
  if (const std::string warning = EvidenceWarning(*result.clock); !warning.empty())
    result.warnings.push_back({"clock", warning});
  const auto band = LoadBand(loaded);
  if (!band) return true;
  result.band = session::TimeBand(band->low, band->high, result.network, error);
  return result.band.has_value();
}

std::string NetworkIdentity(const boost::program_options::variables_map& values) {
  const std::string& model = values["MODEL"].as<std::string>();
  if (!import::IsModelFile(model)) return model;
  Diagnostics diags;
  const auto bytes = import::ReadWhole(model, diags);
  if (!bytes) return model;
  std::string identity = session::FileIdentity({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (values.count("shape"))
    for (const std::string& shape : values["shape"].as<std::vector<std::string>>())
      identity += " shape " + shape;
  return identity;
}

std::string OriginLines(const session::Origin& origin) {
  std::string text = fmt::format("isa {}, configuration {}", FileText(origin.isa), FileText(origin.config));
  for (const std::string& set : origin.set) text += ", --set " + set;
  if (!origin.schedules.empty())
    text += fmt::format(", tuned schedules (sha256 {})", origin.schedules.substr(0, kShownDigits));
  return text + fmt::format("\nfingerprints: hardware {}, experiment {}; {} (commit {})\n", origin.hardware,
                            origin.experiment, origin.version, Commit());
}

Json OriginJson(const session::Origin& origin) {
  Json json = {{"isa", FileJson(origin.isa)},
               {"config", FileJson(origin.config)},
               {"set", origin.set},
               {"hardware_fingerprint", origin.hardware}};
  if (!origin.schedules.empty()) json["tuned_schedules_sha256"] = origin.schedules;
  if (!origin.experiment.empty()) json["experiment_fingerprint"] = origin.experiment;
  json["version"] = origin.version;
  json["commit"] = Commit();
  return json;
}

std::string BandText(const session::Result& result, const isa::Spec& spec) {
  if (!result.band) return "";
  return fmt::format(", {:.2f} to {:.2f} by its memory,", Milliseconds(result.band->low, spec),
                     Milliseconds(result.band->high, spec));
}

std::string FrameBandText(const session::Result& result, const isa::Spec& spec) {
  const std::optional<double> beside = result.end_to_end.BesideMs();
  if (!result.band || !beside) return "";
  return fmt::format(", {:.2f} to {:.2f} by its memory", Milliseconds(result.band->low, spec) + *beside,
                     Milliseconds(result.band->high, spec) + *beside);
}

Json MemoryJson(const session::Result& result, const isa::Spec& spec) {
  Json json = {{"setting", result.origin ? result.origin->memory : "typical"}};
  if (!result.band) return json;
  json["low_cycles"] = result.band->low;
  json["high_cycles"] = result.band->high;
  const double low = Milliseconds(result.band->low, spec), high = Milliseconds(result.band->high, spec);
  json["band_ms"] = {low, high};
  if (const auto beside = result.end_to_end.BesideMs())
    json["frame_band_ms"] = {low + *beside, high + *beside};
  return json;
}

}  // namespace cosim::cli
