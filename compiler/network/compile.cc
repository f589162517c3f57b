// SPDX-License-Identifier: Apache-2.0
// See compile.h. The steps of Compiler::Run are the pipeline.
#include "compiler/network/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/cpu/lower_group.h"
#include "compiler/cpu/work.h"
#include "compiler/network/convert.h"
#include "compiler/network/lower_group.h"
#include "compiler/network/memory_plan.h"
#include "compiler/network/plan.h"
#include "compiler/network/program_builder.h"
#include "compiler/network/rearranged.h"
#include "compiler/tir/rounding.h"
#include "isa/check.h"
#include "isa/digest.h"
#include "runtime/host_arrays.h"

namespace cosim::network {
namespace {

using graph::ValueId;

constexpr uint64_t kPage = 4096;
// Which instruction touched which byte of a value last is kept while a program is written, in thrice the
// memory.
constexpr uint64_t kMostValueBytes = uint64_t{2} << 30;
constexpr size_t kMostCachedPrograms = 16;  // of some megabytes each

class Compiler {
 public:
  /// `host_only`: why nothing runs on the accelerator; empty: what can does.
  Compiler(const graph::Graph& graph, const isa::Spec& spec, const CompileOptions& options,
           const std::string& host_only, cpu::CpuCompiler& cpu)
      : graph_(graph),
        spec_(spec),
        options_(options),
        cpu_(cpu),
        lowering_(spec, graph,
                  {.virtual_threads = options.virtual_threads,
                   .explain = options.explain,
                   .timing_only = options.timing_only,
                   .blank_constants = options.blank_constants,
                   .keep_every_value = options.keep_every_value,
                   .after_pass = options.after_pass,
                   .cache = options.cache,
                   .tuned = options.tuned,
                   .host_only = host_only}) {}

  /// Nothing, and `error` set, when the accelerator's addresses do not reach over the network.
  std::optional<runtime::Network> Run(std::string& error) {
    network_.name = graph_.name();
    const std::vector<Group> groups = Fuse(graph_, {options_.keep_every_value});
    for (size_t i = 0; i < groups.size(); ++i) Place(groups[i], NextKernel(groups, i));
    for (ValueId output : graph_.outputs()) Need({Root(output), {}});
    if (!options_.keep_every_value) DropUnread(plan_, Results());
    images_ = TakeImages(plan_, graph_, lowering_.array(), Results(), options_.channels_last);
    TakeTurns(plan_, lowering_);
    StayInBlocks(plan_, graph_, lowering_.array(), Results());
    PlanForms();
    if (!BuildPrograms(error)) return std::nullopt;
    if (!options_.timing_only) CompileCpu();
    WriteSteps();
    AddPlaces();
    if (!options_.timing_only) runtime::MarkHostArrays(network_, spec_);
    network_.layers = std::move(plan_.layers);
    return std::move(network_);
  }

 private:
  ValueId Root(ValueId id) const { return lowering_.LookThroughViews(id); }

  /// `behind`: the group placed next, or null. `why` it is apart from its neighbour, if that was measured.
  void Place(const Group& group, const Group* behind, std::string why = {}) {
    if (group.kind == GroupKind::kView || LeftForLater(group)) return;
    if (group.kind == GroupKind::kConcat && PlaceTogether(group)) return;
    std::string reason;
    Item item;
    if (auto turned = lowering_.LowerTransposition(group)) AppendTransposition(std::move(*turned));
    const std::vector<Group> parts = SplitBehindRequantization(graph_, group);
    if (parts.empty() || !lowering_.QuickerApart(group, parts, behind, why))
      item.accelerator = lowering_.Lower(group, reason);
    if (!item.accelerator && !parts.empty()) {  // or the add is too much
      if (why.empty() && PoolBehind(graph_, group) && !reason.empty())
        why = fmt::format("the max_pool by itself: {}", reason);
      for (size_t i = 0; i < parts.size(); ++i)
        Place(parts[i], i + 1 < parts.size() ? &parts[i + 1] : behind, why);
      return;
    }
    if (item.accelerator) {
      item.kind = Item::Kind::kAccelerator;
      item.group = group;
      item.reads = ReadsOf(*item.accelerator, lowering_.ReadLayout());
      item.writes = {item.accelerator->output, item.accelerator->output_layout};
    } else {
      item.kind = Item::Kind::kCpu;
      item.cpu_kernel = plan_.cpu_groups.size();
      plan_.cpu_groups.push_back({group.nodes});
      for (ValueId node : group.nodes)
        for (ValueId input : graph_.node(node).inputs)
          if (!std::count(group.nodes.begin(), group.nodes.end(), input) &&
              !graph_.node(input).As<graph::Constant>())
            item.reads.push_back({Root(input), {}});
      item.writes = {Root(group.result()), {}};
    }
    for (const FormKey& form : item.reads) Need(form);
    item.layer = AddLayer(plan_, LayerOf(graph_, group), item.accelerator ? why : reason,
                          item.accelerator.has_value());
    if (item.accelerator) {
      if (options_.placed) options_.placed(group, item.accelerator->tile);
      plan_.layers[item.layer].schedule = ToString(item.accelerator->tile);
      plan_.layers[item.layer].knobs = std::move(item.accelerator->knobs);
      plan_.layers[item.layer].alternatives = std::move(item.accelerator->alternatives);
    }
    Append(std::move(item));
  }

