// SPDX-License-Identifier: Apache-2.0
// embed MODULE.cosim: runs the samples of a module on the cycle simulator and compares what comes out with
// what the golden model said when the module was compiled.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "isa/spec/loader.h"
#include "runtime/executor.h"
#include "runtime/module.h"
#include "sim/simulator.h"

namespace {

int Fail(const std::string& what) {
  std::cerr << "embed: " << what << '\n';
  return EXIT_FAILURE;
}

size_t Differences(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  size_t count = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return Fail("which module?");
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};

  std::string error;
  std::optional<cosim::runtime::Module> module = cosim::runtime::ReadModule(bytes, error);
  if (!module) return Fail(std::string(argv[1]) + " " + error);

  // The module brings the ISA and the configuration that it was compiled for.
  cosim::Diagnostics diagnostics;
  const auto& source = module->spec;
  const auto spec = cosim::isa::Elaborate(source.isa, source.config, source.overrides, diagnostics);
  if (!spec) return Fail(diagnostics.Render());

  // Machine code of host layers is loaded, which can do what this program can: module_tag.h tells whose it
  // is.
  if (!cosim::runtime::Link(*module, *spec, error, cosim::runtime::NativeCode::kLoad)) return Fail(error);

  const auto device = cosim::sim::MakeSimulator(cosim::sim::Simulator::kCycle, *spec);
  size_t different = 0;
  for (const auto& sample : module->samples) {
    const auto run = cosim::runtime::Execute(module->network, *spec, *device, sample.inputs, false);
    if (!run.completed) return Fail(run.error);
    for (size_t i = 0; i < run.outputs.size(); ++i)
      different += Differences(run.outputs[i], sample.outputs[i]);
    std::cout << module->network.name << ": " << run.cycles << " cycles\n";
  }
  std::cout << different << " bytes differ from the golden model's\n";
  return different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
