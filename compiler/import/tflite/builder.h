// SPDX-License-Identifier: Apache-2.0
// Builds the graph of a TensorFlow Lite file, operator by operator. Tensors of four dimensions live in one or
// both of two layouts, the file's NHWC ("plain") and the graph's NCHW, and are converted when one is wanted
// that is not there. uint8 tensors become int8 ones, every value and zero point less by 128. int16 tensors
// stay what they are; only the host computes on them.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/host/elementwise.h"
#include "compiler/host/fixed_point.h"
#include "compiler/host/index.h"
#include "compiler/host/tflite.h"
#include "compiler/host/tflite_recurrent.h"
#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/import.h"
#include "compiler/import/tflite/interpolation.h"
#include "compiler/import/tflite/reader.h"

namespace cosim::import::tflite {

inline bool SameQuantization(const TensorInfo& a, const TensorInfo& b) {
  return a.dtype == b.dtype && a.scales == b.scales && a.zero_points == b.zero_points;
}

inline constexpr char kMovesReason[] = "moves elements only: the host does that";

/// Why products of two activations of int16 are none of the core's.
inline constexpr char kWideReason[] =
    "its values have 16 bits and its sums more than 32: accumulators have 32, wider ones would lift that";

/// What all graphs of a file share while they become one.
struct Scope {
  struct Variable {
    graph::TensorPtr initial;
    graph::ValueId value = -1;  ///< now; -1: `initial`
    int state = -1;             ///< which of Scope::states; -1: none
  };
  struct State {
    graph::ValueId input = -1;
    graph::TensorPtr initial;
    graph::ValueId value = -1;  ///< at the end of a run
    std::string name;
  };
  const File* root = nullptr;
  std::map<std::string, Variable> variables;
  std::set<std::string> assigned;  ///< variables that a run may change
  bool assigns_any = false;        ///< … or any of them
  bool initializing = false;       ///< inside CALL_ONCE
  int branches = 0;                ///< graphs that may turn out not to run
  std::vector<State> states;
  /// Of values that several tensors share, each in the other layout: to channels second, to channels last.
  std::map<graph::ValueId, graph::ValueId> to_nchw, to_plain;
  int64_t operators = 0, bytes = 0;        ///< of all graphs called so far
  int64_t fold_budget = int64_t{1} << 28;  ///< elements that constants may still be computed from and into
};

class Builder {
 public:
  Builder(const File& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics), scope_(std::make_shared<Scope>()) {
    model_.graph = graph::Graph(file.name);
    scope_->root = &file;
  }

  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  /// What is wrong with a graph that another one calls is reported whatever way its building ends.
  ~Builder() { ReportFaults(); }

  std::optional<Model> Run();

  /// The names of all operators.
  static std::set<std::string> Supported();

 private:
  /// What a graph is called with: a plain value, or a variable.
  struct Argument {
    graph::ValueId value = -1;
    std::string variable;
  };
  using Arguments = std::vector<Argument>;

  /// Of a graph that `caller` calls.
  Builder(const File& file, Builder& caller, std::shared_ptr<Scope> scope, const std::string& prefix)
      : file_(file),
        diagnostics_(caller.diagnostics_),
        scope_(std::move(scope)),
        prefix_(prefix),
        depth_(caller.depth_ + 1) {
    model_.graph = graph::Graph(file.name);
  }

  using Handler = bool (Builder::*)();
  static const std::map<std::string, Handler>& Handlers();
  static std::string Lower(std::string text);

  void CheckOperators();
  static std::string Hint(const std::map<std::string, int>& unknown);
  void StandIn(int tensor);
  std::string TypesOf(const File& file, const OperatorInfo& op) const;
  void CheckKinds();
  void AddInput(int tensor);
  void AddOutputs();
  bool AddOperator();

