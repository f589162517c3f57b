// SPDX-License-Identifier: Apache-2.0
#include "tests/network_fuzz/network_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "compiler/golden/golden.h"
#include "compiler/golden/tolerance.h"
#include "compiler/graph/verify.h"
#include "compiler/graph/zoo/random.h"
#include "compiler/schedules/accel/array.h"
#include "compiler/session/session.h"
#include "sim/cycle/cycle_device.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "sim/rtl/rtl_library.h"
#include "tests/network_fuzz/random_file.h"
#include "tests/network_fuzz/random_network.h"

namespace cosim::testing {
namespace {

using graph::zoo::Random;

class ConfigDrawer {
 public:
  ConfigDrawer(uint64_t seed, std::string isa) : random_(seed), isa_(std::move(isa)), vta_(isa_ == "vta") {}

  std::vector<isa::Override> Draw() {
    const int64_t block_in = Block(), block_out = BlockBeside(block_in);
    const int64_t batch = Chance(4) ? Pick(2, 4) : 1;
    const int64_t lane = Chance(vta_ ? 6 : 4) ? 16 : 8;
    const int64_t weight = Chance(4) ? Pick(4, 12) : lane == 16 && Chance(2) ? 16 : 8;
    Set("block_in", block_in);
    Set("block_out", block_out);
    Set("batch", batch);
    if (lane != 8) Set("inp_bits", lane);
    if (weight != 8) Set("wgt_bits", weight);
    Set("inp_bytes", Size(batch * block_in * lane / 8, 5, 9));
    Set("wgt_bytes", Size(block_in * block_out * weight / 8, 3, 7));
    Set("acc_bytes", Size(batch * block_out * 4, 5, 9));
    Set("uop_bytes", int64_t{512} << Pick(0, 3));
    Set("tokens", Pick(1, 6));
    Set("commands", Pick(2, 8));
    Set("fetch_words", Pick(4, 16));
    if (!vta_) DrawCosim();
    const int64_t port = int64_t{4} << Pick(0, 2), burst = int64_t{4} << Pick(0, 2);
    SetAt("memory.port_bits", port * 8);
    SetAt("memory.burst_beats", burst);
    SetAt("memory.latency", Pick(2, 40));
    SetAt("memory.write_latency", Pick(3, 20));
    SetAt("memory.outstanding", Pick(1, 8));
    if (Chance(3)) SetAt("memory.jitter", Pick(1, 20));
    if (Chance(3)) SetAt("memory.dram_bytes", Pick(1, 3 * port));
    if (Chance(2)) DrawPorts();
    return std::move(overrides_);
  }

 private:
  int64_t Pick(int64_t low, int64_t high) { return low + random_.Below(high - low + 1); }
  bool Chance(int64_t in) { return Pick(1, in) == 1; }
  /// Of any size, or a power of two: elements with gaps between them in DRAM, and without.
  int64_t Block() { return Chance(3) ? Pick(3, 26) : int64_t{4} << Pick(0, Chance(4) ? 4 : 2); }
  /// Mostly the same, at times a multiple, so that the ALU reads several elements of activations at once.
  int64_t BlockBeside(int64_t block) {
    if (!Chance(3)) return block;
    const int64_t multiple = block * Pick(2, 4);
    return Chance(2) && multiple <= 64 ? multiple : Block();
  }
  /// Room for a power of two of elements, and at times a part of one more.
  int64_t Size(int64_t element_bytes, int64_t low, int64_t high) {
    const int64_t more = Chance(3) ? Pick(0, element_bytes) : 0;
    return std::max<int64_t>(256, (element_bytes << Pick(low, high)) + more);
  }
  void SetAt(const std::string& path, int64_t value) { overrides_.push_back({path, std::to_string(value)}); }
  void Set(const std::string& name, int64_t value) { SetAt("parameters." + name, value); }

