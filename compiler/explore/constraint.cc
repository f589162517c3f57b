// SPDX-License-Identifier: Apache-2.0
// Evaluates a condition in one pass over its tokens; checking it is evaluating it without a spec.
#include "compiler/explore/constraint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "compiler/explore/diagnostic_codes.h"
#include "isa/diagnostic_codes.h"
#include "isa/expr/lexer.h"
#include "isa/sv/generate.h"
#include "isa/yaml/reader.h"
#include "sim/synth/area_model.h"
#include "sim/synth/fit.h"

namespace cosim::explore {
namespace {

using isa::Token;

/// Nothing once an error has been reported.
using Value = std::optional<double>;

constexpr double kLeastViolation = 1e-9;

const std::vector<std::string> kNames = {"parameters.X",     "clock_mhz",          "macs_per_cycle",
                                         "area.dsp",         "area.ramb36",        "area.lut",
                                         "area.ff",          "memory.latency",     "memory.write_latency",
                                         "memory.port_bits", "memory.burst_beats", "memory.outstanding",
                                         "memory.jitter",    "memory.dram_bytes",  "hardware.lut_inputs"};

class Evaluation {
 public:
  /// Without a spec, every number is 1.
  Evaluation(const isa::YamlNode& node, const isa::Spec* spec, Diagnostics& diags)
      : tokens_(node, codes::kConstraintSyntax, diags), spec_(spec) {}

  /// By how much it is broken; 0: it holds.
  Value Whole() {
    Value broken = Comparison();
    while (tokens_.Accept("&")) {
      const Value next = Comparison();
      broken = broken && next ? Value(*broken + *next) : std::nullopt;
    }
    tokens_.ExpectEnd();
    return tokens_.failed() ? std::nullopt : broken;
  }

 private:
  Value Comparison() {
    if (tokens_.Peek().text == "fits" && tokens_.Peek(1).text == "(") return Fits();
    const Value left = Sum();
    const Token op = tokens_.Next();
    static const std::vector<std::string> kOps = {"<", "<=", ">", ">=", "==", "!="};
    if (std::ranges::count(kOps, op.text) == 0) {
      if (!tokens_.failed())
        tokens_.ErrorAt(codes::kConstraintSyntax, op, "expected a comparison here").hint =
            "as in macs_per_cycle <= 512";
      Drain();
      return std::nullopt;
    }
    const Value right = Sum();
    if (!left || !right) return std::nullopt;
    return Holding(*left, op.text, *right) ? 0 : DistanceOf(*left, *right);
  }

  static bool Holding(double left, const std::string& op, double right) {
    if (op == "<") return left < right;
    if (op == "<=") return left <= right;
    if (op == ">") return left > right;
    if (op == ">=") return left >= right;
    return (left == right) == (op == "==");
  }

  /// Above 0 of equal ones too, for which < does not hold.
  static double DistanceOf(double left, double right) {
    const double larger = std::max(std::abs(left), std::abs(right));
    return std::max(larger > 0 ? std::abs(left - right) / larger : 0, kLeastViolation);
  }

  /// What is left has been said to be wrong.
  void Drain() {
    while (!tokens_.AtEnd()) tokens_.Next();
  }

  Value Fits() {
    tokens_.Next();
    tokens_.Expect("(");
    const Token what = tokens_.Peek();
    if (tokens_.ExpectName("'board'") != "board" && !tokens_.failed()) {
      tokens_.ErrorAt(codes::kConstraintName, what, "fits() takes 'board', which is the configuration's");
      return std::nullopt;
    }
    tokens_.Expect(")");
    if (spec_ == nullptr) return 0;
    const synth::Fit fit = synth::FitOf(*spec_);
    return fit.fits.value_or(true) ? 0 : fit.excess;
  }

  Value Sum() {
    if (!tokens_.Enter()) return std::nullopt;
    Value left = Product();
    while (true) {
      const bool plus = tokens_.Peek().text == "+";
      if (!tokens_.Accept("+") && !tokens_.Accept("-")) break;
      const Value right = Product();
      left = left && right ? Value(plus ? *left + *right : *left - *right) : std::nullopt;
    }
    tokens_.Leave();
    return left;
  }

  Value Product() {
    Value left = Unary();
    while (true) {
      const Token op = tokens_.Peek();
      if (!tokens_.Accept("*") && !tokens_.Accept("/")) return left;
      const Value right = Unary();
      if (!left || !right) {
        left.reset();
      } else if (op.text == "*") {
        left = *left * *right;
      } else if (*right != 0 || spec_ == nullptr) {
        left = *right != 0 ? *left / *right : 1;
      } else {
        tokens_.ErrorAt(codes::kConstraintSyntax, op, fmt::format("{:g} is divided by zero", *left));
        left.reset();
      }
    }
  }

