// SPDX-License-Identifier: Apache-2.0
#include "cli/python/native/loaded_module.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "runtime/module_tag.h"

namespace cosim::python {
namespace {

std::vector<uint8_t> BytesIn(const std::string& path) {
  const std::string hint = "`cosim compile` makes modules";
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);  // opening a pipe would wait for its writer
  if (!std::filesystem::exists(status))
    throw MistakeOf(fmt::format("{} cannot be read: there is no such file", path), hint);
  if (!std::filesystem::is_regular_file(status))
    throw MistakeOf(fmt::format("{} cannot be read: it is not a file", path), hint);
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) throw MistakeOf(fmt::format("{} cannot be read", path), hint);
  return bytes;
}

bool IsOfThisUser(const std::vector<uint8_t>& bytes) {
  std::string error;
  const auto key = runtime::TagKey(error);
  return key && runtime::OriginOf(bytes, *key) == runtime::Origin::kThisUser;
}

}  // namespace

Mistake MistakeOf(const std::string& message, const std::string& hint) {
  return Mistake("cosim: error: " + message + (hint.empty() ? "" : "\n  hint: " + hint));
}

LoadedModule::LoadedModule(const std::string& path, const std::vector<isa::Override>& settings, bool trust)
    : path_(path) {
  const std::vector<uint8_t> bytes = BytesIn(path);
  std::string error;
  auto module = runtime::ReadModule(bytes, error);
  if (!module) throw MistakeOf(fmt::format("{} {}", path, error), "`cosim compile` makes modules");
  module_ = std::move(*module);
  auto overrides = module_.spec.overrides;
  overrides.insert(overrides.end(), settings.begin(), settings.end());
  Diagnostics diagnostics;
  auto spec = isa::Elaborate(module_.spec.isa, module_.spec.config, overrides, diagnostics);
  if (!spec) throw Mistake(diagnostics.Render());
  spec_ = std::make_unique<const isa::Spec>(std::move(*spec));
  has_code_ = trust || !runtime::HasNativeCode(module_) || IsOfThisUser(bytes);
  const auto native = has_code_ ? runtime::NativeCode::kLoad : runtime::NativeCode::kLeaveOut;
  if (!runtime::Link(module_, *spec_, error, native))
    throw MistakeOf(fmt::format("{} cannot run: {}", path, error), "compile it again, or `cosim.run` it");
}

void LoadedModule::CheckInputs(const std::vector<std::vector<uint8_t>>& inputs) const {
  const auto& places = module_.network.inputs;
  if (inputs.size() != places.size())
    throw MistakeOf(fmt::format("{} takes {} inputs, not {}", path_, places.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].size() != places[i].plain_bytes)
      throw MistakeOf(fmt::format("input '{}' of {} is {}, {} bytes, not {}", places[i].name, path_,
                                  places[i].type, places[i].plain_bytes, inputs[i].size()));
}

runtime::Run LoadedModule::Run(const std::vector<std::vector<uint8_t>>& inputs, sim::Simulator device,
                               bool timing_only) {
  if (timing_only && device == sim::Simulator::kFunctional)
    throw MistakeOf("the functional simulator has no timing", "device=\"cycle\" has");
  if (!timing_only && !has_code_)
    throw MistakeOf(fmt::format("{} is not run: it has machine code for its host layers, and nothing says "
                                "that you made it",
                                path_),
                    "trust=True runs that code, which can do whatever your own programs can; "
                    "timing_only=True takes none; or compile the model here");
  if (!timing_only) CheckInputs(inputs);
  const std::scoped_lock lock(running_);
  Ready& ready = ready_[static_cast<size_t>(device)];
  if (!ready.device) ready.device = sim::MakeSimulator(device, *spec_);
  const auto programs = std::exchange(ready.programs, runtime::Programs::kToLoad);
  runtime::Run run = runtime::Execute(module_.network, *spec_, *ready.device, inputs, timing_only,
                                      /*accelerator=*/nullptr, programs);
  if (!run.completed) throw MistakeOf(fmt::format("{} stopped: {}", path_, run.error));
  if (!timing_only || programs == runtime::Programs::kLoaded) ready.programs = runtime::Programs::kLoaded;
  return run;
}

}  // namespace cosim::python