  void DrawCosim() {
    Set("par_depth", int64_t{4} << Pick(0, 3));
    Set("inp_banks", int64_t{1} << Pick(0, 2));
    Set("acc_banks", int64_t{1} << Pick(0, 2));
    Set("alu_lanes", Chance(2) ? int64_t{1} << Pick(0, 4) : Pick(1, 32));
    Set("load_beats", Pick(16, 64));
    if (Chance(3)) Set("iter_bits", Pick(4, 10));
    if (Chance(3)) Set("dim_bits", Pick(6, 12));
  }

  /// Fetch has port 0. The units that load and store are there or at port 1, or each has one of its own.
  void DrawPorts() {
    std::vector<std::string> units = {"load", "store"};
    if (isa_ == "vta") units.emplace_back("compute");
    if (isa_ == "cosim" && Chance(3)) {
      Set("load_units", 2);
      units.emplace_back("fill");
    }
    if (isa_ == "test/split_loads") units.emplace_back("fill");
    const bool own = Chance(3);
    for (size_t i = 0; i < units.size(); ++i)
      Set(units[i] + "_port", own ? static_cast<int64_t>(i) + 1 : Pick(0, 1));
  }

  Random random_;
  std::string isa_;
  bool vta_;
  std::vector<isa::Override> overrides_;
};

/// configs/tiny.yaml with the case's settings, under its ISA after its edits, which all apply.
std::optional<isa::Spec> SpecOf(const NetworkCase& c, Diagnostics& diags) {
  if (c.edits.empty()) return isa::LoadSpec("tiny", c.isa, c.overrides, diags);
  const auto texts = isa::FindSpecTexts("tiny", c.isa, c.overrides, diags);
  auto tree = texts ? isa::ParseYaml(texts->isa, diags) : std::nullopt;
  if (!tree) return std::nullopt;
  for (const IsaEdit& edit : c.edits)
    if (!Apply(edit, *tree)) return std::nullopt;
  return isa::Elaborate({"edited.yaml", Emit(*tree)}, texts->config, c.overrides, diags);
}

/// Adds edits that leave an ISA which still elaborates.
void DrawEdits(NetworkCase& c, Random& random) {
  constexpr int kTries = 6;
  for (int i = 0; i < kTries; ++i) {
    Diagnostics diags;
    const auto texts = isa::FindSpecTexts("tiny", c.isa, c.overrides, diags);
    auto tree = texts ? isa::ParseYaml(texts->isa, diags) : std::nullopt;
    if (!tree) return;
    for (const IsaEdit& edit : c.edits) Apply(edit, *tree);
    c.edits.push_back(DrawEdit(*tree, random));
    if (!SpecOf(c, diags)) c.edits.pop_back();
  }
}

Outcome Failed(std::string what) { return {Outcome::Kind::kFailed, std::move(what)}; }

double AsNumber(graph::Half v) { return static_cast<double>(static_cast<float>(v)); }
template <typename T>
double AsNumber(T v) {
  return static_cast<double>(v);
}

/// Where the element is that differs most, and what it should be; empty: all are within the tolerance.
std::string Differences(const std::string& device, const std::string& name, const std::vector<uint8_t>& bytes,
                        const graph::Tensor& golden, const golden::Tolerance& tolerance) {
  if (bytes.size() != golden.bytes().size())
    return fmt::format("{}: {} has {} bytes, not {}", device, name, bytes.size(), golden.bytes().size());
  const int64_t wrong = golden::CountMismatches(golden.dtype(), tolerance, bytes, golden.bytes());
  if (wrong == 0) return {};
  graph::Tensor got(golden.type());
  std::ranges::copy(bytes, got.mutable_bytes().begin());
  return graph::WithElementType(golden.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto have = got.data<T>(), want = golden.data<T>();
    size_t worst = 0;
    double most = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      const double difference = std::abs(AsNumber(have[i]) - AsNumber(want[i]));
      const bool numbers = std::isnan(AsNumber(have[i])) == std::isnan(AsNumber(want[i]));
      if (numbers ? difference > most : most < HUGE_VAL) worst = i, most = numbers ? difference : HUGE_VAL;
    }
    return fmt::format("{}: {}[{}] is {}, not {}, one of {} that differ", device, name, worst,
                       AsNumber(have[worst]), AsNumber(want[worst]), wrong);
  });
}

