// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/ranker.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "isa/check.h"

namespace cosim::tune {
namespace {

constexpr int kRounds = 40;
// One thread: the same trees on every machine, and the others measure meanwhile.
constexpr std::pair<const char*, const char*> kParameters[] = {{"objective", "rank:pairwise"},
                                                               {"max_depth", "6"},
                                                               {"eta", "0.3"},
                                                               {"min_child_weight", "0"},
                                                               {"nthread", "1"},
                                                               {"seed", "0"},
                                                               {"verbosity", "0"}};

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

struct Ranker::Booster {
  explicit Booster(const Matrix& data) {
    Check(XGBoosterCreate(&data.handle, 1, &handle));
    for (const auto& [name, value] : kParameters) Check(XGBoosterSetParam(handle, name, value));
  }
  ~Booster() { XGBoosterFree(handle); }
  BoosterHandle handle = nullptr;
};

Ranker::Ranker() = default;
Ranker::~Ranker() = default;

void Ranker::Train(const std::vector<std::vector<float>>& rows, const std::vector<double>& cycles) {
  COSIM_CHECK(rows.size() >= 2 && rows.size() == cycles.size());
  const Matrix data(rows);
  const double least = *std::ranges::min_element(cycles);
  std::vector<float> labels;  // what is near the best counts: twice the cycles are as bad as ten times
  for (const double each : cycles)
    labels.push_back(static_cast<float>(std::max(0.0, 1 - std::log2(each / least))));
  Check(XGDMatrixSetFloatInfo(data.handle, "label", labels.data(), labels.size()));
  const auto group = static_cast<unsigned>(rows.size());
  Check(XGDMatrixSetUIntInfo(data.handle, "group", &group, 1));
  booster_ = std::make_unique<Booster>(data);
  for (int round = 0; round < kRounds; ++round)
    Check(XGBoosterUpdateOneIter(booster_->handle, round, data.handle));
}

std::vector<float> Ranker::Score(const std::vector<std::vector<float>>& rows) const {
  COSIM_CHECK(booster_);
  if (rows.empty()) return {};
  const Matrix data(rows);
  bst_ulong count = 0;
  const float* scores = nullptr;
  Check(XGBoosterPredict(booster_->handle, data.handle, 0, 0, 0, &count, &scores));
  return {scores, scores + count};
}

}  // namespace cosim::tune
