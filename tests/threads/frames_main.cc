// SPDX-License-Identifier: Apache-2.0
// frames_threads MODULE: many frames of a module on three accelerators, functional and cycle-exact, for the
// thread sanitizer to watch. Exit status 0 when every frame is exact.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "isa/check.h"
#include "runtime/frames.h"
#include "runtime/module.h"
#include "sim/cycle/cycle_device.h"
#include "sim/functional/functional_device.h"

namespace cosim {
namespace {

constexpr int kAccelerators = 3, kFrames = 24;

template <typename DeviceType>
int64_t Mismatches(const isa::Spec& spec, const runtime::Module& module) {
  std::vector<std::unique_ptr<runtime::Device>> devices;
  for (int i = 0; i < kAccelerators * runtime::kFramesInFlight; ++i)
    devices.push_back(std::make_unique<DeviceType>(spec));
  std::vector<runtime::FrameInputs> inputs;
  for (const auto& sample : module.samples) inputs.push_back(sample.inputs);
  const auto run = runtime::ExecuteFrames(module.network, spec, devices, inputs, kFrames);
  COSIM_CHECK(run.error.empty(), "{}", run.error);
  int64_t wrong = 0;
  for (size_t f = 0; f < run.frames.size(); ++f)
    wrong += run.frames[f].outputs != module.samples[f % module.samples.size()].outputs;
  return wrong;
}

int Main(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string error;
  auto module = runtime::ReadModule({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, error);
  COSIM_CHECK(module, "{} {}", path, error);
  Diagnostics diags;
  const auto spec = isa::Elaborate(module->spec.isa, module->spec.config, module->spec.overrides, diags);
  COSIM_CHECK(spec, "{}", diags.Render());
  COSIM_CHECK(runtime::Link(*module, *spec, error, runtime::NativeCode::kLoad), "{}", error);
  const int64_t wrong =
      Mismatches<sim::FunctionalDevice>(*spec, *module) + Mismatches<sim::CycleDevice>(*spec, *module);
  fmt::print("{} frames, {} wrong\n", 2 * kFrames, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cosim

int main(int argc, char** argv) {
  COSIM_CHECK(argc == 2);
  return cosim::Main(argv[1]);
}
