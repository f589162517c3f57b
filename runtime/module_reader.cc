// SPDX-License-Identifier: Apache-2.0
// A FlatBuffer (module.fbs) as a Module. The bytes may come from anywhere: nothing is believed before it is
// checked.
#include <fmt/format.h>
#include <module_generated.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "isa/check.h"
#include "isa/program/codec.h"
#include "isa/text_escape.h"
#include "runtime/host_arrays.h"
#include "runtime/module.h"
#include "runtime/module_file.h"

namespace cosim::runtime {
namespace {

constexpr uint64_t kMostDram = uint64_t{1} << 32;  // instructions address no more
constexpr int64_t kMostWork = int64_t{1} << 53;    // of all layers; what is computed from it stays exact

class Reader {
 public:
  std::optional<Module> Read(const Envelope& envelope, std::string& error) {
    flatbuffers::Verifier verifier(envelope.payload.data(), envelope.payload.size());
    if (!format::VerifyModuleBuffer(verifier)) {
      error = "is not what its version says: the tables do not verify";
      return std::nullopt;
    }
    const format::Module& m = *format::GetModule(envelope.payload.data());
    module_.fingerprint = envelope.fingerprint;
    ReadSpec(*m.spec());
    const auto& p = *m.provenance();
    module_.provenance = {p.producer()->str(), p.model()->str(), p.checksum(), p.seed(), p.virtual_threads()};
    network_.name = module_.provenance.model;
    network_.value_bytes = m.value_bytes();
    network_.dram_bytes = m.dram_bytes();
    Expect(network_.dram_bytes <= kMostDram && network_.value_bytes <= network_.dram_bytes, "memory plan");
    for (const auto* l : *m.layers())
      network_.layers.push_back({.name = isa::OneLine(l->name()->str()),
                                 .op = isa::OneLine(l->op()->str()),
                                 .on_accelerator = l->on_accelerator(),
                                 .reason = isa::OneLine(l->reason()->str()),
                                 .schedule = isa::OneLine(l->schedule()->str()),
                                 .knobs = {},
                                 .macs = l->macs()});
    int64_t macs = 0;
    for (const Layer& layer : network_.layers) {
      const bool fits = layer.macs >= 0 && layer.macs <= kMostWork - macs;
      Expect(fits, "layers' MACs");
      if (fits) macs += layer.macs;
    }
    module_.code = {m.cpu_code()->architecture()->str(), m.cpu_code()->level()->str(),
                    Bytes(*m.cpu_code()->object())};
    if (m.model()) ReadModel(*m.model());
    for (const auto* step : *m.steps()) ReadStep(*step);
    ExpectSegmentsApart();
    network_.inputs = ReadPlaces(*m.inputs());
    network_.outputs = ReadPlaces(*m.outputs());
    for (const Place& output : network_.outputs) Expect(!output.image, "an output in rows of an image");
    for (const auto* s : *m.samples())
      module_.samples.push_back(
          {ReadArrays(*s->inputs(), network_.inputs), ReadArrays(*s->outputs(), network_.outputs)});
    Expect(!module_.samples.empty(), "no samples");
    if (wrong_.empty()) return std::move(module_);
    error = fmt::format("is inconsistent: {}", wrong_);
    return std::nullopt;
  }

 private:
  // Keeps the first thing that is wrong.
  void Expect(bool holds, std::string_view what) {
    if (!holds && wrong_.empty()) wrong_ = what;
  }

  bool InValues(uint64_t address, uint64_t bytes) const {
    return bytes <= network_.value_bytes && address <= network_.value_bytes - bytes;
  }

  static std::vector<uint8_t> Bytes(const flatbuffers::Vector<uint8_t>& data) {
    return {data.begin(), data.end()};
  }

  void ReadSpec(const format::Spec& spec) {
    const auto source = [](const format::Source& s) {
      return isa::SourceText{s.path()->str(), s.text()->str()};
    };
    module_.spec = {
        source(*spec.isa()), source(*spec.config()), {}, spec.isa_name()->str(), spec.config_name()->str()};
    for (const auto* o : *spec.overrides())
      module_.spec.overrides.push_back({o->key()->str(), o->value()->str()});
  }

  void ReadModel(const format::Model& model) {
    module_.model = {model.name()->str(), Bytes(*model.bytes()), {}};
    for (const auto* s : *model.shapes())
      module_.model->shapes[s->name()->str()].assign(s->extents()->begin(), s->extents()->end());
  }

  void ReadStep(const format::Step& step) {
    Expect((step.program() != nullptr) != (step.call() != nullptr),
           "a step that is not one of program and call");
    if (step.program()) {
      ReadProgram(*step.program());
    } else if (step.call()) {
      ReadCall(*step.call());
    }
  }

