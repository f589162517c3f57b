// SPDX-License-Identifier: Apache-2.0
// A Module as a FlatBuffer (module.fbs) in its envelope.
#include <module_generated.h>

#include "isa/check.h"
#include "runtime/module.h"
#include "runtime/module_file.h"

namespace cosim::runtime {
namespace {

using flatbuffers::Offset;

class Writer {
 public:
  std::vector<uint8_t> Write(const Module& module) {
    const auto spec = WriteSpec(module.spec);
    const auto& p = module.provenance;
    const auto producer = Text(p.producer), model = Text(p.model);
    const auto provenance =
        format::CreateProvenance(b_, producer, model, p.checksum, p.seed, p.virtual_threads);
    const Network& network = module.network;
    const auto layers = List<format::Layer>(network.layers, [&](const Layer& l) {
      const auto name = Text(l.name), op = Text(l.op), reason = Text(l.reason), schedule = Text(l.schedule);
      return format::CreateLayer(b_, name, op, l.on_accelerator, reason, schedule, l.macs);
    });
    const auto steps = List<format::Step>(network.steps, [&](const auto& step) {
      if (const auto* program = std::get_if<AcceleratorStep>(&step))
        return format::CreateStep(b_, WriteProgram(*program), 0);
      return format::CreateStep(b_, 0, WriteCall(std::get<CpuStep>(step)));
    });
    const auto inputs = WritePlaces(network.inputs), outputs = WritePlaces(network.outputs);
    const auto architecture = Text(module.code.architecture), level = Text(module.code.level);
    const auto code = format::CreateCpuCode(b_, architecture, level, Aligned(module.code.bytes));
    const auto samples = List<format::Sample>(module.samples, [&](const Sample& s) {
      const auto in = WriteArrays(s.inputs);
      return format::CreateSample(b_, in, WriteArrays(s.outputs));
    });
    const auto file = module.model ? WriteModel(*module.model) : Offset<format::Model>();
    b_.Finish(format::CreateModule(b_, spec, provenance, layers, steps, inputs, outputs, network.value_bytes,
                                   network.dram_bytes, code, samples, file));
    return Seal(module.fingerprint, {b_.GetBufferPointer(), b_.GetSize()});
  }

 private:
  // Names repeat; equal texts are stored once.
  Offset<flatbuffers::String> Text(const std::string& text) { return b_.CreateSharedString(text); }

  Offset<flatbuffers::Vector<uint8_t>> Blob(const std::vector<uint8_t>& bytes) {
    return b_.CreateVector(bytes);
  }

  Offset<flatbuffers::Vector<uint8_t>> Aligned(std::span<const uint8_t> bytes) {
    b_.ForceVectorAlignment(bytes.size(), 1, 16);
    return b_.CreateVector(bytes.data(), bytes.size());
  }

  template <typename Table, typename T, typename WriteOne>
  Offset<flatbuffers::Vector<Offset<Table>>> List(const std::vector<T>& items, WriteOne write) {
    std::vector<Offset<Table>> offsets;
    for (const T& item : items) offsets.push_back(write(item));
    return b_.CreateVector(offsets);
  }

  Offset<format::Source> WriteSource(const isa::SourceText& source) {
    const auto path = Text(source.path);
    return format::CreateSource(b_, path, Text(source.text));
  }

  Offset<format::Spec> WriteSpec(const SpecSource& spec) {
    const auto isa = WriteSource(spec.isa), config = WriteSource(spec.config);
    const auto overrides = List<format::Override>(spec.overrides, [&](const isa::Override& o) {
      const auto key = Text(o.path);
      return format::CreateOverride(b_, key, Text(o.value));
    });
    const auto isa_name = Text(spec.isa_name);
    return format::CreateSpec(b_, isa, config, overrides, isa_name, Text(spec.config_name));
  }

  Offset<format::Program> WriteProgram(const AcceleratorStep& step) {
    const auto segments = List<format::Segment>(step.program.segments, [&](const isa::Segment& s) {
      const auto name = Text(s.name);
      return format::CreateSegment(b_, static_cast<format::SegmentKind>(s.kind), name, s.address,
                                   Blob(s.bytes));
    });
    const std::vector<uint32_t> layers(step.layer_of.begin(), step.layer_of.end());
    return format::CreateProgram(b_, step.program.code_address, step.program.dram_bytes, segments,
                                 b_.CreateVector(layers));
  }

  Offset<format::CpuCall> WriteCall(const CpuStep& step) {
    const auto* symbol = dynamic_cast<const KernelSymbol*>(step.kernel.get());
    const auto* routine = dynamic_cast<const RoutineSymbol*>(step.kernel.get());
    COSIM_CHECK(symbol || routine, "a kernel without a name cannot be stored");
    const auto name = Text(symbol ? symbol->name() : "");
    const auto arguments = List<format::Argument>(step.arguments, [&](const CpuStep::Argument& a) {
      Offset<flatbuffers::Vector<uint8_t>> constant;
      if (a.constant) constant = Aligned({static_cast<const uint8_t*>(a.constant.get()), a.bytes});
      return format::CreateArgument(b_, a.address, a.bytes, constant, a.is_output);
    });
    const auto value = routine ? flatbuffers::Optional<uint32_t>(routine->value()) : flatbuffers::nullopt;
    return format::CreateCpuCall(b_, static_cast<uint32_t>(step.layer), name, arguments, value,
                                 WriteWork(step.work));
  }

  Offset<format::HostWork> WriteWork(const HostWork& work) {
    const auto scalar = b_.CreateVector(work.scalar.data(), work.scalar.size());
    const auto vector = b_.CreateVector(work.vector.data(), work.vector.size());
    return format::CreateHostWork(b_, scalar, vector, work.iterations, work.bytes, work.routine_values,
                                  work.routine_macs);
  }

  Offset<format::Model> WriteModel(const ModelFile& model) {
    const std::vector<std::pair<std::string, std::vector<int64_t>>> list(model.shapes.begin(),
                                                                         model.shapes.end());
    const auto shapes = List<format::Shape>(list, [&](const auto& shape) {
      const auto name = Text(shape.first);
      return format::CreateShape(b_, name, b_.CreateVector(shape.second));
    });
    const auto name = Text(model.name);
    return format::CreateModel(b_, name, Blob(model.bytes), shapes);
  }

  Offset<flatbuffers::Vector<Offset<format::Place>>> WritePlaces(const std::vector<Place>& places) {
    return List<format::Place>(places, [&](const Place& p) {
      COSIM_CHECK(!p.unpack, "{} is not plain", p.name);
      const auto name = Text(p.name), type = Text(p.type);
      Offset<format::ImageRows> image;
      if (const auto& i = p.image)
        image = format::CreateImageRows(b_, i->images, i->image_pitch, i->rows, i->row_bytes, i->row_pitch,
                                        i->first, i->fill);
      return format::CreatePlace(b_, name, p.address, p.bytes, type, p.scale, p.zero_point,
                                 static_cast<uint8_t>(p.element_bytes), p.tolerance, p.rounded, image);
    });
  }

  Offset<flatbuffers::Vector<Offset<format::Bytes>>> WriteArrays(
      const std::vector<std::vector<uint8_t>>& arrays) {
    return List<format::Bytes>(arrays,
                               [&](const auto& array) { return format::CreateBytes(b_, Blob(array)); });
  }

  flatbuffers::FlatBufferBuilder b_{1 << 20};
};

}  // namespace

std::vector<uint8_t> WriteModule(const Module& module) { return Writer().Write(module); }

}  // namespace cosim::runtime
