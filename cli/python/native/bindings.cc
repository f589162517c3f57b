// SPDX-License-Identifier: Apache-2.0
// The extension module cosim._native: what loaded_module.h and the loader of specifications can, in Python's
// plain types. cosim/spec.py and cosim/loaded.py make their objects of these; cosim/_native.pyi has the
// types.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/python/native/loaded_module.h"
#include "cli/python/native/spec_dict.h"
#include "isa/home.h"
#include "isa/spec/loader.h"

namespace cosim::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

using Settings = std::vector<std::pair<std::string, std::string>>;

std::vector<isa::Override> OverridesOf(const Settings& settings) {
  std::vector<isa::Override> overrides;
  for (const auto& [path, value] : settings) overrides.push_back({path, value});
  return overrides;
}

py::dict LoadSpecDict(const std::string& config, const std::string& isa, const Settings& settings) {
  Diagnostics diagnostics;
  const auto spec = isa::LoadSpec(config, isa, OverridesOf(settings), diagnostics);
  if (!spec) throw Mistake(diagnostics.Render());
  return SpecDict(*spec);
}

py::list PlaceDicts(const std::vector<runtime::Place>& places) {
  py::list list;
  for (const runtime::Place& place : places)
    list.append(py::dict("name"_a = place.name, "type"_a = place.type, "scale"_a = place.scale,
                         "zero_point"_a = place.zero_point));
  return list;
}

py::list BytesOf(const std::vector<std::vector<uint8_t>>& arrays) {
  py::list list;
  for (const auto& array : arrays)
    list.append(py::bytes(reinterpret_cast<const char*>(array.data()), array.size()));
  return list;
}

py::list SampleLists(const LoadedModule& module) {
  py::list list;
  for (const runtime::Sample& sample : module.samples())
    list.append(py::make_tuple(BytesOf(sample.inputs), BytesOf(sample.outputs)));
  return list;
}

py::dict LedgerDict(const isa::Spec& spec, const std::vector<runtime::LedgerRow>& ledger) {
  py::dict units;
  for (const runtime::LedgerRow& row : ledger) {
    py::dict tokens;
    for (size_t q = 0; q < row.wait_token.size(); ++q)
      tokens[py::str(spec.queues[q].name)] = row.wait_token[q];
    units[py::str(row.unit)] =
        py::dict("busy"_a = row.busy, "wait_push"_a = row.wait_push, "wait_token"_a = tokens,
                 "wait_port"_a = row.wait_port, "wait_memory"_a = row.wait_memory, "idle"_a = row.idle);
  }
  return units;
}

py::list LayerDicts(const runtime::Network& network, const runtime::Run& run) {
  py::list list;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const runtime::Layer& layer = network.layers[i];
    const runtime::LayerProfile& profile = run.layers[i];
    py::dict row("name"_a = layer.name, "op"_a = layer.op, "on_accelerator"_a = layer.on_accelerator,
                 "macs"_a = layer.macs, "schedule"_a = layer.schedule, "dram_bytes"_a = profile.dram_bytes,
                 "cpu_seconds"_a = profile.cpu_seconds);
    row["cycles"] = run.timed && run.layers_timed ? py::object(py::int_(profile.cycles)) : py::none();
    list.append(std::move(row));
  }
  return list;
}

py::dict RunDict(LoadedModule& module, const std::vector<py::buffer>& inputs, const std::string& device,
                 bool timing_only) {
  if (device != "cycle" && device != "functional")
    throw MistakeOf("unknown device '" + device + "'", "device is \"cycle\" or \"functional\"");
  std::vector<std::vector<uint8_t>> bytes;
  for (const py::buffer& input : inputs) {
    const py::buffer_info info = input.request();
    const auto* first = static_cast<const uint8_t*>(info.ptr);
    bytes.emplace_back(first, first + info.size * info.itemsize);
  }
  runtime::Run run;
  {
    const py::gil_scoped_release others;
    run = module.Run(bytes, device == "cycle" ? sim::Simulator::kCycle : sim::Simulator::kFunctional,
                     timing_only);
  }
  return py::dict("cycles"_a = run.timed ? py::object(py::int_(run.cycles)) : py::none(),
                  "outputs"_a = BytesOf(run.outputs), "layers"_a = LayerDicts(module.network(), run),
                  "ledger"_a = run.timed ? LedgerDict(module.spec(), run.ledger) : py::dict());
}

/// As cosim.Error, with the diagnostics that the text holds.
void Translate(std::exception_ptr raised) {
  try {
    if (raised) std::rethrow_exception(raised);
  } catch (const Mistake& mistake) {
    const py::object type = py::module_::import("cosim.errors").attr("Error");
    PyErr_SetObject(type.ptr(), type(mistake.what(), 1).ptr());
  }
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  m.doc() = "Specifications and modules in the caller's process.";
  py::register_exception_translator(&Translate);
  m.def("set_home", [](const std::string& folder) { isa::SetHome(folder); }, "folder"_a);
  m.def("load_spec", &LoadSpecDict, "config"_a, "isa"_a, "settings"_a);
  py::class_<LoadedModule>(m, "LoadedModule")
      .def(py::init([](const std::string& path, const Settings& settings, bool trust) {
             return std::make_unique<LoadedModule>(path, OverridesOf(settings), trust);
           }),
           "path"_a, "settings"_a, "trust"_a)
      .def_property_readonly("name", [](const LoadedModule& of) { return of.network().name; })
      .def_property_readonly("spec", [](const LoadedModule& of) { return SpecDict(of.spec()); })
      .def_property_readonly("inputs", [](const LoadedModule& of) { return PlaceDicts(of.network().inputs); })
      .def_property_readonly("outputs",
                             [](const LoadedModule& of) { return PlaceDicts(of.network().outputs); })
      .def_property_readonly("samples", &SampleLists)
      .def("run", &RunDict, "inputs"_a, "device"_a, "timing_only"_a);
}

}  // namespace cosim::python