  // What repeats an edge for convolutions is mostly theirs to do: it waits until somebody reads its result.
  bool LeftForLater(const Group& group) {
    const auto* pad = graph_.node(group.anchor()).As<graph::Pad>();
    return pad != nullptr && pad->edge && group.nodes.size() == 1 && !options_.keep_every_value &&
           later_.emplace(group.result(), group).second;
  }

  void AppendTransposition(AcceleratorGroup made) {
    runtime::Layer layer;
    layer.name = made.kernel.name;
    layer.op = "transpose";
    layer.schedule = ToString(made.tile);
    Item item;
    item.kind = Item::Kind::kAccelerator;
    item.layer = AddLayer(plan_, std::move(layer),
                          "activations become weights: a product by the identity turns tiles", true);
    item.reads = ReadsOf(made, lowering_.ReadLayout());
    item.writes = {made.output, made.output_layout};
    item.accelerator = std::move(made);
    Append(std::move(item));
  }

  // Operands of a concatenation that fill whole blocks are written where the concatenation stands. False:
  // they do not, or stand somewhere already.
  bool PlaceTogether(const Group& group) {
    const Array& array = lowering_.array();
    const auto& inputs = graph_.node(group.anchor()).inputs;
    if (!lowering_.ArrayMisfit().empty() || array.layout_in != array.layout_out) return false;
    std::set<ValueId> parts;
    for (ValueId input : inputs)
      if (const ValueId part = Root(input);
          !FillsBlocks(graph_, part, array) || within_.count(part) || !parts.insert(part).second)
        return false;
    const FormKey whole{group.result(), lowering_.WrittenLayout()};
    uint64_t offset = 0;
    for (ValueId input : inputs) {
      const FormKey part{Root(input), lowering_.WrittenLayout()};
      Need(part);
      within_[part.value] = {whole.value, offset};
      offset += BytesOf(graph_, part.value, part.layout, array);
    }
    made_.insert({whole, plan_.items.size()});
    together_.push_back(whole);
    AddLayer(plan_, LayerOf(graph_, group), "its operands are written side by side", true);
    return true;
  }

  // What stands in memory of an input.
  FormKey InputForm(ValueId input) const {
    const auto image = images_.find(input);
    return image == images_.end() ? FormKey{input, {}} : image->second.first;
  }

  // Where a form stands: within another one, so many bytes from its begin, or by itself.
  std::pair<FormKey, uint64_t> HomeOf(FormKey form) const {
    if (const auto same = same_.find(form); same != same_.end()) form = same->second;
    uint64_t offset = 0;
    for (auto at = within_.find(form.value); at != within_.end() && form.layout == lowering_.WrittenLayout();
         at = within_.find(form.value)) {
      form.value = at->second.first;
      offset += at->second.second;
    }
    return {form, offset};
  }

  uint64_t AddressOf(const FormKey& form) const {
    const auto [home, offset] = HomeOf(form);
    return address_.at(home) + offset;
  }

  void Append(Item item) {
    made_.insert({item.writes, plan_.items.size()});
    plan_.items.push_back(std::move(item));
  }

