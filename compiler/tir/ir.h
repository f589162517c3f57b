// SPDX-License-Identifier: Apache-2.0
// The loop IR: what schedules lower to, and what both back ends (accelerator and CPU) start from.
//
// Semantics. Integers are two's complement and wrap at their type's width; both operands of a binary node
// have the node's type (comparisons: the same type, giving bool). FloorDiv and FloorMod round towards minus
// infinity; the divisor is positive. Shr is arithmetic on signed types. RoundShift(x, s) is (x + (s > 0 ? 1
// << (s - 1) : 0)) >> s without intermediate overflow. Cast wraps between integers, rounds towards zero from
// float, saturating, NaN to 0. On floats, Min(a, b) is b < a ? b : a and Max(a, b) is a < b ? b : a; a
// comparison with NaN does not hold, but for Ne. Select evaluates only the side it takes, so a load on the
// other side may be out of bounds. Loop variables and indices are int64. A For runs its body for min <= var <
// min + extent, in order when serial; extent may depend on outer variables and may be 0. Iterations of
// parallel, vectorized, unrolled and virtual-thread loops are independent of each other (reductions excepted,
// which stay serial). Buffers do not alias. Nodes are immutable and shared; identity of variables and buffers
// is the pointer's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace cosim::tir {

struct DataType {
  enum class Code { kInt, kUInt, kFloat } code = Code::kInt;
  int bits = 32;
  friend bool operator==(const DataType&, const DataType&) = default;
  static DataType Int(int bits) { return {Code::kInt, bits}; }
  static DataType UInt(int bits) { return {Code::kUInt, bits}; }
  static DataType Float(int bits) { return {Code::kFloat, bits}; }
  static DataType Bool() { return {Code::kUInt, 1}; }
  static DataType Index() { return {Code::kInt, 64}; }
  bool is_float() const { return code == Code::kFloat; }
  bool is_signed() const { return code == Code::kInt; }     ///< an integer with a sign
  bool is_unsigned() const { return code == Code::kUInt; }  ///< one without, bool among them
};

struct VarNode {
  std::string name;
};
using Var = std::shared_ptr<const VarNode>;
Var MakeVar(std::string name);

/// A multi-dimensional array, row-major. `scope` is "" for ordinary memory (DRAM), else the name of an
/// on-chip memory of the spec; then the trailing dimensions are that memory's lanes and the leading ones
/// count elements. Polymorphic so that a tensor of te/ is a buffer that also knows how it is computed; built
/// by MakeBuffer.
struct BufferNode {
  virtual ~BufferNode() = default;
  std::string name;
  DataType type;
  std::vector<int64_t> shape;
  std::string scope;
};
using Buffer = std::shared_ptr<const BufferNode>;
Buffer MakeBuffer(std::string name, DataType type, std::vector<int64_t> shape, std::string scope = "");

struct ExprNode;
using Expr = std::shared_ptr<const ExprNode>;

enum class BinaryOp {
  kAdd,
  kSub,
  kMul,
  kFloorDiv,
  kFloorMod,
  kDiv /* float */,
  kPow /* float */,
  kFMod /* float, the sign of the dividend */,
  kMin,
  kMax,
  kShl,
  kShr,
  kRoundShift,
  kAnd,
  kOr,
  kXor,
  kLt,
  kLe,
  kEq,
  kNe,
  kLogicalAnd,
  kLogicalOr
};
enum class MathFn {
  kExp,
  kSqrt,
  kTanh,
  kErf,
  kRound /* half to even */,
  kFloor,
  kCeil,
  kAbs,
  kLog,
  kExpm1,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh
};

struct IntImm {
  int64_t value;
};
struct FloatImm {
  double value;
};
struct VarRef {
  Var var;
};
struct Binary {
  BinaryOp op;
  Expr a, b;
};
struct Select {
  Expr condition, a, b;
};
struct Cast {
  Expr value;
};
struct Load {
  Buffer buffer;
  std::vector<Expr> indices;
};
struct Math {
  MathFn fn;
  Expr value;
};

struct ExprNode {
  DataType type;
  std::variant<IntImm, FloatImm, VarRef, Binary, Select, Cast, Load, Math> node;
};

// Makers check types (COSIM_CHECK) and fold integer constants.
Expr Int(int64_t value, DataType type = DataType::Index());
Expr Float(double value, DataType type = DataType::Float(32));
Expr Ref(const Var& var);
Expr MakeBinary(BinaryOp op, Expr a, Expr b);
Expr MakeSelect(Expr condition, Expr a, Expr b);
Expr MakeCast(DataType type, Expr value);
Expr MakeLoad(Buffer buffer, std::vector<Expr> indices);
Expr MakeMath(MathFn fn, Expr value);
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr Min(Expr a, Expr b);
Expr Max(Expr a, Expr b);

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

enum class LoopKind { kSerial, kParallel, kVectorized, kUnrolled, kVirtualThread, kTensorized };

struct For {
  Var var;
  Expr min, extent;
  LoopKind kind;
  Stmt body;
};
struct Store {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
};
struct Seq {
  std::vector<Stmt> stmts;
};
struct IfThen {
  Expr condition;
  Stmt body;
};
/// The buffer lives from here to the end of `body`.
struct Allocate {
  Buffer buffer;
  Stmt body;
};
/// Names the stage a part of the program computes: "pad", "conv.init", "conv.update"; passes and debug tables
/// read it.
struct Stage {
  std::string name;
  Stmt body;
};

struct StmtNode {
  std::variant<For, Store, Seq, IfThen, Allocate, Stage> node;
};

template <typename T>
Stmt MakeStmt(T node) {
  return std::make_shared<const StmtNode>(StmtNode{std::move(node)});
}

/// A lowered computation: parameters in the order of the caller's arguments (inputs, then outputs).
struct Function {
  std::string name;
  std::vector<Buffer> params;
  Stmt body;
};

std::string ToString(DataType type);
std::string ToString(BinaryOp op);
/// "exp": the name of the C library's function on double where it has one.
const char* NameOf(MathFn fn);
std::string ToString(const Expr& expr);
std::string ToString(const Stmt& stmt);
std::string ToString(const Function& function);

}  // namespace cosim::tir
