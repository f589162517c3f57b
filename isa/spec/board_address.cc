// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/board_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "isa/diagnostic_codes.h"
#include "isa/spec/config.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

constexpr int kMostPort = 65535;

// What no shell and no option parser sees anything else in than a name.
bool IsName(std::string_view text) {
  return !text.empty() && text[0] != '-' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

}  // namespace

std::string BoardAddress::Text() const {
  if (is_local) return std::string(kLocalBoard);
  return port > 0 ? fmt::format("{}{}:{}", kBoardScheme, login, port)
                  : fmt::format("{}{}", kBoardScheme, login);
}

std::optional<BoardAddress> ParseBoardAddress(std::string_view text) {
  if (text == kLocalBoard) return BoardAddress{.login = "", .is_local = true};
  if (!text.starts_with(kBoardScheme)) return std::nullopt;
  text.remove_prefix(kBoardScheme.size());
  BoardAddress address;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    if (error != std::errc() || end != digits.data() + digits.size() || address.port < 1 ||
        address.port > kMostPort)
      return std::nullopt;
    text = text.substr(0, colon);
  }
  const size_t at = text.find('@');
  if (at != std::string_view::npos && !IsName(text.substr(0, at))) return std::nullopt;
  if (!IsName(at == std::string_view::npos ? text : text.substr(at + 1))) return std::nullopt;
  address.login = text;
  return address;
}

std::optional<BoardAddress> ReadBoardAddress(const YamlNode& root, Diagnostics& diags) {
  const YamlNode* node = root.Find("board_address") ? &root.Find("board_address")->value : nullptr;
  if (!node) return std::nullopt;
  auto address = node->kind == YamlNode::Kind::kScalar ? ParseBoardAddress(node->scalar) : std::nullopt;
  if (!address)
    Report(diags, codes::kBadAddress, *node, "'board_address' is no address of a board").hint =
        "as in ssh://pynq or ssh://xilinx@192.168.2.99:22";
  return address;
}

std::optional<BoardAddress> BoardAddressOf(const SourceText& config, const std::vector<Override>& overrides) {
  Diagnostics diags;
  const auto root = ParseConfigTree(config, overrides, diags);
  return root ? ReadBoardAddress(*root, diags) : std::nullopt;
}

}  // namespace cosim::isa
