// SPDX-License-Identifier: Apache-2.0
// Moves lanes between memories and the evaluator, and cuts steps into runs.
#include "sim/functional/alu_unit.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::sim {
namespace {

/// Lanes a run aims at: enough to make dispatch cheap, few enough for all registers to stay in the
/// first-level cache.
constexpr int kRunLanes = 256;

int RunSteps(int lanes) { return std::max(1, kRunLanes / lanes); }

/// Elements of `from_lanes` lanes, one after another, each repeated until it fills `lanes`.
template <class From, class To>
void Gather(const From* from, std::span<const int64_t> elements, int from_lanes, int lanes, To* to) {
  size_t s = 0;
  while (s < elements.size()) {
    const From* source = from + elements[s] * from_lanes;
    size_t next = s + 1;
    if (from_lanes == lanes) {
      while (next < elements.size() && elements[next] == elements[next - 1] + 1) ++next;
      std::copy_n(source, (next - s) * lanes, to);
      to += (next - s) * lanes;
    } else {
      for (int done = 0; done < lanes; done += from_lanes, to += from_lanes)
        std::copy_n(source, from_lanes, to);
    }
    s = next;
  }
}

/// As Gather, of an operand whose elements are parts of the result's: so many side by side in each row of
/// `part_lanes` lanes.
template <class From, class To>
void GatherParts(const From* from, std::span<const int64_t> elements, int from_lanes, int part_lanes,
                 int parts, To* to) {
  for (const int64_t element : elements)
    for (int row = 0; row < from_lanes; row += part_lanes)
      for (int part = 0; part < parts; ++part, to += part_lanes)
        std::copy_n(from + (element + part) * from_lanes + row, part_lanes, to);
}

template <class From, class To>
void Scatter(const From* from, std::span<const int64_t> elements, int lanes, To* to) {
  for (const int64_t element : elements) {
    To* target = to + element * lanes;
    for (int lane = 0; lane < lanes; ++lane) target[lane] = static_cast<To>(from[lane]);
    from += lanes;
  }
}

/// Calls f with the register's lanes in their own type.
template <class F>
void WithRegister(LaneRegister reg, F&& f) {
  if (reg.wide) {
    f(static_cast<int64_t*>(reg.data));
  } else {
    f(static_cast<int32_t*>(reg.data));
  }
}

}  // namespace

AluUnit::AluUnit(const isa::Spec& spec, const isa::AluOp& op, Memories& memories, SimdLevel level)
    : spec_(spec),
      op_(op),
      memories_(memories),
      lanes_(static_cast<int>(memories.Store(op.result.memory).lanes)),
      run_steps_(cosim::sim::RunSteps(lanes_)),
      evaluator_(op.program, run_steps_ * lanes_, level) {
  COSIM_CHECK(op.available, "'{}' {}", op.name, op.unavailable);
  const isa::Memory& result = spec.memories[op.result.memory];
  COSIM_CHECK(result.mirrors < 0 && result.fields.size() == 1, "'{}' writes '{}'", op.name, result.name);
  const isa::ScalarType value = op.program.nodes[op.program.result].type;
  const isa::ScalarType lane = result.fields[0].type;
  COSIM_CHECK(value.Min() >= lane.Min() && value.Max() <= lane.Max(), "'{}' gives more than '{}' holds",
              op.name, result.name);
  operands_.push_back({.memory = op.result.memory});
  for (size_t n = 0; n < op.operands.size(); ++n) {
    const int memory = op.operands[n].memory;
    operands_.push_back({.memory = memory, .index = {}, .parts = op.operands[n].parts});
    if (memories.Owner(memory) == op.result.memory) hazards_.push_back(static_cast<int>(n) + 1);
    COSIM_CHECK(lanes_ % memories.Store(memory).lanes == 0, "lanes of '{}'", op.name);
  }
  run_.resize(operands_.size());
  stamps_.resize(memories.Store(op.result.memory).depth);
}

std::string AluUnit::Execute(const isa::Alu& alu, std::span<const int64_t> fields) {
  operands_[0].index = alu.result;
  for (size_t n = 0; n < alu.operands.size(); ++n) operands_[n + 1].index = alu.operands[n];
  std::string error = table_.Resolve(spec_, memories_, alu.nest, operands_);
  if (!error.empty() || table_.Steps() == 0) return error;
  const int lanes = static_cast<int>(std::min<int64_t>(run_steps_, table_.Steps())) * lanes_;
  for (size_t n = 0; n < op_.program.inputs.size(); ++n) {
    const isa::ScalarInput& input = op_.program.inputs[n];
    if (input.kind != isa::ScalarInput::Kind::kImmediate) continue;
    evaluator_.SetImmediate(static_cast<int>(n), fields[input.instruction_field], lanes);
  }
  for (size_t t = 0; t < op_.program.tables.size(); ++t) {
    const isa::ScalarTable& table = op_.program.tables[t];
    WithStorage(memories_.Store(table.memory).fields[0], [&](const auto* values) {
      std::copy_n(values, table.depth, evaluator_.Table(static_cast<int>(t)));
    });
  }
  evaluator_.PrepareUniform(lanes);
  RunSteps();
  return {};
}

