// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/einsum.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "compiler/host/broadcast.h"
#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

/// Labels of the dimensions: letters, and negative numbers for those that "..." stands for, -1 the last.
using Labels = std::vector<int>;

struct Equation {
  std::vector<Labels> operands;
  Labels result, summed;
  std::map<int, int64_t> extent;
};

/// "ij" with `dots` dimensions in place of "..."; nothing for anything else.
std::optional<Labels> Parse(const std::string& term, int64_t dots) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else if (term.compare(i, 3, "...") == 0 && dots >= 0) {
      for (int64_t k = dots; k > 0; --k) labels.push_back(static_cast<int>(-k));
      i += 2;
      dots = -1;  // once a term
    } else {
      return std::nullopt;
    }
  }
  return labels;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> terms;
  std::istringstream stream(text);
  for (std::string term; std::getline(stream, term, ',');) terms.push_back(term);
  if (terms.empty() || text.ends_with(',')) terms.emplace_back();
  return terms;
}

/// Without an arrow: what "..." stands for, then the letters that occur once, in alphabetical order.
Labels Implied(const Equation& equation) {
  std::map<int, int> uses;
  for (const Labels& labels : equation.operands)
    for (int label : labels) ++uses[label];
  Labels result;
  for (const auto& [label, count] : uses)
    if (label < 0 || count == 1) result.push_back(label);
  return result;
}

std::variant<Equation, std::string> Resolve(std::string text, const std::vector<Shape>& shapes) {
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const auto terms = Split(text.substr(0, arrow));
  const std::string bad = fmt::format("the equation '{}' for {} operands", text, shapes.size());
  if (terms.size() != shapes.size()) return bad;
  Equation equation;
  int64_t most_dots = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool has_dots = terms[i].find("...") != std::string::npos;
    const int64_t dots =
        static_cast<int64_t>(shapes[i].size()) - static_cast<int64_t>(terms[i].size()) + (has_dots ? 3 : 0);
    const auto labels = dots < 0 || (dots > 0 && !has_dots) ? std::nullopt : Parse(terms[i], dots);
    if (!labels || labels->size() != shapes[i].size()) return bad;
    if (has_dots) most_dots = std::max(most_dots, dots);
    for (size_t d = 0; d < labels->size(); ++d) {
      auto [at, added] = equation.extent.try_emplace((*labels)[d], shapes[i][d]);
      if (!added && at->second != shapes[i][d] && at->second != 1 && shapes[i][d] != 1)
        return fmt::format("the equation '{}': extents {} and {} of one dimension", text, at->second,
                           shapes[i][d]);
      if (at->second == 1) at->second = shapes[i][d];
    }
    equation.operands.push_back(*labels);
  }
  if (arrow == std::string::npos) {
    equation.result = Implied(equation);
  } else {
    const auto labels = Parse(text.substr(arrow + 2), most_dots);
    if (!labels) return bad;
    equation.result = *labels;
  }
  for (int label : equation.result)
    if (!equation.extent.count(label) || std::ranges::count(equation.result, label) != 1) return bad;
  for (const auto& [label, extent] : equation.extent)
    if (!std::ranges::count(equation.result, label)) equation.summed.push_back(label);
  return equation;
}

/// Steps of an operand along `labels`; a label that occurs twice walks the diagonal, extents of 1 stay.
std::vector<int64_t> StepsOf(const Labels& operand, const Shape& shape, const Labels& labels) {
  const auto strides = StridesOf(shape);
  std::vector<int64_t> steps(labels.size(), 0);
  for (size_t k = 0; k < labels.size(); ++k)
    for (size_t d = 0; d < operand.size(); ++d)
      if (operand[d] == labels[k] && shape[d] != 1) steps[k] += strides[d];
  return steps;
}

Shape Extents(const Equation& equation, const Labels& labels) {
  Shape shape;
  for (int label : labels) shape.push_back(equation.extent.at(label));
  return shape;
}

std::vector<Shape> ShapesOf(Operands in) {
  std::vector<Shape> shapes;
  for (const HostOperand& operand : in) shapes.push_back(operand.type.shape);
  return shapes;
}

template <typename T>
void Compute(const Equation& equation, Values in, Tensor& out) {
  const Shape outer = Extents(equation, equation.result), inner = Extents(equation, equation.summed);
  std::vector<std::vector<int64_t>> outer_steps, inner_steps;
  for (size_t k = 0; k < in.size(); ++k) {
    outer_steps.push_back(StepsOf(equation.operands[k], in[k]->shape(), equation.result));
    inner_steps.push_back(StepsOf(equation.operands[k], in[k]->shape(), equation.summed));
  }
  const size_t second = in.size() > 1 ? 1 : 0;
  const auto a = in[0]->data<T>(), b = in[second]->data<T>();
  const auto to = out.mutable_data<T>();
  Walk(outer, outer_steps[0], outer_steps[second], [&](int64_t i, int64_t ia, int64_t ib) {
    auto sum = std::conditional_t<std::is_integral_v<T>, T, double>();
    Walk(inner, inner_steps[0], inner_steps[second], [&](int64_t, int64_t ja, int64_t jb) {
      using Sum = decltype(sum);
      sum +=
          second ? static_cast<Sum>(a[ia + ja]) * static_cast<Sum>(b[ib + jb]) : static_cast<Sum>(a[ia + ja]);
    });
    to[i] = static_cast<T>(sum);
  });
}

}  // namespace

HostOperatorPtr Einsum(const std::string& equation) {
  return Make(
      "einsum " + equation, 1, 2,
      [=](Operands in) {
        if (in[1].absent) in = in.first(1);
        for (const HostOperand& operand : in)
          if (operand.type.dtype != in[0].type.dtype) return Refuse("operands of different types");
        const auto resolved = Resolve(equation, ShapesOf(in));
        if (const auto* error = std::get_if<std::string>(&resolved)) return Types{*error};
        const auto& found = std::get<0>(resolved);
        const Shape shape = Extents(found, found.result);
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      ThroughFloat([=](Values in, Results out) {
        if (!in[1]) in = in.first(1);
        std::vector<Shape> shapes;
        for (const Tensor* operand : in) shapes.push_back(operand->shape());
        const auto resolved = std::get<0>(Resolve(equation, shapes));
        Dispatch(out[0].dtype(), [&](auto zero) { Compute<decltype(zero)>(resolved, in, out[0]); });
      }),
      [=](Operands in, const TensorType& result) {
        if (in[1].absent) return int64_t{0};
        const auto resolved = std::get<0>(Resolve(equation, ShapesOf(in)));
        return graph::NumElements(result.shape) * graph::NumElements(Extents(resolved, resolved.summed));
      });
}

}  // namespace cosim::host