  // One a group of operators; false when something was reported. They work on op_ and name_.
  bool Abs();
  bool Add();  ///< and SUB
  bool AddN();
  bool ArcTangent();
  bool ArgExtreme();
  bool AssignVariable();
  bool AveragePool();
  bool BatchMatMul();
  bool BatchToSpace();
  bool BidirectionalLstm();
  bool BidirectionalRnn();
  bool Bitcast();
  bool BitwiseXor();
  bool BroadcastArgs();
  bool BroadcastTo();
  bool Bucketize();
  bool CallOnce();
  bool Cast();
  bool Combine();  ///< LOGICAL_AND and LOGICAL_OR
  bool Compare();
  bool ComplexPart();  ///< COMPLEX_ABS, IMAG and REAL
  bool Concatenate();
  bool Conv();
  bool Conv3d();
  bool Conv3dTransposed();
  bool CumulativeSum();
  bool Dense();
  bool Densify();
  bool DepthToSpace();
  bool Dequantize();
  bool DequantizeChannels();
  bool DetectionPostProcess();
  bool Divide();
  bool EmbeddingLookup();
  bool Extreme();  ///< MAXIMUM and MINIMUM
  bool FakeQuant();
  bool Fill();
  bool Floor();     ///< FLOOR_DIV and FLOOR_MOD
  bool Function();  ///< of one number, float32 or by a table
  bool Gather();
  bool GatherNd();
  bool If();
  bool L2Normalize();
  bool L2Pool();
  bool LogSoftmax();
  bool Logistic();  ///< and TANH
  bool LocalResponse();
  bool Lstm();            ///< and UNIDIRECTIONAL_SEQUENCE_LSTM
  bool MatrixDiagonal();  ///< MATRIX_DIAG and MATRIX_SET_DIAG
  bool MaxPool();
  bool Mean();
  bool MirrorPad();
  bool Multiply();
  bool Negate();
  bool Not();
  bool Pack();
  bool Pad();  ///< and PADV2
  bool Power();
  bool PRelu();
  bool Quantize();
  bool Range();
  bool Rank();
  bool Reduce();
  bool ReadVariable();
  bool RightShift();
  bool Relu();
  bool Reshape();
  bool Resize();
  bool Reverse();
  bool OneHot();
  bool ReverseSequence();
  bool Rnn();  ///< and UNIDIRECTIONAL_SEQUENCE_RNN
  bool SegmentSum();
  bool Select();
  bool ShapeOf();
  bool Sign();
  bool Slice();
  bool Softmax();
  bool SpaceToBatch();
  bool SpaceToDepth();
  bool SparseToDense();
  bool Spectrum();  ///< RFFT2D
  bool Split();
  bool SplitV();
  bool SquaredDifference();
  bool StridedSlice();
  bool Sum();
  bool Suppress();  ///< NON_MAX_SUPPRESSION_V4 and _V5
  bool ScatterNd();
  bool Svdf();
  bool Tile();
  bool TopK();
  bool Transpose();
  bool TransposeConv();
  bool Unique();
  bool Unpack();
  bool UnsortedSegment();  ///< _MAX, _MIN, _PROD and _SUM
  bool UpdateSlice();
  bool VarHandle();
  bool WhereNonZero();
  bool While();
  bool ZerosLike();

  /// Of what a result may be.
  struct Limits {
    int32_t low = -128, high = 127;
  };

