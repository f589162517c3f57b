// SPDX-License-Identifier: Apache-2.0
// Tensor intrinsics: `acc[dst][b, o] += inp[src][b, k] * wgt[wgt][o, k]`, also over several elements and with
// lanes that are no axis: `acc[dst][b, o] += inp[src + t + src_line * r][b, o] * wgt[wgt][o, 3 * r + t]`.
#include <map>
#include <utility>

#include "isa/spec/elaborate.h"
#include "isa/spec/param_expr.h"

namespace cosim::isa {
namespace {

constexpr int64_t kMaxAxis = 4096;

/// A dimension's lane is an axis by itself, or a sum of terms:
///
///   lane = term {"+" term}    term = [constant "*"] (axis | "floor_div" "(" axis "," constant ")")
class IntrinsicReader {
 public:
  IntrinsicReader(Elaboration& e, const YamlEntry& format, const YamlNode& node)
      : e_(e), tokens_(node, codes::kScalarSyntax, e.diags), format_(format), node_(node) {}

  std::optional<Intrinsic> Read() {
    const size_t errors = e_.diags.list().size();
    intrinsic_.text = node_.scalar;
    ReadAxes();
    intrinsic_.dst = TensorOperand(nullptr);
    if (e_.diags.list().size() > errors) return std::nullopt;
    tokens_.Expect("+=");
    do {
      if (e_.diags.list().size() > errors) return std::nullopt;
      RowTokens row;
      intrinsic_.sources.push_back(TensorOperand(&row));
      if (e_.diags.list().size() > errors) return std::nullopt;
    } while (tokens_.Accept("*"));
    tokens_.ExpectEnd();
    if (e_.diags.list().size() > errors) return std::nullopt;
    FindReductions();
    CheckRows();
    if (e_.diags.list().size() > errors) return std::nullopt;
    return std::move(intrinsic_);
  }

 private:
  /// `axes`: extents of those that no dimension is walked by alone.
  void ReadAxes() {
    const YamlEntry* axes = format_.value.Find("axes");
    if (!axes) return;
    if (axes->value.kind != YamlNode::Kind::kMap) {
      Report(e_.diags, codes::kWrongType, axes->key,
             fmt::format("'axes' of instruction '{}' has to be a map of extents, not {}", format_.key.scalar,
                         KindName(axes->value.kind)));
      return;
    }
    for (const YamlEntry& axis : axes->value.entries) {
      if (!CheckName(axis.key, "axis", e_.diags)) continue;
      const auto extent = EvaluateParamIn(axis.value, fmt::format("the extent of axis '{}'", axis.key.scalar),
                                          1, kMaxAxis, e_.definitions, e_.diags);
      if (extent) declared_[axis.key.scalar] = {static_cast<int>(*extent), &axis.key};
    }
  }

  Operand TensorOperand(RowTokens* row) {
    const Token first = tokens_.Peek();
    std::optional<Operand> operand = ParseOperand(tokens_, e_.spec, row);
    if (!operand) return {};
    if (row && row->axis && !SetRow(*row, *operand)) return {};
    const Memory& memory = e_.spec.memories[operand->memory];
    tokens_.Expect("[");
    std::vector<Token> names;  // what each dimension begins with
    if (!tokens_.Accept("]")) {
      do {
        names.push_back(tokens_.Peek());
        const size_t dimension = names.size() - 1;
        const bool is_there = dimension < memory.lanes.size();
        operand->lanes.push_back(Lane(is_there ? memory.lanes[dimension] : 0, memory));
        if (is_there && operand->lanes.back().empty()) return {};  // reported
      } while (tokens_.Accept(","));
      tokens_.Expect("]");
    }
    if (tokens_.failed()) return {};
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
    SetAxes(*operand, names, row == nullptr);
    return std::move(*operand);
  }

  /// Whether one axis walks all of a dimension.
  bool IsAxis(const std::vector<LaneTerm>& lane, int extent) const {
    return lane.size() == 1 && lane[0].scale == 1 && lane[0].divisor == 1 &&
           intrinsic_.axes[lane[0].axis].extent == extent;
  }

  void SetAxes(Operand& operand, const std::vector<Token>& names, bool is_result) {
    std::vector<int> axes;
    for (size_t i = 0; i < names.size(); ++i) {
      const bool is_axis = IsAxis(operand.lanes[i], e_.spec.memories[operand.memory].lanes[i]);
      if (is_axis) axes.push_back(operand.lanes[i][0].axis);
      if (!is_axis && is_result)
        tokens_.ErrorAt(codes::kIntrinsic, names[i], "each dimension of the result is walked by one axis");
    }
    if (axes.size() < names.size()) return;
    for (size_t i = 0; i < names.size(); ++i) {
      if (std::ranges::count(axes, axes[i]) == 1) continue;
      tokens_.ErrorAt(codes::kIntrinsic, names[i],
                      fmt::format("axis '{}' stands twice in one operand", names[i].text));
      break;
    }
    operand.axes = std::move(axes);
  }

