// SPDX-License-Identifier: Apache-2.0
// Runs the points of a plan one after the other, and keeps between them what cannot differ: the texts of
// configurations and ISAs, quantized graphs, and results of experiments that differ in nothing the cycles
// depend on. What a point gives is what session::RunExperiment gives for it alone.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/explore/plan.h"
#include "compiler/session/session.h"
#include "isa/spec/loader.h"
#include "sim/energy/energy_source.h"

namespace cosim::explore {

/// What runs under a name of Plan::networks.
struct Network {
  std::shared_ptr<const import::Model> model;  ///< null: one of the zoo
  std::string identity;                        ///< as session::ExperimentKey wants it
};
using Networks = std::map<std::string, Network>;

enum class Status {
  kDone,
  kFailed,    ///< `diagnostic` says why
  kExcluded,  ///< by the condition that `diagnostic` names
};

struct Outcome {
  Status status = Status::kFailed;
  std::string diagnostic;
  double violation = 0;                   ///< of an excluded point, of all conditions: Violation() added
  std::optional<isa::Spec> spec;          ///< of a point whose configuration is legal
  std::optional<session::Result> result;  ///< of a point that is done
};

struct RunOptions {
  bool check = false;  ///< with data, compared with the golden model; else timing only
};

class PointRunner {
 public:
  /// `networks` has those of all points. All of these outlive this.
  PointRunner(const Networks& networks, const std::vector<Constraint>& constraints, const RunOptions& options)
      : networks_(networks), constraints_(constraints), options_(options) {}

  Outcome Run(const Point& point);

  /// By how much a point breaks the conditions, without running it; infinite when its configuration is not
  /// legal, or a condition has no meaning for it.
  double ViolationBefore(const Point& point);

  /// How session::RunExperiment is asked for a point's result, but for what is shared.
  session::Options OptionsFor(const Point& point) const;

 private:
  /// The table that a point's configuration names, null when it names none; nothing, and `error` set, when
  /// there is no such table.
  std::optional<const sim::EnergySource*> EnergySourceFor(const isa::SpecTexts& texts, const Point& point,
                                                          std::string& error);
  const isa::SpecTexts* TextsOf(const Point& point, Diagnostics& diags);
  std::shared_ptr<const graph::QuantizedGraph> QuantizedFor(const isa::Spec& spec, const Point& point);
  /// Of Point::accuracy inputs.
  session::Accuracy AccuracyOf(const isa::Spec& spec, const Point& point);
  /// False, and `outcome` filled in, when a condition does not hold: the first of them is named.
  bool Meets(const isa::Spec& spec, Outcome& outcome) const;
  std::optional<session::Result> Experiment(const isa::Spec& spec, session::Options options,
                                            const Point& point, std::string& error);

  const Networks& networks_;
  const std::vector<Constraint>& constraints_;
  const RunOptions& options_;
  std::map<std::string, isa::SpecTexts> texts_;
  std::map<std::string, std::shared_ptr<const graph::QuantizedGraph>> quantized_;
  std::map<std::string, network::LoweringCache> caches_;
  std::shared_ptr<network::KernelCache> kernels_ = std::make_shared<network::KernelCache>();
  std::map<std::string, session::Result> results_;
  std::map<std::string, sim::EnergySource> energies_;  ///< by folder and name
  std::map<std::string, session::Accuracy> accuracies_;
};

/// What the cycles of a point depend on, in one line: the spec without clock and board, its memory, the
/// network, and how it is compiled.
std::string CyclesKey(const isa::Spec& spec, const Point& point);

}  // namespace cosim::explore
