// SPDX-License-Identifier: Apache-2.0
// Writes XML element by element. Tags are the caller's; texts are escaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cosim::board {

class XmlText {
 public:
  /// Attributes stand as they are in `attributes`: ` name="value"` each.
  void Open(std::string_view tag, std::string_view attributes = "");
  void Close();
  void Leaf(std::string_view tag, std::string_view text, std::string_view attributes = "");
  /// An element without content.
  void Empty(std::string_view tag, std::string_view attributes);
  /// The whole; every element must be closed (CHECKed).
  std::string Take() &&;

 private:
  std::string Indent() const { return std::string(2 * open_.size(), ' '); }

  std::string text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  std::vector<std::string> open_;
};

}  // namespace cosim::board