  // Makes sure a form of a value is there, converting from the one that is.
  void Need(const FormKey& form) {
    if (made_.count(form)) return;
    if (const auto waits = later_.find(form.value); waits != later_.end() && waits->second) {
      Place(*std::exchange(waits->second, std::nullopt), nullptr);
      return Need(form);
    }
    if (form.layout.kind == Layout::Kind::kPlain && graph_.node(form.value).As<graph::Input>()) return;
    FormKey from{Root(form.value), {}};
    if (form.layout.kind == Layout::Kind::kPlain) {
      from = made_.lower_bound({form.value, {Layout::Kind::kBlocked}})->first;
      COSIM_CHECK(from.value == form.value && from.layout.kind == Layout::Kind::kBlocked);
      if (IsPlain(graph_, from, lowering_.array())) {
        same_.insert({form, from});
        made_.insert({form, made_.at(from)});
        return;
      }
    } else {
      const FormKey source{Root(SourceOf(graph_, {from.value, form.layout}).value), {}};
      if (!graph_.node(source.value).As<graph::Constant>()) from = source;
      Need(from);
    }
    Conversion conversion = ConversionOf(graph_, from, form, lowering_.array());
    runtime::Layer layer;
    layer.name = std::move(conversion.name);
    layer.op = std::move(conversion.op);
    Item item;
    item.kind = Item::Kind::kConvert;
    item.layer = AddLayer(plan_, std::move(layer), std::move(conversion.reason), false);
    item.cpu_kernel = plan_.conversions.size();
    item.reads = {from};
    item.writes = form;
    plan_.conversions.push_back(std::move(conversion.function));
    Append(std::move(item));
  }

  // What the graph's outputs are.
  std::vector<FormKey> Results() const {
    std::vector<FormKey> results;
    for (ValueId output : graph_.outputs()) results.push_back({Root(output), {}});
    return results;
  }

  void PlanForms() {
    const int end = static_cast<int>(plan_.items.size());
    std::map<FormKey, Lifetime> lives;
    const auto touch = [&](const FormKey& part, int step) {
      const FormKey form = HomeOf(part).first;
      const auto [it, added] = lives.try_emplace(
          form, Lifetime{BytesOf(graph_, form.value, form.layout, lowering_.array()), step, step});
      it->second.last = std::max(it->second.last, step);
    };
    for (ValueId input : graph_.inputs()) touch(InputForm(input), 0);
    for (int i = 0; i < end; ++i) {
      // Of two that take turns, each is there from the first's begin to the second's end.
      const bool leads = plan_.items[i].by_turns.has_value(), follows = i > 0 && plan_.items[i - 1].by_turns;
      for (const FormKey& form : plan_.items[i].reads) touch(form, leads ? i + 1 : i);
      touch(plan_.items[i].writes, follows ? i - 1 : i);
      touch(plan_.items[i].writes, i);
    }
    for (ValueId output : graph_.outputs()) touch({Root(output), {}}, end);
    // Where nothing is stored that is read in pieces, the verifier compares elements and not bytes.
    for (auto& [form, life] : lives) {
      const bool image = form.layout.kind == Layout::Kind::kImage;
      if (image) life.first = 0;
      if (image || options_.keep_every_value) life.last = end;
    }
    std::vector<Lifetime> list;
    for (const auto& [form, life] : lives) list.push_back(life);
    values_end_ = tir::RoundUp(PlanMemory(list, 64), kPage);
    size_t at = 0;
    for (const auto& [form, life] : lives) address_[form] = list[at++].address;
  }

  void CompileCpu() {
    group_kernels_ = cpu::CompileGroups(cpu_, graph_, plan_.cpu_groups);
    convert_kernels_ = cpu_.CompileAll(plan_.conversions);
  }

  runtime::CpuStep::Argument ArgumentFor(const FormKey& form, bool is_output) const {
    return {AddressOf(form),
            static_cast<uint64_t>(BytesOf(graph_, form.value, form.layout, lowering_.array())), nullptr,
            is_output};
  }

  static runtime::CpuStep::Argument ArgumentFor(const graph::TensorPtr& constant) {
    const auto bytes = constant->bytes();
    return {0, bytes.size(), std::shared_ptr<const void>(constant, bytes.data()), false};
  }

  runtime::CpuStep MakeCpuStep(const Item& item) const {
    runtime::CpuStep step;
    step.layer = item.layer;
    if (item.kind == Item::Kind::kConvert) {
      step.kernel = convert_kernels_[item.cpu_kernel];
      step.work = cpu::WorkOf(plan_.conversions[item.cpu_kernel]);
      step.arguments = {ArgumentFor(item.reads[0], false), ArgumentFor(item.writes, true)};
      return step;
    }
    const auto& kernel = group_kernels_[item.cpu_kernel];
    const auto read = [&](ValueId id) { return *std::ranges::find(item.reads, Root(id), &FormKey::value); };
    step.kernel = kernel.kernel;
    step.work = kernel.work;
    for (ValueId input : kernel.inputs) {
      const auto* constant = graph_.node(input).As<graph::Constant>();
      step.arguments.push_back(constant ? ArgumentFor(constant->data) : ArgumentFor(read(input), false));
    }
    for (const graph::TensorPtr& table : kernel.tables) step.arguments.push_back(ArgumentFor(table));
    step.arguments.push_back(ArgumentFor(item.writes, true));
    return step;
  }

