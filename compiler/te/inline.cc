// SPDX-License-Identifier: Apache-2.0
// Inlining of stages into their readers.
#include "compiler/te/inline.h"

#include <unordered_map>

#include "compiler/tir/visitor.h"

namespace cosim::te {

std::vector<Body> InlineBodies(const std::vector<const Stage*>& stages) {
  struct Inlined {
    const Stage* stage;
    tir::Expr expr;
  };
  std::unordered_map<const tir::BufferNode*, Inlined> inlined;
  auto replace = [&](const tir::Expr& node) {
    const auto* load = tir::As<tir::Load>(node);
    auto it = load ? inlined.find(load->buffer.get()) : inlined.end();
    if (it == inlined.end()) return node;
    tir::VarMap values;
    for (size_t i = 0; i < load->indices.size(); ++i) {
      values[it->second.stage->axes()[i]->var.get()] = load->indices[i];
    }
    return tir::Substitute(it->second.expr, values);
  };
  std::vector<Body> bodies;
  for (const Stage* stage : stages) {
    Body body = stage->body();
    if (auto* reduction = std::get_if<Reduction>(&body)) {
      reduction->source = tir::RewriteExpr(reduction->source, replace);
    } else {
      body = tir::RewriteExpr(std::get<tir::Expr>(body), replace);
    }
    if (stage->attachment().kind == Attachment::Kind::kInline) {
      inlined[stage->tensor().get()] = Inlined{stage, std::get<tir::Expr>(body)};
    }
    bodies.push_back(std::move(body));
  }
  return bodies;
}

}  // namespace cosim::te
