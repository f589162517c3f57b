// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_plan.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "cli/options.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using Strings = std::vector<std::string>;

/// Options that a plan's file has keys for.
constexpr const char* kPlanOptions[] = {"config",          "isa",    "set",     "memory",
                                        "where",           "sample", "points",  "sample-seed",
                                        "virtual-threads", "seed",   "accuracy"};

isa::YamlNode NodeOf(const std::string& path, std::string text) {
  auto source = std::make_shared<isa::SourceLines>();
  source->path = path;
  isa::YamlNode node;
  node.kind = isa::YamlNode::Kind::kScalar;
  node.scalar = std::move(text);
  node.source = source;
  return node;
}

Strings All(const po::variables_map& values, const char* option) {
  return values.count(option) ? values[option].as<Strings>() : Strings{};
}

/// Each --set: one value is every point's, several are an axis.
bool ReadSets(const po::variables_map& values, explore::Plan& plan, Diagnostics& diags) {
  for (const std::string& text : All(values, "set")) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      Fail(fmt::format("--set {}: not of the form key=value,value", text),
           "for example --set memory.latency=40,80,160");
      return false;
    }
    const std::string path = "--set " + text;
    auto axis =
        explore::ReadAxis(NodeOf(path, text.substr(0, equals)), NodeOf(path, text.substr(equals + 1)), diags);
    if (!axis) return false;
    if (!axis->range && axis->values.size() == 1)
      plan.set.push_back({axis->key, axis->values.front()});
    else
      plan.axes.push_back(std::move(*axis));
  }
  if (values.count("memory")) plan.set.push_back({"memory.setting", values["memory"].as<std::string>()});
  return true;
}

std::optional<explore::Plan> PlanOfOptions(const po::variables_map& values, Diagnostics& diags) {
  explore::Plan plan;
  plan.networks = {values["MODEL"].as<std::string>()};
  plan.configs = {values["config"].as<std::string>()};
  plan.isa = values["isa"].as<std::string>();
  plan.virtual_threads = {values["virtual-threads"].as<int>()};
  plan.seed = values["seed"].as<uint64_t>();
  plan.points = values["points"].as<int64_t>();
  plan.sample_seed = values["sample-seed"].as<uint64_t>();
  if (plan.virtual_threads[0] < 1 || plan.virtual_threads[0] > 8)
    return Fail("--virtual-threads: from 1 to 8"), std::nullopt;
  if (plan.points < 0 || plan.points > explore::kMostPoints)
    return Fail(fmt::format("--points: from 1 to {}", explore::kMostPoints)), std::nullopt;
  plan.accuracy = values["accuracy"].as<int>();
  if (plan.accuracy < 0 || plan.accuracy > explore::kMostAccuracyInputs)
    return Fail(fmt::format("--accuracy: from 1 to {}", explore::kMostAccuracyInputs)), std::nullopt;
  explore::CheckAccuracy(plan, NodeOf("--accuracy", ""), diags);
  const std::string sample = values["sample"].as<std::string>();
  const auto sampling = explore::ParseSampling(sample);
  if (!sampling)
    return Fail(fmt::format("--sample={}: not one of grid, random, latin", sample)), std::nullopt;
  plan.sampling = *sampling;
  if (!ReadSets(values, plan, diags)) return std::nullopt;
  for (const std::string& text : All(values, "where"))
    if (auto constraint = explore::ParseConstraint(NodeOf("--where " + text, text), diags))
      plan.constraints.push_back(std::move(*constraint));
  if (diags.HasErrors() || !explore::CheckPlan(plan, NodeOf("--sample=" + sample, ""), diags))
    return std::nullopt;
  return plan;
}

std::string TextOfOptions(const po::variables_map& values) {
  std::string text =
      "sweep " + values["MODEL"].as<std::string>() + " --config=" + values["config"].as<std::string>();
  for (const char* option : {"set", "where"})
    for (const std::string& each : All(values, option)) text += fmt::format(" --{} '{}'", option, each);
  if (const int inputs = values["accuracy"].as<int>()) text += fmt::format(" --accuracy={}", inputs);
  return text + fmt::format(" --sample={} --points={} --sample-seed={}", values["sample"].as<std::string>(),
                            values["points"].as<int64_t>(), values["sample-seed"].as<uint64_t>());
}

}  // namespace

void AddPlanOptions(po::options_description& options) {
  options.add_options()("config", po::value<std::string>()->value_name("FILE")->default_value("pynq.yaml"),
                        "configuration: a path, or a name in configs/")(
      "isa", po::value<std::string>()->value_name("FILE")->default_value(""),
      "ISA: a path, or a name in isa/ (default: the configuration's)")(
      "set", po::value<Strings>()->value_name("KEY=VALUES")->composing(),
      "values of a key: 8,16,32, a range 200..800, or one with steps, 200..800:50 or 8..64*2")(
      "memory", po::value<std::string>()->value_name("SETTING"),
      "low | typical | high: what the configuration's memory costs (--set memory.setting)")(
      "where", po::value<Strings>()->value_name("CONDITION")->composing(),
      "run only points that meet it: 'macs_per_cycle <= 512', 'area.dsp <= 220', 'fits(board)'")(
      "sample", po::value<std::string>()->value_name("HOW")->default_value("grid"),
      "grid: all combinations; random, or latin (a Latin hypercube): --points of them")(
      "points", po::value<int64_t>()->value_name("N")->default_value(0, ""), "how many of them")(
      "sample-seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of the sample")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2), "virtual threads a kernel")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights and inputs")(
      "accuracy", po::value<int>()->value_name("N")->default_value(0, ""),
      "compare the quantized network with the float one on N inputs: signal to noise in dB");
}

std::vector<std::string> PlanArguments(const po::variables_map& values) {
  std::vector<std::string> arguments = {values["MODEL"].as<std::string>()};
  const auto add = [&](const std::string& option, const std::string& value) {
    arguments.push_back(fmt::format("--{}={}", option, value));
  };
  for (const std::string option : kPlanOptions) {
    if (!values.count(option) || values[option].defaulted()) continue;
    const auto& value = values[option].value();
    if (const auto* text = boost::any_cast<std::string>(&value)) add(option, *text);
    if (const auto* number = boost::any_cast<int>(&value)) add(option, std::to_string(*number));
    if (const auto* number = boost::any_cast<int64_t>(&value)) add(option, std::to_string(*number));
    if (const auto* number = boost::any_cast<uint64_t>(&value)) add(option, std::to_string(*number));
    if (const auto* list = boost::any_cast<Strings>(&value))
      for (const std::string& text : *list) add(option, text);
  }
  return arguments;
}

std::optional<SweepPlan> ReadSweepPlan(const po::variables_map& values, Diagnostics& diags) {
  SweepPlan result;
  result.path = values["MODEL"].as<std::string>();
  if (!result.path.ends_with(".yaml")) {
    auto plan = PlanOfOptions(values, diags);
    if (!plan) return std::nullopt;
    result.plan = std::move(*plan);
    result.text = TextOfOptions(values);
    return result;
  }
  for (const char* option : kPlanOptions)
    if (values.count(option) && !values[option].defaulted())
      return Fail(fmt::format("--{}: that is the plan's to say", option), "edit " + result.path),
             std::nullopt;
  auto text = isa::ReadSource(result.path, diags);
  auto plan = text ? explore::ReadPlan(*text, diags) : std::nullopt;
  if (!plan) return std::nullopt;
  result.plan = std::move(*plan);
  result.text = std::move(text->text);
  return result;
}

}  // namespace cosim::cli