  // Takes the item's constants.
  PlacedKernel PlaceKernel(Item& item, std::vector<isa::Segment>& constants, uint64_t& free_from) const {
    AcceleratorGroup& group = *item.accelerator;
    PlacedKernel placed{&group.kernel, {}, item.layer, item.by_turns};
    for (Role role : group.roles) {
      if (role == Role::kInput && group.input >= 0) {
        placed.addresses.push_back(AddressOf(item.reads[0]));
      } else if (role == Role::kResidual) {
        placed.addresses.push_back(AddressOf(item.reads[1]));
      } else if (role == Role::kWeights && group.weights >= 0) {
        placed.addresses.push_back(AddressOf(item.reads.back()));
      } else if (role == Role::kOutput) {
        placed.addresses.push_back(AddressOf(item.writes));
      } else {
        const auto constant = std::find_if(group.constants.begin(), group.constants.end(),
                                           [&](const auto& c) { return c.role == role; });
        COSIM_CHECK(constant != group.constants.end());
        placed.addresses.push_back(free_from);
        const uint64_t bytes = constant->bytes.size();
        constants.push_back(
            {isa::Segment::Kind::kConstants, constant->name, free_from, std::move(constant->bytes)});
        free_from = tir::RoundUp(free_from + bytes, kPage);
      }
    }
    return placed;
  }

  bool OnAccelerator(size_t item) const {
    return item < plan_.items.size() && plan_.items[item].kind == Item::Kind::kAccelerator;
  }

  // "" when there is no cache, or it does not know all of them.
  std::string KeyOf(const std::vector<PlacedKernel>& kernels, uint64_t free_from) const {
    if (options_.cache == nullptr) return "";
    std::string key = fmt::format("{} {}", values_end_, free_from);
    for (const PlacedKernel& kernel : kernels) {
      if (kernel.kernel->identity == 0) return "";
      key +=
          fmt::format(" {} {} {}{}", kernel.kernel->identity, kernel.layer, fmt::join(kernel.addresses, ","),
                      kernel.by_turns ? fmt::format(" turns {}", static_cast<int>(*kernel.by_turns)) : "");
    }
    return key;
  }

  std::optional<runtime::AcceleratorStep> MakeProgram(const std::vector<PlacedKernel>& kernels,
                                                      std::vector<isa::Segment> constants,
                                                      uint64_t& free_from, std::string& error) const {
    const std::string key = KeyOf(kernels, free_from);
    // Kept from the second time on: most are never asked for again.
    if (key.empty() || options_.cache->built.insert(isa::Sha256Hex(key)).second)
      return BuildProgram(spec_, kernels, std::move(constants), values_end_, free_from, error);
    auto known = options_.cache->programs.find(key);
    if (known == options_.cache->programs.end()) {
      uint64_t behind = free_from;
      auto step = BuildProgram(spec_, kernels, {}, values_end_, behind, error);
      if (!step) return std::nullopt;
      if (options_.cache->programs.size() >= kMostCachedPrograms) options_.cache->programs.clear();
      known = options_.cache->programs.emplace(key, BuiltProgram{std::move(*step), behind}).first;
    }
    runtime::AcceleratorStep step = known->second.step;
    step.program.fingerprint = spec_.fingerprint;  // times are in it, and not in the cache's key
    free_from = known->second.free_from;
    auto& segments = step.program.segments;
    segments.insert(segments.begin(), std::make_move_iterator(constants.begin()),
                    std::make_move_iterator(constants.end()));
    return step;
  }

  // One program for each run of items on the accelerator.
  bool BuildPrograms(std::string& error) {
    uint64_t free_from = values_end_;
    for (size_t i = 0; i < plan_.items.size(); ++i) {
      std::vector<isa::Segment> constants;
      std::vector<PlacedKernel> kernels;
      for (; OnAccelerator(i); ++i) kernels.push_back(PlaceKernel(plan_.items[i], constants, free_from));
      if (kernels.empty()) continue;
      if (values_end_ > kMostValueBytes) {
        error = fmt::format("its values take {} bytes: programs are ordered over at most {}", values_end_,
                            kMostValueBytes);
        return false;
      }
      auto program = MakeProgram(kernels, std::move(constants), free_from, error);
      if (!program) {
        error = fmt::format("the network takes more than {} bytes of memory: {}", values_end_, error);
        return false;
      }
      programs_.push_back(std::move(*program));
    }
    network_.dram_bytes = free_from;
    network_.value_bytes = values_end_;
    return true;
  }

