// SPDX-License-Identifier: Apache-2.0
// Builds the tree from yaml-cpp's events, which carry marks for keys and values alike.
#include "isa/yaml/node.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <set>
#include <sstream>
#include <utility>

#include "isa/check.h"
#include "isa/diagnostic_codes.h"

namespace cosim::isa {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

std::shared_ptr<const SourceLines> SplitLines(const SourceText& text) {
  auto source = std::make_shared<SourceLines>();
  source->path = text.path;
  std::istringstream stream(text.text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    source->lines.push_back(std::move(line));
  }
  return source;
}

std::string_view LineAt(const YamlNode& node) {
  if (!node.source || node.line < 1 || node.line > static_cast<int>(node.source->lines.size())) return "";
  return node.source->lines[node.line - 1];
}

/// Whether the scalar stands in the text as its value reads, on one line and without escapes.
bool IsVerbatim(const YamlNode& node) {
  const std::string_view line = LineAt(node);
  const size_t begin = node.column - 1 + (node.quoted ? 1 : 0);
  return node.kind == YamlNode::Kind::kScalar && node.column >= 1 && begin <= line.size() &&
         line.substr(begin, node.scalar.size()) == node.scalar;
}

/// Thrown out of yaml-cpp's parser to stop it at the first construct that specs do not use.
struct Unsupported : std::exception {
  Unsupported(const YAML::Mark& at, const char* what_it_is) : mark(at), reason(what_it_is) {}
  YAML::Mark mark;
  const char* reason;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const SourceLines> source, Diagnostics& diags)
      : source_(std::move(source)), diags_(diags) {}

  YamlNode TakeRoot() { return std::move(root_); }
  YamlNode At(const YAML::Mark& mark) const {
    YamlNode node;
    node.source = source_;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RejectAnchor(mark, anchor);
    Add(At(mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { throw Unsupported(mark, "an alias"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RejectAnchor(mark, anchor);
    YamlNode node = At(mark);
    node.kind = YamlNode::Kind::kScalar;
    node.scalar = value;
    node.quoted = tag == "!";
    Add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  /// A sequence or map that is not closed yet; for a map also the key whose value comes next, and the keys so
  /// far.
  struct Open_ {
    YamlNode node;
    std::optional<YamlNode> key;
    std::set<std::string> keys;
  };

  static void RejectAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) throw Unsupported(mark, "an anchor");
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    RejectAnchor(mark, anchor);
    if (!open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap && !open_.back().key) {
      throw Unsupported(mark, "a key that is not a name");
    }
    open_.emplace_back().node = At(mark);
    open_.back().node.kind = kind;
  }

  void Close() {
    COSIM_CHECK(!open_.empty());
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open_& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kSequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      if (node.kind == YamlNode::Kind::kNull) node.kind = YamlNode::Kind::kScalar;
      parent.key = std::move(node);
    } else {
      AddEntry(parent, std::move(node));
    }
  }

  void AddEntry(Open_& parent, YamlNode value) {
    YamlNode key = std::move(*parent.key);
    parent.key.reset();
    if (parent.keys.insert(key.scalar).second) {
      parent.node.entries.push_back({std::move(key), std::move(value)});
      return;
    }
    Report(diags_, codes::kDuplicateKey, key, fmt::format("key '{}' is given twice", key.scalar))
        .notes.emplace_back(parent.node.Find(key.scalar)->key.Loc(), "the first one is at");
  }

  std::shared_ptr<const SourceLines> source_;
  Diagnostics& diags_;
  YamlNode root_;
  std::vector<Open_> open_;
};

}  // namespace

SourceLoc YamlNode::Loc() const { return {source ? source->path : "", line, column}; }

const YamlEntry* YamlNode::Find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key.scalar == key) return &entry;
  }
  return nullptr;
}

std::string_view KindName(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map of keys";
  }
  COSIM_CHECK(false);
}

std::optional<YamlNode> ParseYaml(const SourceText& text, Diagnostics& diags) {
  if (text.text.size() > kMaxBytes) {
    diags.Error(codes::kTooLarge, {text.path},
                fmt::format("{} bytes are too many, at most {} are read", text.text.size(), kMaxBytes));
    return std::nullopt;
  }
  TreeBuilder builder(SplitLines(text), diags);
  const size_t errors = diags.list().size();
  try {
    std::istringstream stream(text.text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.TakeRoot();
    if (root.kind == YamlNode::Kind::kNull) root = builder.At(YAML::Mark());
    TreeBuilder rest(nullptr, diags);
    if (parser.HandleNextDocument(rest)) {
      diags.Error(codes::kYamlUnsupported, {text.path}, "the file holds several documents, one is expected");
    }
    if (diags.list().size() > errors) return std::nullopt;
    return root;
  } catch (const Unsupported& unsupported) {
    Report(diags, codes::kYamlUnsupported, builder.At(unsupported.mark),
           fmt::format("{} has no place in a spec", unsupported.reason));
  } catch (const YAML::Exception& exception) {
    Report(diags, codes::kYamlSyntax, builder.At(exception.mark), fmt::format("not YAML: {}", exception.msg));
  }
  return std::nullopt;
}

Diagnostic& Report(Diagnostics& diags, const char* code, const YamlNode& at, std::string message) {
  Diagnostic& diagnostic = diags.Error(code, at.Loc(), std::move(message));
  diagnostic.source_line = LineAt(at);
  diagnostic.length = IsVerbatim(at) ? static_cast<int>(at.scalar.size()) + (at.quoted ? 2 : 0) : 1;
  return diagnostic;
}

Diagnostic& ReportWithin(Diagnostics& diags, const char* code, const YamlNode& at, int offset, int length,
                         std::string message) {
  Diagnostic& diagnostic = Report(diags, code, at, std::move(message));
  if (!IsVerbatim(at)) return diagnostic;
  diagnostic.loc.column = at.column + (at.quoted ? 1 : 0) + offset;
  diagnostic.length = length;
  return diagnostic;
}

}  // namespace cosim::isa