  // What several of them do.
  bool Moved(graph::HostOperatorPtr op, std::vector<graph::ValueId> values, bool nchw = false);
  bool Parts(int from, size_t axis, const std::vector<int64_t>& lengths, bool drop_axis);
  /// A result that is known: integers in the type that the file says.
  bool Known(const graph::Tensor& value);
  /// A tensor from `starts` up to `stops` (-1: from the first on), by `steps`, one each a dimension.
  graph::ValueId Cutout(int tensor, std::vector<int64_t> starts, std::vector<int64_t> stops,
                        std::vector<int64_t> steps, bool nchw, const std::string& what);
  graph::ValueId List(const std::string& what, std::vector<int64_t> list);
  /// The scalar that stands for real 0 in a tensor of that type.
  graph::ValueId Nothing(int tensor, const std::string& what);
  /// The integers of an operand; nothing when it is no constant.
  std::optional<std::vector<int64_t>> IntegersOf(size_t operand) const;
  /// `axis` counted from the front; nothing when there is none such.
  static std::optional<size_t> AxisOf(int64_t axis, size_t rank);
  /// Whether a tensor has been computed in the graph's layout only.
  bool IsNchw(int tensor) const { return nchw_.count(tensor) > 0 && plain_.count(tensor) == 0; }
  /// The operands of an operator on corresponding elements, broadcast: all in the graph's layout if one of
  /// them has been computed in it.
  struct Aligned {
    std::vector<graph::ValueId> values;
    bool nchw = false;
  };
  Aligned AlignedOperands();
  /// A function of one quantized value, by a table: of what `f` gives, bounded by the type's range.
  bool ByTable(const std::function<int64_t(int32_t)>& f);
  /// An operation on corresponding values: a table where it is one of bytes and either operand is the same
  /// constant everywhere, else `op` on the host for the reason `why`.
  graph::ValueId OnPairs(const graph::HostOperatorPtr& op, const std::vector<graph::ValueId>& pair,
                         const std::string& why);
  bool ByFloatTable(const std::function<float(float)>& f);
  /// The same, and of int16 by lines (tflite_functions.h).
  bool ByFloatTableOrLines(const std::function<float(float)>& f);
  bool QuantizedLog();
  bool QuantizedSqrt();
  bool QuantizedLeaky(float alpha);
  bool QuantizedHardSwish();
  bool QuantizedRsqrt();
  bool QuantizedPRelu();
  bool QuantizedCompare(host::Comparison comparison, bool negate);
  bool QuantizeToInt32();
  bool QuantizedReduceProduct(const std::vector<int64_t>& axes, bool keep);
  /// Which dimensions of the first operand are reduced; nothing, and reported, for an axis that is none.
  std::optional<std::vector<bool>> ReducedOver(const std::vector<int64_t>& axes);
  bool BitsOfPairs(const graph::HostOperatorPtr& op);
  /// Whether rows of float32 or int32 have a segment of int32 each; says why not.
  bool HasSegments();
  /// Rows of `data` that have the same segment, as one, in a tensor of so many segments.
  graph::ValueId Segmented(host::ScatterMode mode, double initial, int64_t segments);
  bool BasicLstm();
  bool QuantizedSum(const std::vector<bool>& over, bool keep, bool mean);
  bool IntegerPairs(host::Arithmetic op);
  bool ArePlainIntegers() const;  ///< both operands, int32 or int64
  bool FloatTransposed(const std::array<int64_t, 2>& stride, const std::array<int64_t, 2>& pad,
                       Activation activation);
  bool QuantizedTransposed(const std::array<int64_t, 2>& stride, const std::array<int64_t, 2>& pad,
                           Activation activation);
  bool Nearest(const ResizeOptions& options);
  bool Bilinear(const ResizeOptions& options);
  graph::ValueId Filtered(const Interpolation& rows, const Interpolation& columns,
                          host::BilinearArithmetic arithmetic);
  graph::ValueId AsReal(int tensor);
  graph::ValueId AsInResult(size_t operand);
  /// Complex numbers, which are a last dimension of 2 in the graph.
  bool ReshapeComplex();
  bool FinishComplex(graph::ValueId value);
  graph::ValueId ComplexOperand(int tensor);
  graph::ValueId Reversed(const std::string& name, graph::ValueId x, int64_t axis);
  /// Operands of a layer in one direction, and the arithmetic of its weights.
  struct Direction {
    std::vector<size_t> from, states;
    std::map<size_t, size_t> joined = {};  ///< weights, and those of an auxiliary input behind them
  };
  graph::ValueId Recurred(const std::string& name, const graph::HostOperatorPtr& op, graph::ValueId x,
                          const Direction& direction);
  static std::optional<host::CellFunction> FunctionOf(const RecurrentOptions& options);
  /// The cell's, of a layer of `least` to `most` operands, those from `needed` to `least` all there; else it
  /// fails.
  std::optional<host::CellFunction> BidirectionalFunction(size_t needed, size_t least, size_t most);
  host::ByteWeights BytesOf(const host::ByteWeights& bytes, const Direction& direction) const;
  bool HasOtherWidth(const Direction& direction, size_t auxiliary) const;
  bool Join(Direction& direction, size_t first, size_t auxiliary, size_t count);
  bool Bidirectional(size_t auxiliary, const Direction directions[2],
                     const std::function<graph::HostOperatorPtr(const Direction&)>& make);
  bool FinishRecurrent(const graph::HostOperatorPtr& op, const std::vector<size_t>& from,
                       const std::vector<size_t>& states);
  bool LstmInteger(const RecurrentOptions& options);
  bool QuantizedMean(bool keep);
  graph::ValueId ShiftedSum(graph::ValueId x, graph::ValueId y, bool subtract, const Limits& limits);
  bool QuantizedSoftmax(float beta);
  bool QuantizedRelu(Activation activation);
  bool FloatConv(const host::Window2d& window, int64_t groups, Activation activation);
  graph::ValueId FloatDense(graph::ValueId x, Activation activation, bool asymmetric);
  std::string HybridFault() const;  ///< why float32 values do not meet these weights; empty if they do
  bool HybridConv(const host::Window2d& window, int64_t groups, Activation activation);
  bool WideMatMul(graph::ValueId a, graph::ValueId b, double factor);
  bool HybridMatMul(graph::ValueId a, graph::ValueId b, bool asymmetric);
  /// Of a float layer with a state: which of `operands` are bytes; nothing, and reported, when others are.
  std::optional<host::ByteWeights> BytesAmong(const std::vector<size_t>& operands, bool asymmetric);
  graph::ValueId HybridDense(graph::ValueId x, Activation activation, bool asymmetric);
  graph::ValueId QuantizedDense(graph::ValueId x, Activation activation);
  bool QuantizedAveragePool(const host::Window2d& window, bool whole, Activation activation);
  graph::TensorPtr WeightsOihw(int tensor, bool depthwise);
  bool QuantizedConv(const host::Window2d& window, int64_t groups, Activation activation);