  void WriteSteps() {
    auto program = programs_.begin();
    for (size_t i = 0; i < plan_.items.size(); ++i) {
      if (!OnAccelerator(i)) {
        if (!options_.timing_only) network_.steps.emplace_back(MakeCpuStep(plan_.items[i]));
      } else if (!OnAccelerator(i + 1)) {
        network_.steps.emplace_back(std::move(*program++));
      }
    }
  }

  runtime::Place PlaceOf(const FormKey& form, const std::string& name, ValueId value) const {
    const auto bytes = static_cast<uint64_t>(BytesOf(graph_, form.value, form.layout, lowering_.array()));
    return {name, value, AddressOf(form), bytes, nullptr, bytes};
  }

  void AddPlaces() {
    for (ValueId input : graph_.inputs()) {
      network_.inputs.push_back(PlaceOf(InputForm(input), graph_.node(input).name, input));
      const auto image = images_.find(input);
      if (image == images_.end()) continue;
      runtime::Place& place = network_.inputs.back();
      place.image = image->second.second;
      place.plain_bytes = place.image->PlainBytes();
      place.channels_last = image->second.first.value == input;
    }
    for (ValueId output : graph_.outputs())
      network_.outputs.push_back(PlaceOf({Root(output), {}}, graph_.node(output).name, output));
    if (!options_.keep_every_value) return;
    std::vector<FormKey> forms = together_;
    for (const Item& item : plan_.items)
      if (item.kind != Item::Kind::kConvert && item.writes.layout.kind != Layout::Kind::kMatrices)
        forms.push_back(item.writes);
    for (const FormKey& form : forms) {
      const ValueId value = form.value;
      auto place = PlaceOf(form, graph_.node(value).name, value);
      if (form.layout.kind == Layout::Kind::kBlocked) {
        place.unpack = cpu_.Compile(ConversionOf(graph_, form, {value, {}}, lowering_.array()).function);
        place.plain_bytes = BytesOf(graph_, value, {}, lowering_.array());
      }
      network_.values.push_back(std::move(place));
    }
  }

  const graph::Graph& graph_;
  const isa::Spec& spec_;
  const CompileOptions& options_;
  cpu::CpuCompiler& cpu_;
  GroupLowering lowering_;
  runtime::Network network_;
  Plan plan_;
  std::map<FormKey, size_t> made_;
  std::map<FormKey, FormKey> same_;                         // plain forms that are the bytes of another
  std::map<ValueId, std::pair<ValueId, uint64_t>> within_;  // written form: in whose, at which offset
  std::map<ValueId, std::optional<Group>> later_;           // what makes them; nothing: that has its place
  std::vector<FormKey> together_;                           // written forms that hold others
  Images images_;
  std::map<FormKey, uint64_t> address_;
  uint64_t values_end_ = 0;
  std::vector<runtime::AcceleratorStep> programs_;
  std::vector<cpu::GroupKernel> group_kernels_;
  std::vector<runtime::CpuKernelPtr> convert_kernels_;
};

/// Values of the graph that was given, not of the one it became.
runtime::Network WithValuesOf(const graph::Graph& graph, runtime::Network network) {
  for (size_t i = 0; i < network.inputs.size(); ++i) network.inputs[i].value = graph.inputs()[i];
  for (size_t i = 0; i < network.outputs.size(); ++i) network.outputs[i].value = graph.outputs()[i];
  return network;
}

}  // namespace

runtime::Network Compile(const graph::Graph& graph, const isa::Spec& spec, const CompileOptions& options,
                         cpu::CpuCompiler& cpu) {
  const graph::Graph rearranged = options.keep_every_value ? graph : Rearranged(graph, spec);
  std::string unreachable, none;
  if (auto network = Compiler(rearranged, spec, options, {}, cpu).Run(unreachable))
    return WithValuesOf(graph, std::move(*network));
  auto network = Compiler(graph, spec, options, unreachable, cpu).Run(none);
  COSIM_CHECK(network, "{}", none);
  return WithValuesOf(graph, std::move(*network));
}

runtime::Network CompileForHost(const graph::Graph& graph, bool keep_every_value, cpu::CpuCompiler& cpu) {
  std::string error;
  const isa::Spec no_accelerator;
  const CompileOptions options{.keep_every_value = keep_every_value, .after_pass = {}};
  auto network = Compiler(graph, no_accelerator, options, "the host was asked for", cpu).Run(error);
  COSIM_CHECK(network, "{}", error);
  return std::move(*network);
}

}  // namespace cosim::network
