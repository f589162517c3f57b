// SPDX-License-Identifier: Apache-2.0
// Module files: what goes in comes out, the same bytes every time, and nothing that is not as it was written
// is taken for a module.
#include "runtime/module.h"

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "runtime/module_file.h"
#include "tests/runtime/small_module.h"

namespace cosim::runtime {
namespace {

using ::testing::HasSubstr;
using testing::SmallModule;
using ::testing::StartsWith;
using testing::TinySpec;

class ModuleTest : public ::testing::Test {
 protected:
  std::string ErrorOf(std::span<const uint8_t> bytes) {
    std::string error;
    EXPECT_FALSE(ReadModule(bytes, error));
    return error;
  }
  /// What the reader says of a module that `change` made inconsistent.
  std::string ErrorAfter(const std::function<void(Module&)>& change) {
    Module module = SmallModule(spec_);
    change(module);
    return ErrorOf(WriteModule(module));
  }
  static AcceleratorStep& Program(Module& m) { return std::get<AcceleratorStep>(m.network.steps[0]); }
  static CpuStep& Call(Module& m) { return std::get<CpuStep>(m.network.steps[1]); }

  const isa::Spec spec_ = TinySpec();
  const std::vector<uint8_t> bytes_ = WriteModule(SmallModule(spec_));
};

TEST_F(ModuleTest, GivesBackWhatWasWritten) {
  std::string error;
  auto read = ReadModule(bytes_, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->fingerprint, spec_.fingerprint);
  EXPECT_EQ(read->spec.isa.text, "isa text");
  EXPECT_EQ(read->spec.config.path, "tiny.yaml");
  EXPECT_EQ(read->spec.overrides.at(0).path, "memory.latency");
  EXPECT_EQ(read->provenance.checksum, 0x12345678u);
  EXPECT_EQ(read->network.layers.at(1).reason, "no such op");
  EXPECT_EQ(read->network.outputs.at(0).address, 64u);
  EXPECT_EQ(read->network.inputs.at(0).zero_point, -3);
  EXPECT_EQ(read->samples.at(0).outputs.at(0), (std::vector<uint8_t>{5, 6, 7, 8}));
  const auto& argument = Call(*read).arguments.at(1);
  EXPECT_EQ(static_cast<const uint8_t*>(argument.constant.get())[3], 4);
  EXPECT_EQ(Call(*read).work, (HostWork{{1, 2}, {3, 4}, 5, 6, 7, 8}));
  EXPECT_EQ(WriteModule(*read), bytes_);
}

TEST_F(ModuleTest, KeepsHowTheRowsOfAnImageStand) {
  Module module = SmallModule(spec_);
  module.network.inputs[0].image = ImageRows{
      .images = 1, .image_pitch = 9, .rows = 2, .row_bytes = 1, .row_pitch = 2, .first = 1, .fill = 5};
  module.samples[0].inputs[0].resize(2);
  std::string error;
  const auto read = ReadModule(WriteModule(module), error);
  ASSERT_TRUE(read) << error;
  const Place& input = read->network.inputs.at(0);
  ASSERT_TRUE(input.image);
  EXPECT_EQ(input.image->image_pitch, 9u);
  EXPECT_EQ(input.image->row_pitch, 2u);
  EXPECT_EQ(input.image->first, 1u);
  EXPECT_EQ(input.image->fill, 5);
  EXPECT_EQ(input.bytes, 4u);
  EXPECT_EQ(input.plain_bytes, 2u);
}

TEST_F(ModuleTest, CarriesAModelForItsRoutines) {
  Module module = SmallModule(spec_);
  Call(module).kernel = std::make_shared<RoutineSymbol>(7);
  module.model = ModelFile{"m.onnx", {1, 2, 3}, {{"batch", {1}}, {"x", {1, 3, 8}}}};
  module.code.bytes.clear();
  std::string error;
  auto read = ReadModule(WriteModule(module), error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->model->name, "m.onnx");
  EXPECT_EQ(read->model->bytes, module.model->bytes);
  EXPECT_EQ(read->model->shapes, module.model->shapes);
  EXPECT_EQ(WriteModule(*read), WriteModule(module));
  Module again = *read;
  EXPECT_FALSE(Link(again, spec_, error, NativeCode::kLoad));
  EXPECT_EQ(error, "b takes the compiler's library");
  const auto kernel = std::make_shared<KernelSymbol>("made");
  const auto maker = [&](const Module& from, const CpuStep& call, std::string&) -> CpuKernelPtr {
    EXPECT_EQ(from.model->name, "m.onnx");
    EXPECT_EQ(dynamic_cast<const RoutineSymbol&>(*call.kernel).value(), 7u);
    return kernel;
  };
  ASSERT_TRUE(Link(*read, spec_, error, NativeCode::kLoad, maker)) << error;
  EXPECT_EQ(Call(*read).kernel, kernel);
}

TEST_F(ModuleTest, LinkingDecodesTheProgramThatWasEncoded) {
  Module module = SmallModule(spec_);
  const auto instructions = Program(module).program.instructions;
  module.network.steps.pop_back();
  module.code.bytes.clear();
  std::string error;
  auto read = ReadModule(WriteModule(module), error);
  ASSERT_TRUE(read) << error;
  ASSERT_TRUE(Link(*read, spec_, error, NativeCode::kLoad)) << error;
  const auto& decoded = Program(*read).program.instructions;
  ASSERT_EQ(decoded.size(), instructions.size());
  for (size_t i = 0; i < decoded.size(); ++i) {
    EXPECT_EQ(decoded[i].format, instructions[i].format);
    EXPECT_EQ(decoded[i].values, instructions[i].values);
  }
}

TEST_F(ModuleTest, RefusesEveryFlippedBit) {
  std::vector<uint8_t> bytes = bytes_;
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= static_cast<uint8_t>(1 << bit);
      std::string error;
      ASSERT_FALSE(ReadModule(bytes, error)) << "byte " << i << " bit " << bit;
      ASSERT_NE(error, "");
      bytes[i] = bytes_[i];
    }
}

TEST_F(ModuleTest, RefusesEveryTruncation) {
  EXPECT_EQ(ErrorOf({}), "is cut off");
  for (size_t size = 0; size < bytes_.size(); ++size)
    ASSERT_THAT(ErrorOf({bytes_.data(), size}), StartsWith("is cut off")) << size;
}

TEST_F(ModuleTest, RefusesBytesAfterTheEnd) {
  std::vector<uint8_t> bytes = bytes_;
  bytes.push_back(0);
  EXPECT_THAT(ErrorOf(bytes), StartsWith("goes on after its end"));
}

TEST_F(ModuleTest, RefusesAnotherVersion) {
  std::vector<uint8_t> bytes = bytes_;
  bytes[8] = 9;
  EXPECT_EQ(ErrorOf(bytes), "has version 9 of the format, and this cosim reads version 4");
}

TEST_F(ModuleTest, RefusesWhatIsNoModule) {
  const std::string text = "layers: [conv]\n and much more text than a header has";
  EXPECT_EQ(ErrorOf({reinterpret_cast<const uint8_t*>(text.data()), text.size()}), "is not a module");
  EXPECT_FALSE(LooksLikeModule({}));
  EXPECT_TRUE(LooksLikeModule(bytes_));
}

// A checksum that is right says nothing about the rest.
TEST_F(ModuleTest, DamageBehindARightChecksumDoesNoHarm) {
  const std::vector<uint8_t> payload(bytes_.begin() + 32, bytes_.end());
  std::vector<uint8_t> changed = payload;
  int refused = 0;
  for (size_t i = 0; i < payload.size(); ++i)
    for (const uint8_t value : {0x00, 0xFF, 0x80}) {
      changed[i] = value;
      std::string error;
      auto read = ReadModule(Seal(spec_.fingerprint, changed), error);
      if (read) {
        read->code.bytes.clear();  // machine code is believed
        Link(*read, spec_, error, NativeCode::kLoad);
      }
      refused += read ? 0 : 1;
      changed[i] = payload[i];
    }
  EXPECT_GT(refused, 0);
}

TEST_F(ModuleTest, RefusesWhatPointsOutside) {
  const auto far = [](uint64_t& address) { address = ~uint64_t{0} - 1; };
  EXPECT_EQ(ErrorAfter([&](Module& m) { m.network.value_bytes = m.network.dram_bytes + 1; }),
            "is inconsistent: memory plan");
  EXPECT_EQ(ErrorAfter([&](Module& m) { m.network.dram_bytes = uint64_t{1} << 40; }),
            "is inconsistent: memory plan");
  EXPECT_EQ(ErrorAfter([&](Module& m) { far(Program(m).program.dram_bytes); }),
            "is inconsistent: a program outside DRAM");
  EXPECT_EQ(ErrorAfter([&](Module& m) { far(Program(m).program.segments[0].address); }),
            "is inconsistent: a segment outside the programs' memory");
  EXPECT_EQ(ErrorAfter([&](Module& m) { Program(m).program.segments[0].address = 0; }),
            "is inconsistent: a segment outside the programs' memory");
  EXPECT_EQ(ErrorAfter([&](Module& m) {
              auto& segments = Program(m).program.segments;
              segments[1].address = segments[0].address + segments[0].bytes.size() - 1;
            }),
            "is inconsistent: segments that overlap");
  EXPECT_EQ(ErrorAfter([&](Module& m) { Program(m).program.segments.pop_back(); }),
            "is inconsistent: a program without its instructions");
  EXPECT_EQ(ErrorAfter([&](Module& m) { Program(m).layer_of[0] = 2; }),
            "is inconsistent: an instruction of no layer");
  EXPECT_EQ(ErrorAfter([&](Module& m) { Call(m).layer = -1; }), "is inconsistent: a call of no layer");
  EXPECT_EQ(ErrorAfter([&](Module& m) { far(Call(m).arguments[0].address); }),
            "is inconsistent: an argument outside the values");
  EXPECT_EQ(ErrorAfter([&](Module& m) { far(Call(m).arguments[2].bytes); }),
            "is inconsistent: an argument outside the values");
  EXPECT_EQ(ErrorAfter([&](Module& m) { Call(m).arguments[1].is_output = true; }),
            "is inconsistent: a constant of a wrong size");
  EXPECT_EQ(ErrorAfter([&](Module& m) { Call(m).work.scalar[2] = -1; }),
            "is inconsistent: the work of a call is no list of counts");
  EXPECT_EQ(ErrorAfter([&](Module& m) { far(m.network.outputs[0].address); }),
            "is inconsistent: an input or output outside the values");
  EXPECT_EQ(ErrorAfter([&](Module& m) {
              m.network.inputs[0].image = ImageRows{.rows = 2, .row_bytes = 3, .row_pitch = 3};
            }),
            "is inconsistent: rows of an image outside of it");
  EXPECT_EQ(ErrorAfter([&](Module& m) {
              m.network.outputs[0].image = ImageRows{.rows = 2, .row_bytes = 2, .row_pitch = 2};
            }),
            "is inconsistent: an output in rows of an image");
  EXPECT_EQ(ErrorAfter([&](Module& m) { m.samples[0].inputs[0].push_back(0); }),
            "is inconsistent: a sample of other inputs or outputs");
  EXPECT_EQ(ErrorAfter([&](Module& m) { m.samples[0].outputs.clear(); }),
            "is inconsistent: a sample of other inputs or outputs");
  EXPECT_EQ(ErrorAfter([&](Module& m) { m.samples.clear(); }), "is inconsistent: no samples");
  EXPECT_EQ(ErrorAfter([&](Module& m) { Call(m).kernel = std::make_shared<RoutineSymbol>(0); }),
            "is inconsistent: a routine of no model");
}

TEST_F(ModuleTest, LinkingRefusesAnotherSpec) {
  std::string error;
  auto read = ReadModule(bytes_, error);
  isa::Spec other = spec_;
  other.fingerprint ^= 1;
  EXPECT_FALSE(Link(*read, other, error, NativeCode::kLoad));
  EXPECT_THAT(error, StartsWith("it was compiled for spec " + spec_.FingerprintText() + " (some on tiny)"));
}

TEST_F(ModuleTest, LinkingRefusesWordsThatAreNoInstructions) {
  Module module = SmallModule(spec_);
  module.code.bytes.clear();
  std::fill_n(Program(module).program.segments.back().bytes.begin(), 8, 0xFF);
  std::string error;
  auto read = ReadModule(WriteModule(module), error);
  ASSERT_TRUE(read) << error;
  EXPECT_FALSE(Link(*read, spec_, error, NativeCode::kLoad));
  EXPECT_THAT(error, StartsWith("instruction 0: "));
  module = SmallModule(spec_);
  module.code.bytes.clear();
  Program(module).layer_of.pop_back();
  read = ReadModule(WriteModule(module), error);
  EXPECT_FALSE(Link(*read, spec_, error, NativeCode::kLoad));
  EXPECT_EQ(error, "its debug table is not as long as its program");
}

TEST_F(ModuleTest, LinkingRefusesCodeItCannotLoad) {
  std::string error;
  auto read = ReadModule(bytes_, error);
  EXPECT_FALSE(Link(*read, spec_, error, NativeCode::kLoad));
  EXPECT_THAT(error, StartsWith("its CPU code cannot be loaded: "));
  read = ReadModule(bytes_, error);
  read->code.bytes.clear();
  EXPECT_FALSE(Link(*read, spec_, error, NativeCode::kLoad));
  EXPECT_EQ(error, "its CPU code has no kernel cosim_kernel_0");
}

TEST_F(ModuleTest, LinkingLoadsMachineCodeOnlyWhenTold) {
  std::string error;
  auto read = ReadModule(bytes_, error);
  EXPECT_TRUE(HasNativeCode(*read));
  EXPECT_FALSE(Link(*read, spec_, error, NativeCode::kRefuse));
  EXPECT_EQ(error, "it has machine code, which is not to be loaded");
  // The four bytes that stand for it are no object: whoever loaded them would fail.
  ASSERT_TRUE(Link(*read, spec_, error, NativeCode::kLeaveOut)) << error;
  EXPECT_NE(dynamic_cast<const KernelSymbol*>(Call(*read).kernel.get()), nullptr);
  EXPECT_FALSE(Program(*read).program.instructions.empty());
  // Without calls of it, it is not looked at.
  Module module = SmallModule(spec_);
  module.network.steps.pop_back();
  read = ReadModule(WriteModule(module), error);
  EXPECT_FALSE(HasNativeCode(*read));
  EXPECT_TRUE(Link(*read, spec_, error, NativeCode::kLoad)) << error;
  EXPECT_TRUE(Link(*read, spec_, error, NativeCode::kRefuse)) << error;
}

TEST_F(ModuleTest, RefusesNumbersThatWouldOverflowInSums) {
  for (const int64_t macs :
       {int64_t{-1}, int64_t{1} << 53, std::numeric_limits<int64_t>::max()})  // beside 1000
    EXPECT_EQ(ErrorAfter([&](Module& m) { m.network.layers[1].macs = macs; }),
              "is inconsistent: layers' MACs");
  EXPECT_EQ(ErrorAfter([](Module& m) { m.network.inputs[0].scale = std::numeric_limits<float>::infinity(); }),
            "is inconsistent: a scale");
  for (const int64_t count : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(ErrorAfter([&](Module& m) { Call(m).work.bytes = count; }),
              "is inconsistent: the work of a call is no list of counts");
    EXPECT_EQ(ErrorAfter([&](Module& m) { Call(m).work.vector[0] = count; }),
              "is inconsistent: the work of a call is no list of counts");
  }
}

TEST_F(ModuleTest, NamesOfLayersAreWrittenOut) {
  Module module = SmallModule(spec_);
  module.network.layers[0].name = "a\n\x1b[2J\xff";
  std::string error;
  EXPECT_EQ(ReadModule(WriteModule(module), error)->network.layers[0].name, "a\\n\\x1b[2J\\xff");
}

}  // namespace
}  // namespace cosim::runtime