  /// Notes what is wrong with the operator: its results are unknown then, and what depends on them is not
  /// looked at.
  bool Fail(const char* code, const std::string& what);
  void ReportFaults();
  bool Malformed(const std::string& what) { return Fail(codes::kMalformed, what); }
  bool Unsupported(const std::string& what) { return Fail(codes::kUnsupported, what); }
  /// The number of operands is in [least, most], and none of the first `least` is absent.
  bool Operands(size_t least, size_t most);
  bool HasOperand(size_t i) const { return i < op_->inputs.size() && op_->inputs[i] >= 0; }

  const TensorInfo& Info(int tensor) const {
    const auto at = known_.find(tensor);
    return at == known_.end() ? file_.tensors[tensor] : at->second;
  }
  bool IsFloat(int tensor) const { return Info(tensor).dtype == graph::DType::kFloat32; }
  bool IsByte(int tensor) const {
    return Info(tensor).dtype == graph::DType::kInt8 || Info(tensor).dtype == graph::DType::kUint8;
  }
  /// A byte tensor with one scale, as activations are.
  bool IsQuantized(int tensor) const { return IsByte(tensor) && Info(tensor).scales.size() == 1; }
  /// An int16 tensor with one scale and no zero point.
  bool IsWide(int tensor) const {
    const TensorInfo& info = Info(tensor);
    return info.dtype == graph::DType::kInt16 && info.scales.size() == 1 && info.zero_points[0] == 0;
  }
  bool IsInteger(int tensor) const { return IsQuantized(tensor) || IsWide(tensor); }
  /// Of a quantized tensor, as int8 if it is uint8.
  int32_t ZeroPoint(int tensor) const;
  std::optional<graph::Quantization> QuantizationOf(int tensor) const;

  /// The value of a tensor in the layout of the file, or in that of the graph (four dimensions only).
  graph::ValueId Plain(int tensor);
  graph::ValueId Nchw(int tensor);
  /// What it holds, where that is known at import; else null.
  graph::TensorPtr ConstantOf(int tensor);
  /// Adds a HostOp, or the constant that it computes; -1 after reporting that the operands do not fit.
  graph::ValueId Host(const std::string& name, graph::HostOperatorPtr op, std::vector<graph::ValueId> inputs,
                      const std::string& reason, std::optional<graph::Quantization> quantization = {},
                      int32_t result = 0);
  /// Adds a HostOp whatever its operands are.
  graph::ValueId HostNode(const std::string& name, graph::HostOperatorPtr op,
                          std::vector<graph::ValueId> inputs, const std::string& reason,
                          std::optional<graph::Quantization> quantization = {}, int32_t result = 0);
  bool MayFold(const graph::TensorType& type, const std::vector<graph::HostOperand>& operands);
  /// Records `value` as a result of the operator after checking it against what the file says.
  bool Finish(graph::ValueId value, bool nchw, size_t result = 0);
  static graph::TensorPtr AsInFile(const TensorInfo& info, const graph::Tensor& value);
  /// Behind a float operator.
  graph::ValueId Activate(graph::ValueId value, Activation activation, const std::string& name);

