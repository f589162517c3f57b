// SPDX-License-Identifier: Apache-2.0
#include "driver/copy_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace cosim::driver {
namespace {

using isa::ScalarType;

/// So many immediates of an op are tried, each with a few values.
constexpr size_t kMostImmediates = 4;
/// Types up to this width are tried value by value.
constexpr int kTriedWhole = 10;

/// Holds what both hold.
ScalarType Common(ScalarType a, ScalarType b) {
  if (a.is_signed == b.is_signed) return {std::min(a.width, b.width), a.is_signed};
  if (a.is_signed) std::swap(a, b);
  return {std::min(a.width, b.width - 1), false};
}

std::vector<int64_t> Samples(ScalarType type) {
  std::vector<int64_t> samples;
  if (type.width <= kTriedWhole) {
    for (int64_t value = type.Min(); value <= type.Max(); ++value) samples.push_back(value);
    return samples;
  }
  for (int bit = 0; bit + 1 < type.width; ++bit) {
    const int64_t power = int64_t{1} << bit;
    samples.insert(samples.end(), {power, power - 1, type.Max() - power});
    if (type.is_signed) samples.insert(samples.end(), {-power, type.Min() + power});
  }
  samples.insert(samples.end(), {type.Min(), type.Max()});
  return samples;
}

bool HandsOn(const isa::ScalarProgram& program, std::vector<int64_t> inputs, size_t operand,
             std::span<const int64_t> samples) {
  return std::ranges::all_of(samples, [&](int64_t value) {
    inputs[operand] = value;
    return isa::Evaluate(program, inputs) == value;
  });
}

/// The op as a step for all values of `type`, if some choice of its immediates makes it one.
std::optional<CopyStep> AsStep(const isa::Spec& spec, int op, ScalarType type) {
  const isa::ScalarProgram& program = spec.alu_ops[op].program;
  std::vector<size_t> immediates;
  size_t operand = program.inputs.size();
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const bool is_operand = program.inputs[i].kind == isa::ScalarInput::Kind::kOperand;
    if (is_operand && (operand < i || program.inputs[i].field >= 0)) return std::nullopt;
    if (is_operand)
      operand = i;
    else
      immediates.push_back(i);
  }
  if (operand == program.inputs.size() || immediates.size() > kMostImmediates) return std::nullopt;
  const std::vector<int64_t> samples = Samples(type);
  std::vector<int64_t> inputs(program.inputs.size());
  for (size_t choice = 0; choice < size_t{1} << (2 * immediates.size()); ++choice) {
    CopyStep step{op, {}};
    for (size_t i = 0; i < immediates.size(); ++i) {
      const isa::ScalarInput& input = program.inputs[immediates[i]];
      const int64_t values[] = {0, input.type.Min(), input.type.Max(), 1};
      inputs[immediates[i]] = values[choice >> (2 * i) & 3];
      step.immediates.emplace_back(input.instruction_field, inputs[immediates[i]]);
    }
    if (HandsOn(program, inputs, operand, samples)) return step;
  }
  return std::nullopt;
}

class PathFinder {
 public:
  explicit PathFinder(const isa::Spec& spec) : spec_(spec), visited_(spec.memories.size()) {}

  /// From a load to `memory`, for no other values than those of `type`.
  std::optional<CopyPath> To(int memory, ScalarType type) {
    if (spec_.memories[memory].mirrors >= 0) memory = spec_.memories[memory].mirrors;
    const isa::Memory& there = spec_.memories[memory];
    if (visited_[memory] || there.is_micro_ops || there.fields.size() != 1) return std::nullopt;
    visited_[memory] = true;
    for (size_t f = 0; f < spec_.formats.size(); ++f) {
      const isa::InstructionFormat& format = spec_.formats[f];
      if (format.kind == isa::Kind::kLoad && format.memory == memory && !format.Gathers())
        return CopyPath{static_cast<int>(f), -1, {}, Common(type, there.fields[0].type)};
    }
    for (size_t op = 0; op < spec_.alu_ops.size(); ++op)
      if (auto path = Through(static_cast<int>(op), memory, type)) return path;
    return std::nullopt;
  }

 private:
  std::optional<CopyPath> Through(int number, int memory, ScalarType type) {
    const isa::AluOp& op = spec_.alu_ops[number];
    if (!op.available || op.result.memory != memory || op.operands.size() != 1) return std::nullopt;
    const isa::Memory& from = spec_.memories[op.operands[0].memory];
    if (from.fields.size() != 1) return std::nullopt;
    const ScalarType values = Common(type, from.fields[0].type);
    const auto step = AsStep(spec_, number, values);
    if (!step) return std::nullopt;
    auto path = To(op.operands[0].memory, values);
    if (path) path->steps.push_back(*step);
    return path;
  }

  const isa::Spec& spec_;
  std::vector<bool> visited_;
};

}  // namespace

std::optional<CopyPath> FindCopyPath(const isa::Spec& spec) {
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    if (spec.formats[f].kind != isa::Kind::kStore) continue;
    const isa::Memory& memory = spec.memories[spec.formats[f].memory];
    const isa::Memory& original = memory.mirrors >= 0 ? spec.memories[memory.mirrors] : memory;
    auto path = PathFinder(spec).To(spec.formats[f].memory, original.fields[0].type);
    if (!path) continue;
    path->store = static_cast<int>(f);
    return path;
  }
  return std::nullopt;
}

std::string PathText(const isa::Spec& spec, const CopyPath& path) {
  std::string text = spec.formats[path.load].name;
  for (const CopyStep& step : path.steps) {
    const isa::AluOp& op = spec.alu_ops[step.op];
    text += fmt::format(", {} {}", spec.formats[op.format].name, op.name);
  }
  return fmt::format("{}, {}", text, spec.formats[path.store].name);
}

}  // namespace cosim::driver
