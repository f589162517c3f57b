// SPDX-License-Identifier: Apache-2.0
// Structural equality and a total order of expressions.
#include <functional>

#include "compiler/tir/visitor.h"

namespace cosim::tir {
namespace {

using Rank = std::function<int(const VarNode*)>;

template <typename T>
int Three(const T& a, const T& b) {
  return std::less<T>()(a, b) ? -1 : std::less<T>()(b, a) ? 1 : 0;
}

int CompareTypes(DataType a, DataType b) {
  if (int order = Three(static_cast<int>(a.code), static_cast<int>(b.code))) return order;
  return Three(a.bits, b.bits);
}

// First by name, so that the order is the same in every run; then by identity.
int CompareBuffers(const Buffer& a, const Buffer& b) {
  if (a == b) return 0;
  if (int order = a->name.compare(b->name)) return order;
  return Three(a.get(), b.get());
}

int CompareLists(const std::vector<Expr>& a, const std::vector<Expr>& b, const Rank& rank) {
  if (int order = Three(a.size(), b.size())) return order;
  for (size_t i = 0; i < a.size(); ++i) {
    if (int order = Compare(a[i], b[i], rank)) return order;
  }
  return 0;
}

struct NodeOrder {
  const Rank& rank;

  int operator()(const IntImm& a, const IntImm& b) const { return Three(a.value, b.value); }
  int operator()(const FloatImm& a, const FloatImm& b) const { return Three(a.value, b.value); }
  int operator()(const VarRef& a, const VarRef& b) const {
    if (a.var == b.var) return 0;
    if (int order = Three(rank(a.var.get()), rank(b.var.get()))) return order;
    return Three(a.var.get(), b.var.get());
  }
  int operator()(const Binary& a, const Binary& b) const {
    if (int order = Three(static_cast<int>(a.op), static_cast<int>(b.op))) return order;
    if (int order = Compare(a.a, b.a, rank)) return order;
    return Compare(a.b, b.b, rank);
  }
  int operator()(const Select& a, const Select& b) const {
    return CompareLists({a.condition, a.a, a.b}, {b.condition, b.a, b.b}, rank);
  }
  int operator()(const Cast& a, const Cast& b) const { return Compare(a.value, b.value, rank); }
  int operator()(const Load& a, const Load& b) const {
    if (int order = CompareBuffers(a.buffer, b.buffer)) return order;
    return CompareLists(a.indices, b.indices, rank);
  }
  int operator()(const Math& a, const Math& b) const {
    if (int order = Three(static_cast<int>(a.fn), static_cast<int>(b.fn))) return order;
    return Compare(a.value, b.value, rank);
  }
  template <typename A, typename B>
  int operator()(const A&, const B&) const {
    return 0;  // Alternatives differ: ordered before this is asked.
  }
};

}  // namespace

int Compare(const Expr& a, const Expr& b, const Rank& rank) {
  if (a == b) return 0;
  if (int order = Three(a->node.index(), b->node.index())) return order;
  if (int order = CompareTypes(a->type, b->type)) return order;
  return std::visit(NodeOrder{rank}, a->node, b->node);
}

bool Equal(const Expr& a, const Expr& b) {
  return Compare(a, b, [](const VarNode*) { return 0; }) == 0;
}

}  // namespace cosim::tir
