// SPDX-License-Identifier: Apache-2.0
// What the reader makes of files: several graphs, variables, options of custom operators, open batches.
#include <gmock/gmock.h>

#include "compiler/golden/golden.h"
#include "compiler/import/import.h"
#include "compiler/import/tflite/reader.h"
#include "compiler/import/tflite/schema_generated.h"

namespace cosim::import::tflite::reader_test {
namespace {

namespace fb = cosim::tflite;
using flatbuffers::Offset;
using testing::ElementsAre;
using testing::HasSubstr;

/// A file in the making.
class Writer {
 public:
  Writer() { buffers_.push_back(fb::CreateBuffer(builder_)); }

  Offset<fb::Tensor> Tensor(fb::TensorType type, const std::vector<int32_t>& shape,
                            std::vector<uint8_t> data = {}, bool variable = false,
                            const std::vector<int32_t>& signature = {}) {
    uint32_t buffer = 0;
    if (!data.empty()) {
      buffer = static_cast<uint32_t>(buffers_.size());
      builder_.ForceVectorAlignment(data.size(), 1, 16);
      buffers_.push_back(fb::CreateBuffer(builder_, builder_.CreateVector(data)));
    }
    const auto extents = builder_.CreateVector(shape), open = builder_.CreateVector(signature);
    const auto name = builder_.CreateString("t" + std::to_string(count_++));
    return fb::CreateTensor(builder_, extents, type, buffer, name, 0, variable, 0,
                            signature.empty() ? 0 : open);
  }

  template <typename Options>
  Offset<fb::Operator> Operator(fb::BuiltinOperator code, const std::vector<int32_t>& inputs,
                                const std::vector<int32_t>& outputs, fb::BuiltinOptions type,
                                Offset<Options> options, const std::vector<uint8_t>& custom = {}) {
    const auto index = static_cast<uint32_t>(codes_.size());
    const auto name = code == fb::BuiltinOperator_CUSTOM
                          ? builder_.CreateString("TFLite_Detection_PostProcess")
                          : Offset<flatbuffers::String>();
    codes_.push_back(fb::CreateOperatorCode(
        builder_, static_cast<int8_t>(std::min(static_cast<int>(code), 127)), name, 1, code));
    const auto in = builder_.CreateVector(inputs), out = builder_.CreateVector(outputs);
    const auto bytes = builder_.CreateVector(custom);
    return fb::CreateOperator(builder_, index, in, out, type, options.Union(), custom.empty() ? 0 : bytes);
  }

  void Graph(const std::vector<Offset<fb::Tensor>>& tensors, const std::vector<int32_t>& inputs,
             const std::vector<int32_t>& outputs, const std::vector<Offset<fb::Operator>>& operators) {
    const auto all = builder_.CreateVector(tensors);
    const auto in = builder_.CreateVector(inputs), out = builder_.CreateVector(outputs);
    const auto ops = builder_.CreateVector(operators);
    graphs_.push_back(fb::CreateSubGraph(builder_, all, in, out, ops));
  }

  std::vector<uint8_t> Bytes() {
    const auto codes = builder_.CreateVector(codes_);
    const auto graphs = builder_.CreateVector(graphs_);
    const auto buffers = builder_.CreateVector(buffers_);
    fb::FinishModelBuffer(builder_, fb::CreateModel(builder_, 3, codes, graphs, 0, buffers));
    return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
  }

  flatbuffers::FlatBufferBuilder& builder() { return builder_; }

