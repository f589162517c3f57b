// SPDX-License-Identifier: Apache-2.0
// Recognizes products of matrices among tensor intrinsics, and runs nests of steps.
#include "sim/functional/gemm_unit.h"

#include <fmt/format.h>

#include <optional>

namespace cosim::sim {
namespace {

/// acc[b, o] += inp[b, k] * wgt[o, k], whatever the axes are called; b may be missing.
struct MatrixProduct {
  int inp = 0, wgt = 1;  ///< sources
  TileShape shape;
};

std::optional<MatrixProduct> MatchProduct(const isa::Intrinsic& intrinsic, int inp, int wgt) {
  if (intrinsic.sources.size() != 2) return std::nullopt;
  const std::vector<int>& dst = intrinsic.dst.axes;
  const std::vector<int>& x = intrinsic.sources[inp].axes;
  const std::vector<int>& w = intrinsic.sources[wgt].axes;
  if (dst.empty() || dst.size() > 2 || x.size() != dst.size() || w.size() != 2) return std::nullopt;
  const int b = dst.size() == 2 ? dst[0] : -1;
  const int o = dst.back();
  const int k = x.back();
  if (b == o || (b >= 0 && (x[0] != b || intrinsic.axes[b].reduce))) return std::nullopt;
  if (!intrinsic.axes[k].reduce || intrinsic.axes[o].reduce || intrinsic.axes.size() != dst.size() + 1) {
    return std::nullopt;
  }
  MatrixProduct product{.inp = inp, .wgt = wgt};
  product.shape.batch = b >= 0 ? intrinsic.axes[b].extent : 1;
  product.shape.block_in = intrinsic.axes[k].extent;
  product.shape.block_out = intrinsic.axes[o].extent;
  const bool outputs_first = w[0] == o && w[1] == k;
  if (!outputs_first && !(w[0] == k && w[1] == o)) return std::nullopt;
  product.shape.wgt_o_stride = outputs_first ? product.shape.block_in : 1;
  product.shape.wgt_k_stride = outputs_first ? 1 : product.shape.block_out;
  return product;
}

/// The lanes, if they are stored in 8 or 16 bits.
std::optional<SourceLanes> NarrowLanes(const MemoryStore& store) {
  const LaneArray& lanes = store.fields[0];
  if (lanes.storage() == LaneType::kInt8)
    return SourceLanes{.i8 = lanes.As<int8_t>(), .elements = store.depth};
  if (lanes.storage() == LaneType::kInt16)
    return SourceLanes{.i16 = lanes.As<int16_t>(), .elements = store.depth};
  return std::nullopt;
}

std::unique_ptr<TileGemm> MakeTiles(const isa::Intrinsic& intrinsic, const Memories& memories,
                                    SimdLevel level, int& inp, int& wgt) {
  std::optional<MatrixProduct> product = MatchProduct(intrinsic, 0, 1);
  if (!product) product = MatchProduct(intrinsic, 1, 0);
  if (!product) return nullptr;
  const MemoryStore& dst = memories.Store(intrinsic.dst.memory);
  if (dst.fields[0].storage() != LaneType::kInt32 || !dst.fields[0].type().is_signed) return nullptr;
  const int inp_memory = intrinsic.sources[product->inp].memory;
  const int wgt_memory = intrinsic.sources[product->wgt].memory;
  if (inp_memory == intrinsic.dst.memory || wgt_memory == intrinsic.dst.memory) return nullptr;
  const auto inp_lanes = NarrowLanes(memories.Store(inp_memory));
  const auto wgt_lanes = NarrowLanes(memories.Store(wgt_memory));
  if (!inp_lanes || !wgt_lanes) return nullptr;
  inp = product->inp;
  wgt = product->wgt;
  product->shape.acc_bits = dst.fields[0].type().width;
  return MakeTileGemm(level, product->shape, *inp_lanes, *wgt_lanes);
}

}  // namespace

GemmUnit::GemmUnit(const isa::Spec& spec, const isa::InstructionFormat& format, Memories& memories,
                   SimdLevel level)
    : spec_(spec), intrinsic_(*format.intrinsic), memories_(memories) {
  operands_.push_back({.memory = intrinsic_.dst.memory});
  for (const isa::Operand& source : intrinsic_.sources)
    operands_.push_back({.memory = source.memory, .index = {}});
  for (const StepOperand& operand : operands_) {
    const isa::Memory& memory = spec.memories[operand.memory];
    if (memory.mirrors >= 0 || memory.fields.size() != 1) {
      unavailable_ = fmt::format("computes on '{}', which is a mirror or holds records", memory.name);
      return;
    }
  }
  tiles_ = MakeTiles(intrinsic_, memories, level, inp_, wgt_);
  if (!tiles_) generic_ = std::make_unique<GenericGemm>(spec, intrinsic_);
}

std::string GemmUnit::Execute(const isa::Gemm& gemm) {
  if (!unavailable_.empty()) return unavailable_;
  if (std::string wrong = isa::RowError(gemm); !wrong.empty()) return wrong;
  operands_[0].index = gemm.dst;
  for (size_t s = 0; s < gemm.sources.size(); ++s) {
    operands_[1 + s].index = gemm.sources[s];
    operands_[1 + s].parts = gemm.LastLine(s) + intrinsic_.sources[s].parts;
  }
  pitch_ = gemm.pitch;
  // A reset reads no tiles: where their indices lead makes no difference.
  const std::span touched(operands_.data(), gemm.reset ? 1 : operands_.size());
  std::string error = table_.Resolve(spec_, memories_, gemm.nest, touched, gemm.row_source < 0);
  if (!error.empty() || table_.Steps() == 0) return error;
  cycles_ = gemm.Cycles();  // of a nest that was resolved: not of any numbers that fields may hold
  const TileMode mode = gemm.reset       ? TileMode::kReset
                        : gemm.overwrite ? TileMode::kOverwrite
                                         : TileMode::kAccumulate;
  if (tiles_) {
    RunTiles(mode);
  } else if (gemm.row_source >= 0) {
    RunRows(mode);
  } else {
    RunGeneric(mode);
  }
  return {};
}

void GemmUnit::RunTiles(TileMode mode) {
  const TileStep strides = tiles_->Strides();
  const bool reads = mode != TileMode::kReset;  // else the sources have no columns: any will do
  const StepColumn& dst = table_.columns[0];
  const StepColumn& src = table_.columns[reads ? 1 + inp_ : 0];
  const StepColumn& wgt = table_.columns[reads ? 1 + wgt_ : 0];
  uops_.resize(table_.uops);
  for (int64_t u = 0; u < table_.uops; ++u) {
    uops_[u] = {dst.uops[u] * strides.dst, src.uops[u] * strides.src, wgt.uops[u] * strides.wgt};
  }
  // A loop of one step goes nowhere: only of others has the range of the strides been checked.
  const auto steps = [&](int64_t count, int64_t to_dst, int64_t to_src, int64_t to_wgt) {
    if (count <= 1) return TileStep{};
    return TileStep{to_dst * strides.dst, to_src * strides.src, to_wgt * strides.wgt};
  };
  const TileNest nest = {
      .iter_out = table_.iter_out,
      .iter_in = table_.iter_in,
      .outer = steps(table_.iter_out, dst.outer, src.outer, wgt.outer),
      .inner = steps(table_.iter_in, dst.inner, src.inner, wgt.inner),
      .uops = uops_,
  };
  tiles_->Run(memories_.Store(intrinsic_.dst.memory).fields[0].As<int32_t>(), nest, mode);
}

void GemmUnit::GenericStep(int64_t i, int64_t j, int64_t u, TileMode mode) {
  elements_.resize(table_.columns.size());
  for (size_t n = 0; n < elements_.size(); ++n) {
    const StepColumn& column = table_.columns[n];
    elements_[n] = column.uops[u] + i * column.outer + j * column.inner;
  }
  generic_->Step(memories_, elements_, pitch_, mode);
}

void GemmUnit::RunGeneric(TileMode mode) {
  for (int64_t i = 0; i < table_.iter_out; ++i)
    for (int64_t j = 0; j < table_.iter_in; ++j)
      for (int64_t u = 0; u < table_.uops; ++u) GenericStep(i, j, u, mode);
}

void GemmUnit::RunRows(TileMode mode) {
  for (int64_t i = 0; i < table_.iter_out; ++i)
    for (int64_t u = 0; u < table_.uops; ++u)
      for (int64_t j = 0; j < table_.iter_in; ++j) GenericStep(i, j, u, mode);
}

void GemmUnit::Written(int memory, int64_t first, int64_t count) {
  if (!tiles_) return;
  if (memory == intrinsic_.sources[inp_].memory) tiles_->InputsWritten(first, count);
  if (memory == intrinsic_.sources[wgt_].memory) tiles_->WeightsWritten(first, count);
}

}  // namespace cosim::sim
