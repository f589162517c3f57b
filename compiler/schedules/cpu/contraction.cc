// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/contraction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "compiler/schedules/cpu/blocked_product.h"
#include "compiler/schedules/cpu/depthwise.h"
#include "compiler/schedules/cpu/winograd.h"
#include "isa/check.h"

namespace cosim::schedules {
namespace {

constexpr int64_t kTransforms[] = {0, 2, 4};

/// "winograd=4" is 4 for "winograd"; takes the word and the space behind it off `text`.
std::optional<int64_t> TakeNumber(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || text.substr(name.size(), 1) != "=") return std::nullopt;
  const char* begin = text.data() + name.size() + 1;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return value;
}

}  // namespace

std::string ToString(const ContractionSchedule& schedule) {
  const std::string tile = ToString(schedule.tile);
  return schedule.transform > 0 ? fmt::format("winograd={} {}", schedule.transform, tile) : tile;
}

std::optional<ContractionSchedule> ParseContractionSchedule(std::string_view text) {
  ContractionSchedule schedule;
  schedule.transform = TakeNumber(text, "winograd").value_or(0);
  Tile& tile = schedule.tile;
  for (const auto& [name, to] :
       {std::pair("lanes", &tile.lanes), std::pair("vectors", &tile.vectors),
        std::pair("pixels", &tile.pixels), std::pair("rows", &tile.rows), std::pair("chunk", &tile.chunk)}) {
    const auto value = TakeNumber(text, name);
    if (!value) return std::nullopt;
    *to = *value;
  }
  tile.unroll = TakeNumber(text, "unroll").value_or(1);
  return text.empty() ? std::optional(schedule) : std::nullopt;
}

std::optional<Contraction> Contraction::Of(const ops::Computation& sums, const graph::Tensor* weights,
                                           const CpuTarget& target) {
  if (sums.convolved && DepthwiseProblem(sums, target))
    return Contraction(Form::kDepthwise, sums, nullptr, target);
  if (sums.convolved && weights && ConvolutionProblem(sums, target))
    return Contraction(Form::kConvolution, sums, weights, target);
  if (sums.product.get() && ProductProblem(sums.product, target))
    return Contraction(Form::kProduct, sums, nullptr, target);
  return std::nullopt;
}

std::optional<TileProblem> Contraction::ProblemFor(int64_t transform) const {
  if (transform > 0)
    return form_ == Form::kConvolution ? TransformedProblem(*sums_, target_, transform) : std::nullopt;
  switch (form_) {
    case Form::kDepthwise:
      return DepthwiseProblem(*sums_, target_);
    case Form::kConvolution:
      return ConvolutionProblem(*sums_, target_);
    case Form::kProduct:
      return ProductProblem(sums_->product, target_);
  }
  COSIM_CHECK(false, "form {}", static_cast<int>(form_));
  return std::nullopt;
}

std::string Contraction::Workload() const {
  const TileProblem problem = *ProblemFor(0);
  if (form_ == Form::kProduct)
    return fmt::format("product {} of [{}] over {}", ToString(sums_->product.type()),
                       fmt::join(sums_->product.shape(), ", "), problem.depth);
  const ops::Convolved& op = *sums_->convolved;
  std::string text = fmt::format("{} {} [{}] by {} [{}] to [{}]", op.is_product() ? "dense" : "convolution",
                                 ToString(op.x.type()), fmt::join(op.x.shape(), ", "), ToString(op.w.type()),
                                 fmt::join(op.w.shape(), ", "), fmt::join(sums_->tensor.shape(), ", "));
  if (op.is_product()) return text;
  if (op.part) text += fmt::format(" part of {} x {}", op.part->kernel[0], op.part->kernel[1]);
  return text + fmt::format(" stride {} dilation {} before {} groups {}", fmt::join(op.stride, " x "),
                            fmt::join(op.dilation, " x "), fmt::join(op.before, " x "), op.groups);
}

ContractionSchedule Contraction::Chosen() const {
  if (form_ == Form::kDepthwise) return {0, ChooseRowTile(*ProblemFor(0), target_)};
  const int64_t transform = form_ == Form::kConvolution ? ChooseTransform(*sums_, target_) : 0;
  return {transform, ChooseTile(*ProblemFor(transform), target_)};
}

bool Contraction::IsLegal(const ContractionSchedule& schedule) const {
  const auto problem = ProblemFor(schedule.transform);
  if (!problem) return false;
  return form_ == Form::kDepthwise ? IsRowTile(*problem, schedule.tile, target_)
                                   : IsTile(*problem, schedule.tile, target_);
}

std::vector<ContractionSchedule> Contraction::All() const {
  std::vector<ContractionSchedule> all;
  for (const int64_t transform : kTransforms) {
    const auto problem = ProblemFor(transform);
    if (!problem) continue;
    for (const Tile& tile :
         form_ == Form::kDepthwise ? RowTiles(*problem, target_) : TilesOf(*problem, target_))
      all.push_back({transform, tile});
  }
  return all;
}

Blocked Contraction::Build(const ContractionSchedule& schedule) const {
  COSIM_CHECK(IsLegal(schedule), "'{}' for {}", ToString(schedule), Workload());
  switch (form_) {
    case Form::kDepthwise:
      return BlockDepthwise(*sums_, schedule.tile);
    case Form::kConvolution:
      return schedule.transform > 0
                 ? TransformConvolution(*sums_, *weights_, target_, schedule.transform, schedule.tile)
                 : BlockConvolution(*sums_, *weights_, target_, schedule.tile);
    case Form::kProduct:
      return BlockProduct(sums_->product, schedule.tile);
  }
  COSIM_CHECK(false, "form {}", static_cast<int>(form_));
  return {};
}

}  // namespace cosim::schedules