 private:
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<Offset<fb::Buffer>> buffers_;
  std::vector<Offset<fb::OperatorCode>> codes_;
  std::vector<Offset<fb::SubGraph>> graphs_;
  int count_ = 0;
};

std::vector<uint8_t> BytesOf(const std::vector<float>& list) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(list.data());
  return {bytes, bytes + 4 * list.size()};
}

/// CALL_ONCE sets a variable; IF of a constant adds it to x, or not.
std::vector<uint8_t> BranchingFile(uint8_t holds, int32_t otherwise = 2) {
  Writer w;
  auto& b = w.builder();
  const auto handle = [&] {
    const auto container = b.CreateString(""), name = b.CreateString("v");
    return w.Operator(fb::BuiltinOperator_VAR_HANDLE, {}, {1}, fb::BuiltinOptions_VarHandleOptions,
                      fb::CreateVarHandleOptions(b, container, name));
  };
  const auto real = fb::TensorType_FLOAT32;
  {
    const auto once = w.Operator(fb::BuiltinOperator_CALL_ONCE, {}, {}, fb::BuiltinOptions_CallOnceOptions,
                                 fb::CreateCallOnceOptions(b, 3));
    const auto var = handle();
    const auto read =
        w.Operator(fb::BuiltinOperator_READ_VARIABLE, {1}, {2}, fb::BuiltinOptions_NONE, Offset<void>());
    const auto branch = w.Operator(fb::BuiltinOperator_IF, {3, 0, 2}, {4}, fb::BuiltinOptions_IfOptions,
                                   fb::CreateIfOptions(b, 1, otherwise));
    const auto x = w.Tensor(real, {1, 2}, {}, false, {-1, 2}), h = w.Tensor(fb::TensorType_RESOURCE, {}),
               v = w.Tensor(real, {1, 2}), c = w.Tensor(fb::TensorType_BOOL, {}, {holds}),
               y = w.Tensor(real, {1, 2});
    w.Graph({x, h, v, c, y}, {0}, {4}, {once, var, read, branch});
  }
  for (const bool adds : {true, false}) {
    const auto add = w.Operator(fb::BuiltinOperator_ADD, {0, adds ? 1 : 0}, {2},
                                fb::BuiltinOptions_AddOptions, fb::CreateAddOptions(b));
    const auto x = w.Tensor(real, {1, 2}), v = w.Tensor(real, {1, 2}), y = w.Tensor(real, {1, 2});
    w.Graph({x, v, y}, {0, 1}, {2}, {add});
  }
  const auto var = handle();
  const auto assign =
      w.Operator(fb::BuiltinOperator_ASSIGN_VARIABLE, {1, 0}, {}, fb::BuiltinOptions_NONE, Offset<void>());
  const auto one = w.Tensor(real, {1, 2}, BytesOf({100, 200})), h = w.Tensor(fb::TensorType_RESOURCE, {});
  w.Graph({one, h}, {}, {}, {var, assign});
  return w.Bytes();
}

TEST(Reader, GraphsCallGraphs) {
  for (const uint8_t holds : {0, 1}) {
    Diagnostics diagnostics;
    const auto model = ImportTflite(BranchingFile(holds), "test.tflite", diagnostics);
    ASSERT_TRUE(model) << diagnostics.Render();
    // The batch that the file leaves open is the one of its shape.
    EXPECT_EQ(model->graph.node(model->graph.inputs()[0]).type.shape, (graph::Shape{1, 2}));
    const auto values = golden::Run(model->graph, {graph::Tensor({1, 2}, std::vector<float>{1, 2})});
    const auto y = values[model->graph.outputs()[0]]->data<float>();
    EXPECT_THAT(std::vector<float>(y.begin(), y.end()), holds ? ElementsAre(101, 202) : ElementsAre(2, 4));
  }
}

TEST(Reader, AGraphThatIsNotThereIsNamed) {
  Diagnostics diagnostics;
  EXPECT_FALSE(ImportTflite(BranchingFile(0, 17), "test.tflite", diagnostics));
  EXPECT_THAT(diagnostics.Render(), HasSubstr("graph 17 does not exist"));
}

TEST(Reader, DamagedFilesOfSeveralGraphsAreRefusedOrRead) {
  const auto bytes = BranchingFile(1);
  uint32_t state = 7;
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    auto damaged = bytes;
    for (int flips = 0; flips < 1 + round % 4; ++flips) {
      state = state * 1664525 + 1013904223;
      damaged[state / 64 % damaged.size()] = static_cast<uint8_t>(state >> 24);
    }
    Diagnostics diagnostics;
    const auto model = ImportTflite(damaged, "damaged.tflite", diagnostics);
    EXPECT_EQ(model.has_value(), !diagnostics.HasErrors());
    refused += !model;
  }
  EXPECT_GT(refused, 1000);
}

