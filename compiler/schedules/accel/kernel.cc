// SPDX-License-Identifier: Apache-2.0
// See kernel.h.
#include "compiler/schedules/accel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/schedules/accel/kernel_part.h"
#include "compiler/te/lower.h"
#include "compiler/te/te.h"
#include "compiler/tir/visitor.h"

namespace cosim::kernels {
namespace {

using te::Indices;
using te::Tensor;

class StoreInstead : public tir::Mutator {
 public:
  StoreInstead(tir::Buffer old, tir::Buffer instead) : old_(std::move(old)), instead_(std::move(instead)) {}

  tir::Stmt MutateStmt(const tir::Stmt& stmt) override {
    const auto* store = tir::As<tir::Store>(stmt);
    if (store == nullptr || store->buffer != old_) return tir::Mutator::MutateStmt(stmt);
    return tir::MakeStmt(tir::Store{instead_, store->indices, store->value});
  }

 private:
  tir::Buffer old_, instead_;
};

class KernelBuilder {
 public:
  KernelBuilder(const isa::Spec& spec, const Array& array, const Computation& what, const Computation* feeder,
                const Tile& tile)
      : array_(array), w_(what.window), t_(tile), part_(spec, array, what, "") {
    parameters_resident_ = ParametersResident(spec, array, what.window, feeder ? &feeder->window : nullptr);
    if (feeder) feeder_.emplace(spec, array, *feeder, "feeder_");
  }

  KernelTe Build(const std::string& name) {
    if (feeder_) {
      feeder_->DeclareInputs(arguments_, Role::kFeederWeights, Role::kFeederParameters);
      feeder_->Compute();
    }
    part_.DeclareInputs(arguments_, Role::kWeights, Role::kParameters,
                        feeder_ ? feeder_->result() : Tensor());
    part_.Compute();
    output_ = te::Compute(
        "output", part_.OutShape(),
        [&](const Indices& i) -> te::Body {
          return array_.results_are_mirrored
                     ? MakeCast(tir::DataType::Int(array_.activation_bits), part_.result()(i))
                     : part_.result()(i);
        },
        KernelPart::OutNames());
    arguments_.tensors.push_back(output_);
    arguments_.roles.push_back(Role::kOutput);
    te::Schedule schedule({output_});
    Plan(schedule);
    tir::Function function = te::Lower(schedule, arguments_.tensors, name);
    if (w_.rows_stored != 0) FillUpRows(function);
    return {std::move(function), arguments_.roles};
  }

 private:
  void Plan(te::Schedule& schedule) {
    const te::Axis inner = OrderTiles(schedule[output_]);
    if (feeder_) feeder_->CacheReads(schedule);
    part_.CacheReads(schedule);
    const KernelPart::Loop operands =
        part_.Plan(schedule, {&schedule[output_], inner}, t_, array_.ResultMemory(), parameters_resident_);
    if (!feeder_) return;
    // What it makes is what the sums behind it read, and all of its weights stay: they are few.
    Tile tile = t_;
    tile.weights_resident = true;
    feeder_->Plan(schedule, operands, tile, array_.activations, parameters_resident_);
  }

  // Makes the output a part of one with more rows.
  void FillUpRows(tir::Function& function) const {
    std::vector<int64_t> shape = output_.shape();
    shape[3] = w_.rows_stored;
    const tir::Buffer filled = tir::MakeBuffer(output_->name, output_.type(), std::move(shape));
    std::ranges::replace(function.params, output_.buffer(), filled);
    function.body = StoreInstead(output_.buffer(), filled).MutateStmt(function.body);
  }

  // The loop inside which a tile is computed.
  te::Axis OrderTiles(te::Stage& out) const {
    auto [go, gi] = out.Split(out.axis(1), t_.g);
    auto [coo, coi] = out.Split(out.axis(2), t_.co);
    auto [yo, yi] = out.Split(out.axis(3), t_.y);
    auto [xo, xi] = out.Split(out.axis(4), t_.x);
    const te::Axis n = out.axis(0), so = out.axis(5), b = out.axis(6), o = out.axis(7);
    if (t_.thread_axis == Tile::ThreadAxis::kX) {
      const auto [outer, thread] = out.Split(xo, t_.threads);
      out.Reorder({n, go, coo, outer, thread, yo, gi, coi, yi, xi, so, b, o});
      out.VirtualThread(thread);
      return yo;
    }
    if (t_.threads > 1) {
      te::Axis& split = t_.thread_axis == Tile::ThreadAxis::kY ? yo : w_.g > 1 ? go : coo;
      auto [outer, thread] = out.Split(split, t_.threads);
      split = outer;
      t_.rows_first ? out.Reorder({n, yo, xo, go, coo, thread, gi, coi, yi, xi, so, b, o})
                    : out.Reorder({n, go, coo, yo, xo, thread, gi, coi, yi, xi, so, b, o});
      out.VirtualThread(thread);
      return thread;
    }
    if (t_.rows_first) {
      out.Reorder({n, yo, xo, go, coo, gi, coi, yi, xi, so, b, o});
      return coo;
    }
    out.Reorder({n, go, coo, yo, xo, gi, coi, yi, xi, so, b, o});
    return xo;
  }

  const Array& array_;
  const Window& w_;
  const Tile& t_;
  std::optional<KernelPart> feeder_;
  KernelPart part_;
  bool parameters_resident_ = false;
  Arguments arguments_;
  Tensor output_;
};

}  // namespace

bool ParametersResident(const isa::Spec& spec, const Array& array, const Window& window,
                        const Window* feeder) {
  const auto records = [](const Window& w) { return w.g * w.co * w.so; };
  if (!array.HasParameters()) return false;
  return records(window) + (feeder ? records(*feeder) : 0) <=
         spec.memories[array.parameters.memory].depth / 2;
}

std::string_view ToString(Tile::ThreadAxis axis) {
  return axis == Tile::ThreadAxis::kCo ? "co" : axis == Tile::ThreadAxis::kX ? "x" : "y";
}

std::string ToString(const Tile& tile) {
  return fmt::format(
      "{}co={} ci={} y={} x={}{}{} threads={} by {}{}{}", tile.g > 1 ? fmt::format("g={} ", tile.g) : "",
      tile.co, tile.ci, tile.y, tile.x, tile.ky > 0 ? fmt::format(" ky={}", tile.ky) : "",
      tile.kx > 0 ? fmt::format(" kx={}", tile.kx) : "", tile.threads, ToString(tile.thread_axis),
      fmt::format("{}{}", tile.rows_first ? " rows first" : "",
                  tile.weights_resident ? " weights resident" : ""),
      tile.units > 1 ? fmt::format(" units={}", tile.units) : "");
}

KernelTe BuildKernel(const isa::Spec& spec, const Array& array, const std::string& name,
                     const Computation& what, const Tile& tile, const Computation* feeder) {
  return KernelBuilder(spec, array, what, feeder, tile).Build(name);
}

}  // namespace cosim::kernels
