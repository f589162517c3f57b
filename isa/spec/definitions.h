// SPDX-License-Identifier: Apache-2.0
// The numbers that a spec's expressions can name: parameters, and the properties of memories. Each is
// evaluated when it is first asked for, so they may stand in any order; a definition that needs itself is
// reported with its whole chain.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/config.h"
#include "isa/spec/param_expr.h"
#include "isa/spec/spec.h"
#include "isa/yaml/node.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {

/// Reports a key that cannot name a `what`.
bool CheckName(const YamlNode& key, std::string_view what, Diagnostics& diags);

class Definitions : public ParamScope {
 public:
  /// `isa` is the root of the ISA's text. Both outlive this. Reports what is wrong with the shape of
  /// `parameters` and `memories`, and parameters of the configuration that the ISA lacks.
  Definitions(const YamlNode& isa, const Config& config, Diagnostics& diags);

  /// All parameters in order, each checked against its range.
  std::vector<Parameter> Parameters();
  /// All memories in order. What units do with them is not filled in.
  std::vector<Memory> Memories();

  /// ALU pipeline stages, the name `alu_stages`; unknown until set.
  void SetAluStages(int stages) { alu_stages_ = stages; }
  /// Bits of the longest instruction, the name `instruction_bits`; unknown until set.
  void SetInstructionBits(int bits) { instruction_bits_ = bits; }

  Value Lookup(std::string_view name, std::string_view attribute) override;
  std::vector<std::string> Names() const override;
  void Explain(const std::vector<std::string>& names, Diagnostic& diagnostic) const override;
  /// Adds notes on where the number of a memory's elements comes from.
  void ExplainDepth(const Memory& memory, Diagnostic& diagnostic) const;

 private:
  enum class State { kFresh, kActive, kKnown, kFailed };
  /// One number: "batch", "inp.depth".
  struct Item {
    const YamlNode* at = nullptr;  ///< what a cycle is reported at
    State state = State::kFresh;
    int64_t value = 0;
    std::set<std::string> parameters;  ///< names of the parameters it depends on
  };
  struct ParameterSource {
    const YamlEntry* entry = nullptr;
    const YamlNode* configured = nullptr;  ///< the configuration's value, if it has one
  };

  void ReadParameters(const YamlNode& isa, const Config& config);
  void ReadMemories(const YamlNode& isa);
  Item* Evaluate(const std::string& name);
  std::optional<int64_t> Compute(const std::string& name);
  void ReportCycle(const std::string& name, Item& item);

  std::optional<int64_t> ComputeParameter(const ParameterSource& source);
  std::optional<int64_t> ComputeAttribute(const YamlEntry& memory, std::string_view attribute);
  /// In words: a memory that has no room for an element.
  std::string TooSmall(const YamlEntry& memory, const Shortfall& shortfall);
  std::optional<int64_t> ComputeElementBits(const YamlEntry& memory);
  std::optional<int64_t> ComputeStoredBits(const YamlEntry& memory);
  const std::optional<std::vector<int>>& Lanes(const YamlEntry& memory);
  const std::optional<std::vector<Field>>& Fields(const YamlEntry& memory);
  std::optional<std::vector<int>> ReadLanes(const YamlEntry& memory);
  std::optional<std::vector<Field>> ReadFields(const YamlEntry& memory);
  std::optional<Field> ReadField(const YamlNode& type, std::string name, std::string_view what);
  /// The memory that this one mirrors; null if none, or if it is not there.
  const YamlEntry* Mirrored(const YamlEntry& memory);
  std::optional<Memory> BuildMemory(const YamlEntry& entry);

  Diagnostics& diags_;
  const MemorySystem& dram_;
  std::map<std::string, ParameterSource, std::less<>> parameters_;
  std::vector<std::string> parameter_order_;
  std::map<std::string, const YamlEntry*, std::less<>> memories_;
  std::vector<std::string> memory_order_;
  std::map<std::string, Item, std::less<>> items_;
  std::map<std::string, std::optional<std::vector<int>>> lanes_;     ///< by memory, once evaluated
  std::map<std::string, std::optional<std::vector<Field>>> fields_;  ///< likewise
  std::vector<std::string> active_;  ///< items under evaluation, outermost first
  std::optional<int> alu_stages_, instruction_bits_;
};

}  // namespace cosim::isa