  /// Terms of a dimension of `memory` with `extent` lanes; empty after reporting. 0: it has no such
  /// dimension, which is reported elsewhere.
  std::vector<LaneTerm> Lane(int extent, const Memory& memory) {
    const Token first = tokens_.Peek();
    // What 'axes' gives an extent may walk a part of the lanes.
    const bool alone = first.kind == Token::Kind::kName && declared_.count(first.text) == 0 &&
                       (tokens_.Peek(1).text == "," || tokens_.Peek(1).text == "]");
    if (alone || first.kind == Token::Kind::kEnd) {
      tokens_.ExpectName("the name of an axis");
      if (tokens_.failed() || extent == 0) return {};
      return {{.axis = Axis(first, extent, memory)}};
    }
    std::vector<LaneTerm> terms;
    int64_t greatest = 0;
    do {
      const std::optional<LaneTerm> term = Term();
      if (!term) return {};
      greatest += term->scale * ((intrinsic_.axes[term->axis].extent - 1) / term->divisor);
      terms.push_back(*term);
    } while (tokens_.Accept("+"));
    if (extent == 0 || greatest < extent) return terms;
    tokens_.ErrorFrom(codes::kIntrinsic, first,
                      fmt::format("this reaches lane {}, but this dimension of memory '{}' has {} lanes",
                                  greatest, memory.name, extent));
    return {};
  }

  std::optional<LaneTerm> Term() {
    LaneTerm term;
    if (tokens_.Peek(1).text == "*") {
      const auto scale = Constant();
      if (!scale) return std::nullopt;
      term.scale = *scale;
      tokens_.Expect("*");
    }
    const bool divides = tokens_.Peek(1).text == "(";
    if (divides && tokens_.Peek().text != "floor_div") {
      tokens_.ErrorAt(
          codes::kIntrinsic, tokens_.Peek(),
          fmt::format("there is no '{}' of axes, only floor_div(axis, number)", tokens_.Peek().text));
      return std::nullopt;
    }
    if (divides) {
      tokens_.Next();
      tokens_.Next();
    }
    const Token name = tokens_.Peek();
    tokens_.ExpectName("the name of an axis");
    if (tokens_.failed()) return std::nullopt;
    term.axis = KnownAxis(name);
    if (term.axis < 0) return std::nullopt;
    if (divides) {
      tokens_.Expect(",");
      const auto divisor = Constant();
      if (!divisor) return std::nullopt;
      term.divisor = *divisor;
      tokens_.Expect(")");
    }
    return tokens_.failed() ? std::nullopt : std::optional(term);
  }

  /// A number above 0, or the parameter that is one.
  std::optional<int64_t> Constant() {
    const Token token = tokens_.Next();
    int64_t value = token.number;
    if (token.kind == Token::Kind::kName) {
      const ParamScope::Value known = e_.definitions.Lookup(token.text, "");
      if (known.state == ParamScope::Value::State::kFailed) return std::nullopt;
      if (known.state == ParamScope::Value::State::kUnknown) {
        tokens_.ErrorAt(codes::kIntrinsic, token, fmt::format("there is no parameter '{}'", token.text))
            .hint = NameHint(token.text, e_.definitions.Names());
        return std::nullopt;
      }
      value = known.value;
    }
    if (value >= 1 && value <= kMaxAxis) return value;
    tokens_.ErrorAt(codes::kIntrinsic, token,
                    fmt::format("a lane is counted by numbers from 1 to {} and by axes", kMaxAxis));
    return std::nullopt;
  }

  /// Index of an axis whose extent is known; -1 after reporting.
  int KnownAxis(const Token& name) {
    const auto found = std::ranges::find(intrinsic_.axes, name.text, &Intrinsic::Axis::name);
    if (found != intrinsic_.axes.end()) return static_cast<int>(found - intrinsic_.axes.begin());
    const auto declared = declared_.find(name.text);
    if (declared != declared_.end()) return AddAxis(name.text, declared->second.first);
    tokens_.ErrorAt(codes::kIntrinsic, name, fmt::format("nothing says how long axis '{}' is", name.text))
        .hint = fmt::format("say so in the instruction's 'axes', as in axes: {{{}: 3}}", name.text);
    return -1;
  }

  int AddAxis(const std::string& name, int extent) {
    intrinsic_.axes.push_back({name, extent, false});
    return static_cast<int>(intrinsic_.axes.size()) - 1;
  }

  /// Index of the axis; made when it is first named.
  int Axis(const Token& name, int extent, const Memory& memory) {
    const auto found = std::ranges::find(intrinsic_.axes, name.text, &Intrinsic::Axis::name);
    if (found == intrinsic_.axes.end()) return AddAxis(name.text, extent);
    if (found->extent != extent) {
      tokens_.ErrorAt(codes::kIntrinsic, name,
                      fmt::format("axis '{}' is {} long, but this dimension of memory '{}' has {} lanes",
                                  name.text, found->extent, memory.name, extent));
    }
    return static_cast<int>(found - intrinsic_.axes.begin());
  }