  void ReadProgram(const format::Program& p) {
    AcceleratorStep step;
    step.program.fingerprint = module_.fingerprint;
    step.program.code_address = p.code_address();
    step.program.dram_bytes = p.dram_bytes();
    Expect(p.dram_bytes() <= network_.dram_bytes, "a program outside DRAM");
    int code = 0;
    for (const auto* s : *p.segments()) {
      Expect(s->kind() <= format::SegmentKind::MAX, "a segment of no kind");
      const uint64_t bytes = s->data()->size();
      Expect(s->address() >= network_.value_bytes && s->address() <= network_.dram_bytes &&
                 bytes <= network_.dram_bytes - s->address(),
             "a segment outside the programs' memory");
      code += s->kind() == format::SegmentKind::Instructions;
      step.program.segments.push_back(
          {static_cast<isa::Segment::Kind>(s->kind()), s->name()->str(), s->address(), Bytes(*s->data())});
    }
    Expect(code == 1, "a program without its instructions");
    for (const uint32_t layer : *p.layers()) {
      Expect(layer < network_.layers.size(), "an instruction of no layer");
      step.layer_of.push_back(static_cast<int>(layer));
    }
    network_.steps.emplace_back(std::move(step));
  }

  // A device that has all programs at once runs one after the other.
  void ExpectSegmentsApart() {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const auto& step : network_.steps)
      if (const auto* program = std::get_if<AcceleratorStep>(&step))
        for (const isa::Segment& segment : program->program.segments)
          ranges.emplace_back(segment.address, segment.address + segment.bytes.size());
    std::ranges::sort(ranges);
    for (size_t i = 1; i < ranges.size(); ++i)
      Expect(ranges[i - 1].second <= ranges[i].first, "segments that overlap");
  }

  void ReadCall(const format::CpuCall& call) {
    CpuStep step;
    Expect(call.layer() < network_.layers.size(), "a call of no layer");
    step.layer = static_cast<int>(call.layer());
    if (call.routine()) {
      Expect(module_.model && call.symbol()->size() == 0, "a routine of no model");
      step.kernel = std::make_shared<RoutineSymbol>(*call.routine());
    } else {
      step.kernel = std::make_shared<KernelSymbol>(call.symbol()->str());
    }
    for (const auto* a : *call.arguments()) {
      CpuStep::Argument argument{a->address(), a->bytes(), nullptr, a->is_output()};
      if (a->constant()) {
        Expect(a->constant()->size() == a->bytes() && !a->is_output(), "a constant of a wrong size");
        const auto copy = std::make_shared<std::vector<uint8_t>>(Bytes(*a->constant()));
        argument.constant = std::shared_ptr<const void>(copy, copy->data());
      } else {
        Expect(InValues(a->address(), a->bytes()), "an argument outside the values");
      }
      step.arguments.push_back(std::move(argument));
    }
    step.work = ReadWork(*call.work());
    network_.steps.emplace_back(std::move(step));
  }

  HostWork ReadWork(const format::HostWork& from) {
    HostWork work{.iterations = from.iterations(),
                  .bytes = from.bytes(),
                  .routine_values = from.routine_values(),
                  .routine_macs = from.routine_macs()};
    bool fits = from.scalar()->size() == isa::kHostOps && from.vector()->size() == isa::kHostOps;
    if (fits) std::ranges::copy(*from.scalar(), work.scalar.begin());
    if (fits) std::ranges::copy(*from.vector(), work.vector.begin());
    const auto add = [&](int64_t count) {
      fits = fits && count >= 0 && count <= kMostWork - work_;
      if (fits) work_ += count;
    };
    for (const auto& list : {work.scalar, work.vector}) std::ranges::for_each(list, add);
    for (const int64_t count : {work.iterations, work.bytes, work.routine_values, work.routine_macs})
      add(count);
    Expect(fits, "the work of a call is no list of counts");
    return work;
  }

  std::vector<Place> ReadPlaces(const flatbuffers::Vector<flatbuffers::Offset<format::Place>>& places) {
    std::vector<Place> result;
    for (const auto* p : places) {
      Expect(InValues(p->address(), p->bytes()), "an input or output outside the values");
      Place place;
      place.name = p->name()->str();
      place.address = p->address();
      place.bytes = place.plain_bytes = p->bytes();
      place.type = p->type()->str();
      place.element_bytes = p->element_bytes();
      Expect(place.element_bytes > 0 && p->bytes() % place.element_bytes == 0,
             "an input or output of no elements");
      place.scale = p->scale();
      Expect(std::isfinite(place.scale), "a scale");
      place.zero_point = p->zero_point();
      place.tolerance = p->tolerance();
      place.rounded = p->rounded();
      Expect(std::isfinite(place.tolerance) && place.tolerance >= 0, "a tolerance");
      if (p->image()) ReadImage(*p->image(), place);
      result.push_back(std::move(place));
    }
    return result;
  }