void AluUnit::RunSteps() {
  for (int64_t i = 0; i < table_.iter_out; ++i) {
    if (table_.uops == 1 && RowIsIndependent(i)) {
      RunRow(i);
    } else {
      RunStepByStep(i);
    }
  }
}

bool AluUnit::RowIsIndependent(int64_t i) const {
  const Row result = RowOf(0, i);
  return std::ranges::all_of(hazards_, [&](int n) {
    const Row operand = RowOf(n, i);
    if (operand.first == result.first && operand.stride == result.stride && result.stride != 0) return true;
    const auto [result_low, result_high] = std::minmax({result.first, result.Last()});
    const auto [operand_low, operand_high] = std::minmax({operand.first, operand.Last()});
    return operand_high < result_low || result_high < operand_low;
  });
}

void AluUnit::RunRow(int64_t i) {
  for (int64_t j = 0; j < table_.iter_in; j += run_steps_) {
    const int64_t count = std::min<int64_t>(run_steps_, table_.iter_in - j);
    for (size_t n = 0; n < run_.size(); ++n) {
      const Row row = RowOf(static_cast<int>(n), i);
      run_[n].resize(count);
      for (int64_t s = 0; s < count; ++s) run_[n][s] = row.first + (j + s) * row.stride;
    }
    FlushRun(j > 0);
  }
}

void AluUnit::RunStepByStep(int64_t i) {
  NextStamp();
  std::vector<int64_t> elements(operands_.size());
  for (int64_t j = 0; j < table_.iter_in; ++j) {
    for (int64_t u = 0; u < table_.uops; ++u) {
      for (size_t n = 0; n < elements.size(); ++n) {
        const StepColumn& column = table_.columns[n];
        elements[n] = column.uops[u] + i * column.outer + j * column.inner;
      }
      if (static_cast<int>(run_[0].size()) == run_steps_ || ReadsWritten(elements)) FlushRun(false);
      for (size_t n = 0; n < elements.size(); ++n) run_[n].push_back(elements[n]);
      stamps_[elements[0]] = stamp_;
    }
  }
  FlushRun(false);
}

bool AluUnit::ReadsWritten(const std::vector<int64_t>& elements) const {
  return std::ranges::any_of(hazards_, [&](int n) { return stamps_[elements[n]] == stamp_; });
}

void AluUnit::NextStamp() {
  if (++stamp_ != 0) return;
  std::ranges::fill(stamps_, 0);
  stamp_ = 1;
}

void AluUnit::FlushRun(bool continues_row) {
  for (size_t n = 0; n < op_.program.inputs.size(); ++n) {
    if (op_.program.inputs[n].kind != isa::ScalarInput::Kind::kOperand) continue;
    // An operand that stays on its element was gathered for the runs of the row before, which wrote
    // elsewhere.
    const int operand = op_.program.inputs[n].operand + 1;
    if (continues_row && table_.columns[operand].inner == 0) continue;
    GatherInput(static_cast<int>(n));
  }
  ScatterResult(evaluator_.Run(static_cast<int>(run_[0].size()) * lanes_));
  for (std::vector<int64_t>& elements : run_) elements.clear();
  NextStamp();
}

void AluUnit::GatherInput(int input) {
  if (!evaluator_.Uses(input)) return;
  const isa::ScalarInput& from = op_.program.inputs[input];
  const isa::Operand& operand = op_.operands[from.operand];
  const int memory = operand.memory;
  const MemoryStore& store = memories_.Store(memory);
  const std::vector<int64_t>& elements = run_[from.operand + 1];
  WithRegister(evaluator_.Input(input), [&](auto* to) {
    WithStorage(store.fields[std::max(from.field, 0)], [&](const auto* values) {
      const int from_lanes = static_cast<int>(store.lanes);
      if (operand.parts == 1) return Gather(values, elements, from_lanes, lanes_, to);
      GatherParts(values, elements, from_lanes, spec_.memories[memory].lanes.back(), operand.parts, to);
    });
    if (spec_.memories[memory].mirrors < 0) return;
    using Lane = std::remove_reference_t<decltype(*to)>;
    const int64_t lanes = static_cast<int64_t>(elements.size()) * lanes_;
    for (int64_t lane = 0; lane < lanes; ++lane) to[lane] = static_cast<Lane>(WrapTo(to[lane], from.type));
  });
}

void AluUnit::ScatterResult(LaneRegister result) {
  WithRegister(result, [&](const auto* from) {
    WithStorage(memories_.Store(op_.result.memory).fields[0],
                [&](auto* to) { Scatter(from, run_[0], lanes_, to); });
  });
}

}  // namespace cosim::sim