/// What one device does wrong with the network; empty: nothing.
std::string FaultOn(runtime::Device& device, const std::string& name, const isa::Spec& spec,
                    const runtime::Network& network, const std::vector<std::vector<uint8_t>>& inputs,
                    const std::vector<graph::TensorPtr>& golden,
                    const std::vector<golden::Tolerance>& tolerances, uint64_t seed) {
  device.PoisonOnChip(static_cast<uint32_t>(seed));
  const runtime::Run run = runtime::Execute(network, spec, device, inputs, false);
  if (!run.completed) return name + ": " + run.error;
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    const graph::ValueId value = network.outputs[i].value;
    auto text = Differences(name, network.outputs[i].name, run.outputs[i], *golden[value], tolerances[value]);
    if (!text.empty()) return text;
  }
  for (const auto& place : network.values)
    if (auto text = Differences(name, place.name, runtime::ReadPlain(device, place), *golden[place.value],
                                tolerances[place.value]);
        !text.empty())
      return text;
  for (const auto& row : run.ledger)
    if (run.timed && row.Total() != run.cycles)
      return fmt::format("{}: the ledger of {} has {} of {} cycles", name, row.unit, row.Total(), run.cycles);
  return {};
}

}  // namespace

std::string FaultOnDevices(const isa::Spec& spec, const runtime::Network& network, const graph::Graph& graph,
                           uint64_t seed, bool rtl, std::string& refusal) {
  const auto inputs = RandomInputs(graph, seed);
  const auto golden = golden::Run(graph, inputs);
  const auto tolerances = golden::TolerancesOf(graph);
  std::vector<std::vector<uint8_t>> bytes;
  for (const auto& input : inputs) bytes.emplace_back(input.bytes().begin(), input.bytes().end());
  sim::FunctionalDevice functional(spec);
  sim::CycleDevice cycle(spec);
  for (const auto& [name, device] :
       {std::pair<std::string, runtime::Device*>{"functional", &functional}, {"cycle", &cycle}})
    if (auto text = FaultOn(*device, name, spec, network, bytes, golden, tolerances, seed); !text.empty())
      return text;
  if (!rtl) return {};
  Diagnostics diags;
  const auto library = sim::BuildRtl(spec, {.quick = true}, diags);
  if (!library) return refusal = diags.Render(), std::string();
  sim::RtlDevice device(spec, *library);
  return FaultOn(device, "rtl", spec, network, bytes, golden, tolerances, seed);
}

NetworkCase DrawCase(uint64_t seed) {
  Random random(seed);
  NetworkCase c;
  constexpr const char* kIsas[] = {"cosim", "cosim", "vta", "test/split_loads"};
  c.isa = kIsas[random.Below(std::size(kIsas))];
  c.overrides = ConfigDrawer(random.Bits(), c.isa).Draw();
  c.threads = static_cast<int>(1 + random.Below(3));
  c.keep_every_value = random.Below(3) == 0;
  const bool wide = std::ranges::any_of(
      c.overrides, [](const isa::Override& override) { return override.path == "parameters.inp_bits"; });
  c.value_bits = random.Below(4) != 0 ? (wide ? 16 : 8) : random.Below(3) == 0 ? 16 : 8;
  c.seed = random.Bits();
  const int64_t steps = 1 + random.Below(12);
  for (int64_t i = 0; i < steps; ++i) c.steps.push_back(random.Bits());
  if (random.Below(2) == 0) DrawEdits(c, random);
  return c;
}