  void ReadImage(const format::ImageRows& image, Place& place) {
    place.image = ImageRows{image.images(),    image.image_pitch(), image.rows(), image.row_bytes(),
                            image.row_pitch(), image.first(),       image.fill()};
    const bool fits = Fits(*place.image, place.bytes);
    Expect(fits, "rows of an image outside of it");
    if (fits) place.plain_bytes = place.image->PlainBytes();
  }

  std::vector<std::vector<uint8_t>> ReadArrays(
      const flatbuffers::Vector<flatbuffers::Offset<format::Bytes>>& arrays,
      const std::vector<Place>& places) {
    std::vector<std::vector<uint8_t>> result;
    for (const auto* array : arrays) result.push_back(Bytes(*array->data()));
    bool fits = result.size() == places.size();
    for (size_t i = 0; fits && i < places.size(); ++i) fits = result[i].size() == places[i].plain_bytes;
    Expect(fits, "a sample of other inputs or outputs");
    return result;
  }

  Module module_;
  Network& network_ = module_.network;
  int64_t work_ = 0;  // counts of the calls so far
  std::string wrong_;
};

bool DecodeWords(AcceleratorStep& step, const isa::Spec& spec, std::string& error) {
  for (const isa::Segment& segment : step.program.segments) {
    if (segment.kind != isa::Segment::Kind::kInstructions) continue;
    std::vector<isa::CodecError> errors;
    auto instructions = isa::DecodeProgram(spec, segment.bytes, errors);
    if (!instructions || instructions->size() != step.layer_of.size()) {
      error = errors.empty()
                  ? "its debug table is not as long as its program"
                  : fmt::format("instruction {}: {}", errors.front().instruction, errors.front().message);
      return false;
    }
    step.program.instructions = std::move(*instructions);
  }
  return true;
}

bool IsNative(const CpuStep& call) { return dynamic_cast<const KernelSymbol*>(call.kernel.get()) != nullptr; }

CpuKernelPtr FindKernel(const Module& module, const CpuStep& call, const LoadedObject* code,
                        std::string& error, const RoutineMaker& routines) {
  if (const auto* symbol = dynamic_cast<const KernelSymbol*>(call.kernel.get())) {
    auto kernel = code ? code->Find(symbol->name()) : nullptr;
    if (!kernel) error = fmt::format("its CPU code has no kernel {}", symbol->name());
    return kernel;
  }
  if (routines) return routines(module, call, error);
  error = fmt::format("{} takes the compiler's library", module.network.layers[call.layer].name);
  return nullptr;
}

}  // namespace

std::optional<Module> ReadModule(std::span<const uint8_t> bytes, std::string& error) {
  const auto envelope = Open(bytes, error);
  if (!envelope) return std::nullopt;
  return Reader().Read(*envelope, error);
}

void RoutineSymbol::RunOn(std::span<void* const>, const Parallel&) const {
  COSIM_CHECK(false, "routine {} is not linked", value_);
}

bool HasNativeCode(const Module& module) {
  return std::ranges::any_of(module.network.steps, [](const auto& step) {
    const auto* call = std::get_if<CpuStep>(&step);
    return call != nullptr && IsNative(*call);
  });
}

bool Link(Module& module, const isa::Spec& spec, std::string& error, NativeCode native,
          const RoutineMaker& routines) {
  if (module.fingerprint != spec.fingerprint) {
    error = fmt::format("it was compiled for spec {:016x} ({} on {}), and this is spec {} ({} on {})",
                        module.fingerprint, module.spec.isa_name, module.spec.config_name,
                        spec.FingerprintText(), spec.isa, spec.config);
    return false;
  }
  std::shared_ptr<const LoadedObject> code;
  if (HasNativeCode(module) && native == NativeCode::kRefuse)
    return error = "it has machine code, which is not to be loaded", false;
  if (HasNativeCode(module) && native == NativeCode::kLoad && !module.code.bytes.empty()) {
    code = LoadedObject::Load(module.code, error);
    if (!code) return false;
  }
  for (auto& step : module.network.steps) {
    if (auto* program = std::get_if<AcceleratorStep>(&step)) {
      if (!DecodeWords(*program, spec, error)) return false;
      continue;
    }
    auto& call = std::get<CpuStep>(step);
    if (native == NativeCode::kLeaveOut && IsNative(call)) continue;
    call.kernel = FindKernel(module, call, code.get(), error, routines);
    if (!call.kernel) return false;
  }
  MarkHostArrays(module.network, spec);
  return true;
}

}  // namespace cosim::runtime
