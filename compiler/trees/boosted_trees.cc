// SPDX-License-Identifier: Apache-2.0
#include "compiler/trees/boosted_trees.h"

#include <xgboost/c_api.h>

#include <limits>
#include <span>
#include <utility>

#include "isa/check.h"

namespace cosim::trees {
namespace {

using Parameter = std::pair<const char*, const char*>;

// One thread: the same trees on every machine, and the others measure meanwhile.
constexpr Parameter kParameters[] = {
    {"min_child_weight", "0"}, {"nthread", "1"}, {"seed", "0"}, {"verbosity", "0"}};

struct Recipe {
  int rounds;
  Parameter parameters[3];
};
constexpr Recipe kOrder = {40, {{"objective", "rank:pairwise"}, {"max_depth", "6"}, {"eta", "0.3"}}};
constexpr Recipe kValue = {150, {{"objective", "reg:squarederror"}, {"max_depth", "4"}, {"eta", "0.1"}}};

void Check(int status) { COSIM_CHECK(status == 0, "XGBoost: {}", XGBGetLastError()); }

struct Matrix {
  explicit Matrix(const std::vector<std::vector<float>>& rows) {
    std::vector<float> flat;
    for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    Check(XGDMatrixCreateFromMat(flat.data(), rows.size(), rows.front().size(),
                                 std::numeric_limits<float>::quiet_NaN(), &handle));
  }
  ~Matrix() { XGDMatrixFree(handle); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle handle = nullptr;
};

}  // namespace

struct BoostedTrees::Booster {
  Booster(const Matrix& data, const Recipe& recipe) {
    Check(XGBoosterCreate(&data.handle, 1, &handle));
    using Some = std::span<const Parameter>;
    for (const Some some : {Some(kParameters), Some(recipe.parameters)})
      for (const auto& [name, value] : some) Check(XGBoosterSetParam(handle, name, value));
    for (int round = 0; round < recipe.rounds; ++round)
      Check(XGBoosterUpdateOneIter(handle, round, data.handle));
  }
  ~Booster() { XGBoosterFree(handle); }
  BoosterHandle handle = nullptr;
};

BoostedTrees::BoostedTrees(Goal goal) : goal_(goal) {}
BoostedTrees::BoostedTrees(BoostedTrees&&) noexcept = default;
BoostedTrees::~BoostedTrees() = default;

void BoostedTrees::Train(const std::vector<std::vector<float>>& rows, const std::vector<float>& labels) {
  COSIM_CHECK(rows.size() >= 2 && rows.size() == labels.size());
  const Matrix data(rows);
  Check(XGDMatrixSetFloatInfo(data.handle, "label", labels.data(), labels.size()));
  if (goal_ == Goal::kOrder) {
    const auto group = static_cast<unsigned>(rows.size());
    Check(XGDMatrixSetUIntInfo(data.handle, "group", &group, 1));
  }
  booster_ = std::make_unique<Booster>(data, goal_ == Goal::kOrder ? kOrder : kValue);
}

std::vector<float> BoostedTrees::Guess(const std::vector<std::vector<float>>& rows) const {
  COSIM_CHECK(booster_);
  if (rows.empty()) return {};
  const Matrix data(rows);
  bst_ulong count = 0;
  const float* guesses = nullptr;
  Check(XGBoosterPredict(booster_->handle, data.handle, 0, 0, 0, &count, &guesses));
  return {guesses, guesses + count};
}

}  // namespace cosim::trees