NetworkCase DrawFileCase(uint64_t seed) {
  Random random(~seed);
  NetworkCase c;
  constexpr const char* kIsas[] = {
      "cosim", "cosim", "cosim", "cosim", "cosim", "cosim", "cosim", "cosim", "test/split_loads", "vta"};
  constexpr const char* kFiles[] = {"int8", "int8", "int8", "uint8", "uint8", "int16"};
  c.isa = kIsas[random.Below(std::size(kIsas))];
  c.overrides = ConfigDrawer(random.Bits(), c.isa).Draw();
  // What a file's weights need, mostly, so that its convolutions do not all run on the host.
  if (random.Below(4) != 0)
    std::erase_if(c.overrides, [](const isa::Override& o) { return o.path == "parameters.wgt_bits"; });
  c.threads = static_cast<int>(1 + random.Below(3));
  c.keep_every_value = random.Below(3) == 0;
  c.file = kFiles[random.Below(std::size(kFiles))];
  const std::string lanes = "parameters.inp_bits";
  if (c.file == "int16" && random.Below(4) != 0) {
    std::erase_if(c.overrides, [&](const isa::Override& o) { return o.path == lanes; });
    c.overrides.push_back({lanes, "16"});
  }
  c.seed = random.Bits();
  const int64_t steps = 1 + random.Below(8);
  for (int64_t i = 0; i < steps; ++i) c.steps.push_back(random.Bits());
  return c;
}

namespace {

std::optional<graph::DType> FileTypeOf(const NetworkCase& c) {
  if (c.file == "int8") return graph::DType::kInt8;
  if (c.file == "uint8") return graph::DType::kUint8;
  if (c.file == "int16") return graph::DType::kInt16;
  return std::nullopt;
}

}  // namespace

std::map<std::string, int64_t> OperatorsOf(const NetworkCase& c) {
  const auto type = FileTypeOf(c);
  return type ? OperatorsOf(MakeFile(c.seed, c.steps, *type)) : std::map<std::string, int64_t>{};
}

std::string ToString(const NetworkCase& c) {
  std::vector<std::string> sets, steps;
  for (const auto& [path, value] : c.overrides) sets.push_back(path + ":" + value);
  for (uint64_t step : c.steps) steps.push_back(fmt::format("{:x}", step));
  std::string text =
      fmt::format("isa={} threads={} keep={} bits={}{} rtl={} seed={:x} set={} steps={}", c.isa, c.threads,
                  c.keep_every_value ? 1 : 0, c.value_bits, c.file.empty() ? "" : " file=" + c.file,
                  c.rtl ? 1 : 0, c.seed, fmt::join(sets, ","), fmt::join(steps, ","));
  for (size_t i = 0; i < c.edits.size(); ++i) text += (i == 0 ? " edits=" : "|") + ToString(c.edits[i]);
  return text;
}

std::optional<NetworkCase> ParseCase(const std::string& text) {
  NetworkCase c;
  const size_t edits = std::min(text.find(" edits="), text.size());  // they have blanks in them
  if (edits != text.size()) {
    std::istringstream items(text.substr(edits + 7));
    for (std::string item; std::getline(items, item, '|');) {
      const auto edit = ParseEdit(item);
      if (!edit) return std::nullopt;
      c.edits.push_back(*edit);
    }
  }
  std::istringstream words(text.substr(0, edits));
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) return std::nullopt;
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    std::istringstream items(value);
    if (key == "isa") {
      c.isa = value;
    } else if (key == "threads") {
      c.threads = std::atoi(value.c_str());
    } else if (key == "keep") {
      c.keep_every_value = value == "1";
    } else if (key == "bits") {
      c.value_bits = std::atoi(value.c_str());
    } else if (key == "file") {
      c.file = value;
    } else if (key == "rtl") {
      c.rtl = value == "1";
    } else if (key == "seed") {
      c.seed = std::strtoull(value.c_str(), nullptr, 16);
    } else if (key == "set") {
      for (std::string item; std::getline(items, item, ',');) {
        const size_t colon = item.find(':');
        if (colon == std::string::npos) return std::nullopt;
        c.overrides.push_back({item.substr(0, colon), item.substr(colon + 1)});
      }
    } else if (key == "steps") {
      for (std::string item; std::getline(items, item, ',');)
        c.steps.push_back(std::strtoull(item.c_str(), nullptr, 16));
    } else {
      return std::nullopt;
    }
  }
  if (!c.file.empty() && !FileTypeOf(c)) return std::nullopt;
  if (c.threads < 1 || (c.value_bits != 8 && c.value_bits != 16)) return std::nullopt;
  return c;
}