  bool SetRow(const RowTokens& row, Operand& source) {
    const int axis = KnownAxis(*row.axis);
    if (axis < 0) return false;
    if (intrinsic_.RowSource() >= 0) {
      tokens_.ErrorAt(codes::kIntrinsic, *row.axis, "one source at most takes several elements a step");
      return false;
    }
    source.row_axis = axis;
    source.parts = intrinsic_.axes[axis].extent;
    return !row.lines || SetLines(row, source);
  }

  bool SetLines(const RowTokens& row, Operand& source) {
    const int axis = KnownAxis(*row.lines);
    if (axis < 0) return false;
    if (axis == source.row_axis) {
      tokens_.ErrorAt(codes::kIntrinsic, *row.lines,
                      fmt::format("axis '{}' counts elements of a row, and rows", row.lines->text));
      return false;
    }
    const int field = format().FieldIndex(row.pitch->text);
    if (field < 0) {
      std::vector<std::string> names;
      for (const Field& own : format().fields) names.push_back(own.name);
      tokens_
          .ErrorAt(codes::kIntrinsic, *row.pitch,
                   fmt::format("instruction '{}' has no field '{}'", format_.key.scalar, row.pitch->text))
          .hint = NameHint(row.pitch->text, names);
      return false;
    }
    source.line_axis = axis;
    source.lines = intrinsic_.axes[axis].extent;
    source.pitch_field = field;
    return true;
  }

  /// What a row brings is on its way for many cycles: sums would have to come back from that.
  void CheckRows() {
    if (intrinsic_.RowSource() < 0) return;
    for (const Operand& source : intrinsic_.sources) {
      if (source.memory != intrinsic_.dst.memory) continue;
      Report(e_.diags, codes::kIntrinsic, node_,
             fmt::format("instruction '{}' reads rows, and '{}' is where it adds", format_.key.scalar,
                         e_.spec.memories[source.memory].name))
          .hint = "sources have memories of their own";
    }
  }

  static bool IsRowAxis(const Operand& operand, int axis) {
    return operand.row_axis == axis || operand.line_axis == axis;
  }

  static bool Names(const Operand& operand, int axis) {
    return IsRowAxis(operand, axis) || std::ranges::any_of(operand.lanes, [&](const auto& lane) {
             return std::ranges::count(lane, axis, &LaneTerm::axis) > 0;
           });
  }

  void FindReductions() {
    for (size_t axis = 0; axis < intrinsic_.axes.size(); ++axis) {
      Intrinsic::Axis& it = intrinsic_.axes[axis];
      const auto names_axis = [&](const Operand& operand) { return Names(operand, static_cast<int>(axis)); };
      it.reduce = !names_axis(intrinsic_.dst);
      const int row = intrinsic_.RowSource();
      if (!it.reduce && row >= 0 && IsRowAxis(intrinsic_.sources[row], static_cast<int>(axis)))
        Report(e_.diags, codes::kIntrinsic, node_,
               fmt::format("axis '{}' counts elements of a source and lanes of the result", it.name));
      if (std::ranges::any_of(intrinsic_.sources, names_axis)) continue;
      Report(e_.diags, codes::kIntrinsic, node_,
             fmt::format("axis '{}' of the result stands in no source", it.name));
    }
    for (const auto& [name, axis] : declared_) {
      if (std::ranges::count(intrinsic_.axes, name, &Intrinsic::Axis::name) > 0) continue;
      Report(e_.diags, codes::kIntrinsic, *axis.second, fmt::format("axis '{}' stands in no operand", name));
    }
  }

  const InstructionFormat& format() const { return e_.spec.formats[e_.spec.FormatIndex(format_.key.scalar)]; }

  Elaboration& e_;
  TokenStream tokens_;
  const YamlEntry& format_;
  const YamlNode& node_;
  std::map<std::string, std::pair<int, const YamlNode*>> declared_;  ///< extents, and where they are given
  Intrinsic intrinsic_;
};

}  // namespace

std::optional<Operand> ParseOperand(TokenStream& tokens, const Spec& spec, RowTokens* row) {
  const Token name = tokens.Peek();
  Operand operand;
  tokens.ExpectName("the name of a memory");
  tokens.Expect("[");
  operand.index = tokens.ExpectName("the name of an index");
  if (row && tokens.Accept("+")) {
    row->axis = tokens.Peek();
    tokens.ExpectName("the name of an axis");
    if (tokens.Accept("+")) {
      row->pitch = tokens.Peek();
      tokens.ExpectName("the name of a field");
      tokens.Expect("*");
      row->lines = tokens.Peek();
      tokens.ExpectName("the name of an axis");
    }
  }
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
    e.spec.formats[i].intrinsic = IntrinsicReader(e, *e.formats[i], computes->value).Read();
  }
}

}  // namespace cosim::isa
