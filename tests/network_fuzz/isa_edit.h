// SPDX-License-Identifier: Apache-2.0
// Edits of an ISA as a user makes them, on the tree of its YAML: dropped, renamed, copied and moved entries,
// changed widths, types, units, bodies. An edit is a line of text, so that a failure can be repeated.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/zoo/random.h"
#include "isa/yaml/node.h"

namespace cosim::testing {

/// `path`: keys, and numbers of items, from the root: "memories/wgt/lanes/0".
struct IsaEdit {
  enum class Kind {
    kDrop,    ///< the entry or item at path
    kRename,  ///< its key, to `text`, and nothing that names it
    kWord,    ///< the name that `path` is, to `text`, everywhere, with the fields called after it
    kCopy,    ///< the entry, under the name `text`, with an opcode or code of its own
    kClone,   ///< a memory, with the instructions, ops and units' fields that name it, copied alike
    kSwap,    ///< places of the entry or item and the one before it (or the last)
    kAdd,     ///< a scalar of that key, `text`, to the map that path names before it
    kSet      ///< the scalar's text
  } kind = Kind::kDrop;
  std::string path, text;
};

std::string ToString(const IsaEdit& edit);
std::optional<IsaEdit> ParseEdit(const std::string& text);

/// False, and the tree as it was, when the edit does not apply to it.
bool Apply(const IsaEdit& edit, isa::YamlNode& root);
/// A random one that applies to the tree.
IsaEdit DrawEdit(const isa::YamlNode& root, graph::zoo::Random& random);

/// The tree as YAML.
std::string Emit(const isa::YamlNode& root);

/// Names and numbers in what is below the node, and in its own text.
void CollectWords(const isa::YamlNode& node, std::set<std::string>& out);
void CollectWords(const std::string& text, std::set<std::string>& out);

}  // namespace cosim::testing