Outcome RunCase(const NetworkCase& c) {
  Diagnostics diags;
  const auto spec = SpecOf(c, diags);
  if (!spec) return {Outcome::Kind::kRefused, diags.Render()};
  std::string why;
  const kernels::Array array = kernels::FindArray(*spec, why);
  graph::Graph graph("");
  if (const auto type = FileTypeOf(c)) {
    auto model = ImportMade(MakeFile(c.seed, c.steps, *type), why);
    if (!model) return Failed("the importer: " + why);
    graph = std::move(model->graph);
  } else {
    graph = MakeNetwork(c.seed, c.steps, {array.weight_bits, c.value_bits, !array.HasParameters()});
  }
  if (const auto faults = graph::Verify(graph); !faults.empty()) return Failed("the graph: " + faults[0]);
  const auto network = session::CompileFor(
      *spec, graph, {.virtual_threads = c.threads, .keep_every_value = c.keep_every_value, .after_pass = {}});
  if (auto text = session::VerifyPrograms(*spec, network); !text.empty()) return Failed("verifier: " + text);
  Outcome outcome;
  for (const auto& layer : network.layers) {
    ++(layer.on_accelerator ? outcome.on_accelerator : outcome.on_cpu);
    if (layer.macs == 0) continue;
    ++(layer.on_accelerator ? outcome.sums_on_accelerator : outcome.sums_on_cpu);
    if (!layer.on_accelerator && outcome.reason.empty()) outcome.reason = layer.reason;
  }
  for (const auto& layer : network.layers)
    if (!layer.on_accelerator && layer.reason.empty())
      return Failed(layer.name + ": on the CPU without a reason");

  std::string refusal;
  const std::string fault = FaultOnDevices(*spec, network, graph, c.seed, c.rtl, refusal);
  if (!fault.empty()) return Failed(fault);
  if (!refusal.empty()) return {Outcome::Kind::kRefused, refusal};
  return outcome;
}

NetworkCase Shrink(NetworkCase c, const std::function<bool(const NetworkCase&)>& fails) {
  const auto without = [](auto list, size_t i) {
    list.erase(list.begin() + static_cast<int64_t>(i));
    return list;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto keep_if_failing = [&](const NetworkCase& candidate) {
      if (!fails(candidate)) return false;
      c = candidate;
      return smaller = true;
    };
    for (size_t i = c.steps.size(); i-- > 0;) {
      NetworkCase candidate = c;
      candidate.steps = without(c.steps, i);
      keep_if_failing(candidate);
    }
    for (size_t i = c.overrides.size(); i-- > 0;) {
      NetworkCase candidate = c;
      candidate.overrides = without(c.overrides, i);
      keep_if_failing(candidate);
    }
    for (size_t i = c.edits.size(); i-- > 0;) {
      NetworkCase candidate = c;
      candidate.edits = without(c.edits, i);
      keep_if_failing(candidate);
    }
    for (const bool threads : {true, false}) {
      NetworkCase candidate = c;
      if (threads ? c.threads == 1 : !c.keep_every_value) continue;
      (threads ? candidate.threads = 1 : candidate.keep_every_value = false);
      keep_if_failing(candidate);
    }
  }
  return c;
}

}  // namespace cosim::testing
