// SPDX-License-Identifier: Apache-2.0
// Tensor intrinsics: `acc[dst][b, o] += inp[src][b, k] * wgt[wgt][o, k]`.
#include <utility>

#include "isa/spec/elaborate.h"

namespace cosim::isa {
namespace {

class IntrinsicReader {
 public:
  IntrinsicReader(Elaboration& e, const YamlNode& node)
      : e_(e), tokens_(node, codes::kScalarSyntax, e.diags), node_(node) {}

  std::optional<Intrinsic> Read() {
    const size_t errors = e_.diags.list().size();
    intrinsic_.text = node_.scalar;
    intrinsic_.dst = TensorOperand();
    tokens_.Expect("+=");
    do {
      if (e_.diags.list().size() > errors) return std::nullopt;
      intrinsic_.sources.push_back(TensorOperand());
    } while (tokens_.Accept("*"));
    tokens_.ExpectEnd();
    if (e_.diags.list().size() > errors) return std::nullopt;
    FindReductions();
    if (e_.diags.list().size() > errors) return std::nullopt;
    return std::move(intrinsic_);
  }

 private:
  Operand TensorOperand() {
    const Token first = tokens_.Peek();
    std::optional<Operand> operand = ParseOperand(tokens_, e_.spec);
    if (!operand) return {};
    tokens_.Expect("[");
    std::vector<Token> names;
    if (!tokens_.Accept("]")) {
      do {
        names.push_back(tokens_.Peek());
        tokens_.ExpectName("the name of an axis");
      } while (tokens_.Accept(","));
      tokens_.Expect("]");
    }
    if (tokens_.failed()) return {};
    const Memory& memory = e_.spec.memories[operand->memory];
    if (!memory.fields[0].name.empty()) {
      tokens_.ErrorFrom(
          codes::kIntrinsic, first,
          fmt::format("memory '{}' holds records, which an intrinsic cannot take", memory.name));
      return {};
    }
    if (names.size() != memory.lanes.size()) {
      tokens_.ErrorFrom(codes::kIntrinsic, first,
                        fmt::format("memory '{}' has {} lane dimension{}, but {} named here", memory.name,
                                    memory.lanes.size(), memory.lanes.size() == 1 ? "" : "s",
                                    names.size() == 1 ? "1 is" : fmt::format("{} are", names.size())));
      return {};
    }
    for (size_t i = 0; i < names.size(); ++i)
      operand->axes.push_back(Axis(names[i], memory.lanes[i], memory));
    for (size_t i = 0; i < names.size(); ++i) {
      if (std::ranges::count(operand->axes, operand->axes[i]) == 1) continue;
      tokens_.ErrorAt(codes::kIntrinsic, names[i],
                      fmt::format("axis '{}' stands twice in one operand", names[i].text));
      break;
    }
    return std::move(*operand);
  }

  /// Index of the axis; made when it is first named.
  int Axis(const Token& name, int extent, const Memory& memory) {
    const auto found = std::ranges::find(intrinsic_.axes, name.text, &Intrinsic::Axis::name);
    if (found == intrinsic_.axes.end()) {
      intrinsic_.axes.push_back({name.text, extent, false});
      return static_cast<int>(intrinsic_.axes.size()) - 1;
    }
    if (found->extent != extent) {
      tokens_.ErrorAt(codes::kIntrinsic, name,
                      fmt::format("axis '{}' is {} long, but this dimension of memory '{}' has {} lanes",
                                  name.text, found->extent, memory.name, extent));
    }
    return static_cast<int>(found - intrinsic_.axes.begin());
  }

  void FindReductions() {
    for (size_t axis = 0; axis < intrinsic_.axes.size(); ++axis) {
      Intrinsic::Axis& it = intrinsic_.axes[axis];
      const auto names_axis = [&](const Operand& operand) {
        return std::ranges::find(operand.axes, static_cast<int>(axis)) != operand.axes.end();
      };
      it.reduce = !names_axis(intrinsic_.dst);
      if (std::ranges::any_of(intrinsic_.sources, names_axis)) continue;
      Report(e_.diags, codes::kIntrinsic, node_,
             fmt::format("axis '{}' of the result stands in no source", it.name));
    }
  }

  Elaboration& e_;
  TokenStream tokens_;
  const YamlNode& node_;
  Intrinsic intrinsic_;
};

}  // namespace

std::optional<Operand> ParseOperand(TokenStream& tokens, const Spec& spec) {
  const Token name = tokens.Peek();
  Operand operand;
  tokens.ExpectName("the name of a memory");
  tokens.Expect("[");
  operand.index = tokens.ExpectName("the name of an index");
  tokens.Expect("]");
  if (tokens.failed()) return std::nullopt;
  operand.memory = spec.MemoryIndex(name.text);
  if (operand.memory < 0) {
    std::vector<std::string> names;
    for (const Memory& memory : spec.memories) names.push_back(memory.name);
    tokens.ErrorAt(codes::kUnknownReference, name, fmt::format("there is no memory '{}'", name.text)).hint =
        NameHint(name.text, names);
    return std::nullopt;
  }
  if (spec.memories[operand.memory].mirrors >= 0) {
    tokens
        .ErrorAt(codes::kMirror, name,
                 fmt::format("memory '{}' is a mirror, which only a store reads", name.text))
        .hint = fmt::format("name '{}' instead", spec.memories[spec.memories[operand.memory].mirrors].name);
    return std::nullopt;
  }
  return operand;
}

void ElaborateIntrinsics(Elaboration& e) {
  for (size_t i = 0; i < e.spec.formats.size(); ++i) {
    if (e.spec.formats[i].kind != Kind::kGemm) continue;
    const YamlEntry* computes = e.formats[i]->value.Find("computes");
    if (!computes || computes->value.kind != YamlNode::Kind::kScalar) {
      Report(e.diags, codes::kMissingKey, computes ? computes->key : e.formats[i]->key,
             fmt::format("instruction '{}' has to say what it 'computes'", e.spec.formats[i].name));
      continue;
    }
    e.spec.formats[i].intrinsic = IntrinsicReader(e, computes->value).Read();
  }
}

}  // namespace cosim::isa