  Value Unary() {
    if (!tokens_.Enter()) return std::nullopt;
    const Token first = tokens_.Peek();
    Value value;
    if (tokens_.Accept("-")) {
      value = Unary();
      if (value) value = -*value;
    } else if (tokens_.Accept("(")) {
      value = Sum();
      tokens_.Expect(")");
    } else if (first.kind == Token::Kind::kNumber) {
      value = Number();
    } else if (first.kind == Token::Kind::kName) {
      value = Name();
    } else {
      tokens_.FailExpected("a number or a name");
    }
    tokens_.Leave();
    return value;
  }

  /// The tokens of expressions are whole numbers; "66.5" is two with a point between.
  Value Number() {
    std::string text = tokens_.Next().text;
    if (tokens_.Peek().text == "." && tokens_.Peek(1).kind == Token::Kind::kNumber) {
      tokens_.Next();
      text += "." + tokens_.Next().text;
    }
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  Value Name() {
    const Token first = tokens_.Next();
    std::string name = first.text;
    while (tokens_.Accept(".")) name += "." + tokens_.ExpectName("a name");
    if (tokens_.failed()) return std::nullopt;
    const bool is_parameter = name.starts_with("parameters.");
    if (!is_parameter && std::ranges::count(kNames, name) == 0) {
      tokens_.ErrorFrom(codes::kConstraintName, first, fmt::format("points have no '{}'", name)).hint =
          isa::NameHint(name, kNames);
      return std::nullopt;
    }
    if (spec_ == nullptr) return 1;
    return is_parameter ? Parameter(first, name.substr(name.find('.') + 1)) : Known(first, name);
  }

  Value Parameter(const Token& first, const std::string& name) {
    std::vector<std::string> known;
    for (const isa::Parameter& parameter : spec_->parameters) {
      if (parameter.name == name) return static_cast<double>(parameter.value);
      known.push_back(parameter.name);
    }
    tokens_
        .ErrorFrom(codes::kConstraintName, first,
                   fmt::format("ISA '{}' has no parameter '{}'", spec_->isa, name))
        .hint = isa::NameHint(name, known);
    return std::nullopt;
  }

  Value Known(const Token& first, const std::string& name) {
    const isa::MemorySystem& dram = spec_->dram;
    if (name == "clock_mhz") return spec_->clock_mhz;
    if (name == "macs_per_cycle") return static_cast<double>(spec_->MacsPerCycle());
    if (name == "hardware.lut_inputs") return spec_->hardware.lut_inputs;
    if (name == "memory.latency") return dram.latency;
    if (name == "memory.write_latency") return dram.write_latency;
    if (name == "memory.port_bits") return dram.port_bits;
    if (name == "memory.burst_beats") return dram.burst_beats;
    if (name == "memory.outstanding") return dram.outstanding;
    if (name == "memory.jitter") return dram.jitter;
    if (name == "memory.dram_bytes") return dram.dram_bytes;
    const auto area = AreaOf(*spec_);
    if (area && name == "area.lut") return area->lut;
    if (area && name == "area.ff") return area->ff;
    if (area) return name == "area.dsp" ? area->dsp : area->ramb18 / 2.0;
    tokens_
        .ErrorFrom(codes::kConstraintName, first,
                   fmt::format("'{}' is not known: there is no RTL for this spec", name))
        .hint = "cosim synth says why";
    return std::nullopt;
  }

  isa::TokenStream tokens_;
  const isa::Spec* spec_;
};

}  // namespace

std::optional<synth::Resources> AreaOf(const isa::Spec& spec) {
  Diagnostics none;
  isa::CheckSv(spec, none);
  if (none.HasErrors()) return std::nullopt;
  return synth::EstimateArea(spec);
}

std::optional<Constraint> ParseConstraint(const isa::YamlNode& node, Diagnostics& diags) {
  if (node.kind != isa::YamlNode::Kind::kScalar) {
    isa::Report(diags, isa::codes::kWrongType, node,
                fmt::format("a condition has to be an expression, not {}", isa::KindName(node.kind)));
    return std::nullopt;
  }
  const size_t errors = diags.list().size();
  Evaluation(node, nullptr, diags).Whole();
  if (diags.list().size() > errors) return std::nullopt;
  return Constraint{node};
}

std::optional<double> Violation(const Constraint& constraint, const isa::Spec& spec, Diagnostics& diags) {
  return Evaluation(constraint.node, &spec, diags).Whole();
}

std::optional<bool> Holds(const Constraint& constraint, const isa::Spec& spec, Diagnostics& diags) {
  const auto broken = Violation(constraint, spec, diags);
  return broken ? std::optional(*broken == 0) : std::nullopt;
}

}  // namespace cosim::explore
