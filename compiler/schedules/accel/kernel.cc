// SPDX-License-Identifier: Apache-2.0
// See kernel.h.
#include "compiler/schedules/accel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
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

// Has a buffer's elements stored to those of another.
class StoreInstead : public tir::Mutator {
 public:
  using Places = std::function<Indices(const Indices&)>;
  StoreInstead(tir::Buffer old, tir::Buffer instead, Places places)
      : old_(std::move(old)), instead_(std::move(instead)), places_(std::move(places)) {}

  tir::Stmt MutateStmt(const tir::Stmt& stmt) override {
    const auto* store = tir::As<tir::Store>(stmt);
    if (store == nullptr || store->buffer != old_) return tir::Mutator::MutateStmt(stmt);
    return tir::MakeStmt(tir::Store{instead_, places_(store->indices), store->value});
  }

 private:
  tir::Buffer old_, instead_;
  Places places_;
};

// Dimensions of an output that is spread, before it stands as it shall.
enum SpreadDim : size_t { kN, kG, kPlaceRow, kPlaceCol, kCo, kY, kX, kSo, kB, kO };

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
    DeclareOutput();
    arguments_.tensors.push_back(output_);
    arguments_.roles.push_back(Role::kOutput);
    te::Schedule schedule({output_});
    Plan(schedule);
    tir::Function function = te::Lower(schedule, arguments_.tensors, name);
    if (w_.rows_stored != 0) FillUpRows(function);
    if (w_.spread) SpreadOut(function);
    return {std::move(function), arguments_.roles};
  }

 private:
  // One dimension more for the rows and one for the columns of places, where it is spread.
  void DeclareOutput() {
    std::vector<int64_t> shape = part_.OutShape();
    std::vector<std::string> names = KernelPart::OutNames();
    if (w_.spread) {
      shape[2] = w_.PlaceBlocks();
      shape.insert(shape.begin() + kPlaceRow, {w_.spread->rows, w_.spread->cols});
      names.insert(names.begin() + kPlaceRow, {"place_y", "place_x"});
    }
    const auto result = [&](const Indices& i) {
      return array_.results_are_mirrored
                 ? MakeCast(tir::DataType::Int(array_.activation_bits), part_.result()(i))
                 : part_.result()(i);
    };
    output_ = te::Compute(
        "output", std::move(shape),
        [&](const Indices& i) -> te::Body { return result(w_.spread ? ResultPlace(i) : i); }, names);
  }

  // Which result an element of the spread output is.
  Indices ResultPlace(const Indices& i) const {
    tir::Expr co = i[kCo];
    if (w_.spread->phases)
      co = (i[kPlaceRow] * tir::Int(w_.spread->cols) + i[kPlaceCol]) * tir::Int(w_.PlaceBlocks()) + co;
    return {i[kN], i[kG], co, i[kY], i[kX], i[kSo], i[kB], i[kO]};
  }

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

  void StoreTo(tir::Function& function, std::vector<int64_t> shape, StoreInstead::Places places) const {
    const tir::Buffer instead = tir::MakeBuffer(output_->name, output_.type(), std::move(shape));
    std::ranges::replace(function.params, output_.buffer(), instead);
    function.body = StoreInstead(output_.buffer(), instead, std::move(places)).MutateStmt(function.body);
  }

  // Makes the output a part of one with more rows.
  void FillUpRows(tir::Function& function) const {
    std::vector<int64_t> shape = output_.shape();
    shape[3] = w_.rows_stored;
    StoreTo(function, std::move(shape), [](const Indices& i) { return i; });
  }

  void SpreadOut(tir::Function& function) const {
    const Spread& spread = *w_.spread;
    std::vector<int64_t> shape = part_.OutShape();
    shape[2] = w_.PlaceBlocks();
    shape[3] *= spread.rows;
    shape[4] *= spread.cols;
    StoreTo(function, std::move(shape), [&](const Indices& i) -> Indices {
      const tir::Expr y = i[kY] * tir::Int(spread.rows) + i[kPlaceRow],
                      x = i[kX] * tir::Int(spread.cols) + i[kPlaceCol];
      return {i[kN], i[kG], i[kCo], y, x, i[kSo], i[kB], i[kO]};
    });
  }

  // The loop inside which a tile is computed.
  te::Axis OrderTiles(te::Stage& out) const {
    using Axes = std::vector<te::Axis>;
    const auto axis = [&](size_t dim) { return out.axis(w_.spread || dim < kPlaceRow ? dim : dim - 2); };
    auto [go, gi] = out.Split(axis(kG), t_.g);
    auto [coo, coi] = out.Split(axis(kCo), t_.co);
    auto [yo, yi] = out.Split(axis(kY), t_.y);
    auto [xo, xi] = out.Split(axis(kX), t_.x);
    const te::Axis n = axis(kN);
    const Axes places = w_.spread ? Axes{axis(kPlaceRow), axis(kPlaceCol)} : Axes{};
    Axes channels = {go}, tile;  // what of the channels comes outside of a tile, and what is inside
    if (w_.spread && w_.spread->phases)
      channels.insert(channels.end(), places.begin(), places.end());
    else
      tile = places;
    tile.insert(tile.end(), {gi, coi, yi, xi, axis(kSo), axis(kB), axis(kO)});
    const auto reorder = [&](std::initializer_list<Axes> parts) {
      Axes order = {n};
      for (const Axes& part : parts) order.insert(order.end(), part.begin(), part.end());
      out.Reorder(order);
    };
    if (t_.thread_axis == Tile::ThreadAxis::kX) {
      const auto [outer, thread] = out.Split(xo, t_.threads);
      reorder({channels, {coo, outer, thread, yo}, tile});
      out.VirtualThread(thread);
      return yo;
    }
    if (t_.threads > 1) {
      te::Axis& split = t_.thread_axis == Tile::ThreadAxis::kY ? yo : w_.g > 1 ? channels[0] : coo;
      auto [outer, thread] = out.Split(split, t_.threads);
      split = outer;
      t_.rows_first ? reorder({{yo, xo}, channels, {coo, thread}, tile})
                    : reorder({channels, {coo, yo, xo, thread}, tile});
      out.VirtualThread(thread);
      return thread;
    }
    if (t_.rows_first) {
      reorder({{yo, xo}, channels, {coo}, tile});
      return coo;
    }
    reorder({channels, {coo, yo, xo}, tile});
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