  // Graphs that call graphs, and variables (control.cc).
  bool RunOperators();
  void FindAssigned(const File& file, int depth);
  const File* Callee(int graph);
  bool BindInputs(const Arguments& arguments, const std::vector<TensorInfo>& types);
  std::optional<Arguments> Results(const std::vector<TensorInfo>& types);
  std::optional<Arguments> ArgumentsFrom(size_t first);
  std::optional<Arguments> Call(int graph, const Arguments& arguments, const std::vector<TensorInfo>& from,
                                const std::vector<TensorInfo>& to, const std::string& part);
  std::optional<bool> Holds(int graph, const Arguments& arguments, const std::vector<TensorInfo>& types);
  std::vector<TensorInfo> InfosOf(const std::vector<int>& tensors, size_t first) const;
  bool FinishWith(const Arguments& results);
  std::optional<std::string> VariableOf(size_t operand);
  /// Variable tensors: the value of one, and the one it has from here on.
  graph::ValueId StateOf(int tensor);
  void SetState(int tensor, graph::ValueId value);
  graph::ValueId AddState(const std::string& name, graph::TensorPtr initial,
                          std::optional<graph::Quantization> quantization);
  void AddStateOutputs(std::vector<graph::ValueId>& outputs);

  // Integer arithmetic (quantized.cc).
  static Limits RangeOf(graph::DType type) {
    return type == graph::DType::kInt16 ? Limits{-32768, 32767} : Limits{};
  }
  std::optional<Limits> LimitsOf(Activation activation, int output);
  graph::ValueId Clipped(graph::ValueId value, const Limits& limits, int output);
  std::vector<host::Multiplier> ConvMultipliers(bool float_product);
  bool HasWideSums() const;
  graph::ValueId Rescaled(graph::ValueId x, double factor, const Limits& limits, const std::string& why);
  graph::ValueId HostConvolution(const host::Window2d& window, int64_t groups,
                                 const std::vector<host::Multiplier>& multipliers, const Limits& limits,
                                 graph::ValueId x, graph::ValueId w, graph::ValueId bias,
                                 const std::string& why);
  graph::ValueId Convolved(const host::Window2d& window, int64_t groups,
                           const std::vector<host::Multiplier>& multipliers, const Limits& limits,
                           const graph::TensorPtr& weights, graph::ValueId bias);
  graph::ValueId BiasOrZero(int64_t outputs);
  graph::ValueId WithoutZeroPoint(graph::ValueId constant, int tensor);
  graph::ValueId WithoutDeadChannels(graph::ValueId constant,
                                     const std::vector<host::Multiplier>& multipliers);
  graph::ValueId CoreRequantize(graph::ValueId sum, const std::vector<host::Multiplier>& multipliers,
                                int output, const Limits& limits, bool once = false);
  std::string WhyNotCore(const std::vector<host::Multiplier>& multipliers, const graph::Tensor& weights,
                         graph::ValueId bias) const;
  /// The bias of sums of int16 as int32, for what WhyNotCore has let pass.
  graph::ValueId Narrowed(graph::ValueId bias);
  std::optional<host::Window2d> WindowOf(const WindowOptions& options, const graph::Shape& x,
                                         int64_t kernel_h, int64_t kernel_w);

  const File& file_;
  Diagnostics& diagnostics_;
  Model model_;
  bool may_have_dead_values_ = false;  ///< a value that is read has become another
  const OperatorInfo* op_ = nullptr;
  std::string name_;
  std::map<int, graph::ValueId> plain_, nchw_;
  std::map<int, TensorInfo> known_;  ///< what was found out of tensors beyond what the file says
  std::set<int> unknown_;            ///< results of operators that were refused
  struct Fault {
    const char* code;
    std::string op, name, what;
    int more = 0;  ///< uses of the operator with the same fault
  };
  std::vector<Fault> faults_;
  std::shared_ptr<Scope> scope_;
  std::string prefix_;  ///< of names in graphs that others call
  int depth_ = 0;
  std::set<int> visited_;                   ///< graphs that FindAssigned has seen
  std::map<int, std::string> handles_;      ///< tensors that stand for variables
  std::map<int, size_t> variable_tensors_;  ///< … that are variables: which of Scope::states
};

}  // namespace cosim::import::tflite