TEST(Reader, OptionsOfChoosingOperators) {
  Writer w;
  auto& b = w.builder();
  const auto hot = w.Operator(fb::BuiltinOperator_ONE_HOT, {0}, {1}, fb::BuiltinOptions_OneHotOptions,
                              fb::CreateOneHotOptions(b, 2));
  const auto reverse =
      w.Operator(fb::BuiltinOperator_REVERSE_SEQUENCE, {0}, {2}, fb::BuiltinOptions_ReverseSequenceOptions,
                 fb::CreateReverseSequenceOptions(b, 3, 1));
  const auto local = w.Operator(fb::BuiltinOperator_LOCAL_RESPONSE_NORMALIZATION, {0}, {3},
                                fb::BuiltinOptions_LocalResponseNormalizationOptions,
                                fb::CreateLocalResponseNormalizationOptions(b, 5, 1.5f, 0.5f, 0.75f));
  const auto matrices =
      w.Operator(fb::BuiltinOperator_BATCH_MATMUL, {0}, {4}, fb::BuiltinOptions_BatchMatMulOptions,
                 fb::CreateBatchMatMulOptions(b, false, true, true));
  std::vector<Offset<fb::Tensor>> tensors;
  for (int i = 0; i < 5; ++i) tensors.push_back(w.Tensor(fb::TensorType_FLOAT32, {1, 2, 3}, {}, false));
  w.Graph(tensors, {0}, {1}, {hot, reverse, local, matrices});
  const auto bytes = w.Bytes();
  // The numbers of the format, which the schema here repeats.
  EXPECT_EQ(fb::BuiltinOptions_LocalResponseNormalizationOptions, 13);
  EXPECT_EQ(fb::BuiltinOptions_OneHotOptions, 61);
  EXPECT_EQ(fb::BuiltinOptions_ReverseSequenceOptions, 87);
  Diagnostics diagnostics;
  const auto file = Read(bytes, "test.tflite", diagnostics);
  ASSERT_TRUE(file) << diagnostics.Render();
  EXPECT_EQ(std::get<AxisOptions>(file->operators[0].options).axis, 2);
  EXPECT_EQ(std::get<AxisOptions>(file->operators[1].options).axis, 3);
  EXPECT_EQ(std::get<AxisOptions>(file->operators[1].options).batch, 1);
  const auto& response = std::get<LocalResponseOptions>(file->operators[2].options);
  EXPECT_EQ(response.radius, 5);
  EXPECT_EQ(response.bias, 1.5f);
  EXPECT_EQ(response.alpha, 0.5f);
  EXPECT_EQ(response.beta, 0.75f);
  const auto& product = std::get<ProductOptions>(file->operators[3].options);
  EXPECT_TRUE(!product.transpose_a && product.transpose_b && product.asymmetric);
}

TEST(Reader, OptionsOfLayersWithAState) {
  Writer w;
  auto& b = w.builder();
  const auto real = fb::TensorType_FLOAT32;
  const auto lstm = w.Operator(
      fb::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, {0}, {1},
      fb::BuiltinOptions_UnidirectionalSequenceLSTMOptions,
      fb::CreateUnidirectionalSequenceLSTMOptions(b, fb::ActivationFunctionType_TANH, 2.5f, 0.5f, true));
  const auto svdf = w.Operator(fb::BuiltinOperator_SVDF, {0}, {2}, fb::BuiltinOptions_SVDFOptions,
                               fb::CreateSVDFOptions(b, 3, fb::ActivationFunctionType_RELU));
  const auto resize =
      w.Operator(fb::BuiltinOperator_RESIZE_BILINEAR, {0}, {3}, fb::BuiltinOptions_ResizeBilinearOptions,
                 fb::CreateResizeBilinearOptions(b, false, true));
  const auto custom =
      w.Operator(fb::BuiltinOperator_CUSTOM, {0}, {4}, fb::BuiltinOptions_NONE, Offset<void>(), {1, 2, 3});
  std::vector<Offset<fb::Tensor>> tensors;
  for (int i = 0; i < 5; ++i) tensors.push_back(w.Tensor(real, {1, 2, 3}, {}, i == 0));
  w.Graph(tensors, {}, {1}, {lstm, svdf, resize, custom});
  const auto bytes = w.Bytes();
  Diagnostics diagnostics;
  const auto file = Read(bytes, "test.tflite", diagnostics);
  ASSERT_TRUE(file) << diagnostics.Render();
  EXPECT_TRUE(file->tensors[0].variable);
  const auto& first = std::get<RecurrentOptions>(file->operators[0].options);
  EXPECT_TRUE(first.tanh && first.time_major);
  EXPECT_EQ(first.cell_clip, 2.5f);
  EXPECT_EQ(first.projection_clip, 0.5f);
  const auto& second = std::get<RecurrentOptions>(file->operators[1].options);
  EXPECT_EQ(second.rank, 3);
  EXPECT_EQ(second.activation, Activation::kRelu);
  EXPECT_TRUE(std::get<ResizeOptions>(file->operators[2].options).half_pixel_centers);
  EXPECT_EQ(file->operators[3].name, "TFLite_Detection_PostProcess");
  EXPECT_FALSE(file->operators[3].custom_options);
}

}  // namespace
}  // namespace cosim::import::tflite::reader_test
