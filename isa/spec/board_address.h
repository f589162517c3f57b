// SPDX-License-Identifier: Apache-2.0
// Where a board is, as `--device=` and 'board_address' of a configuration take it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

/// What every address of another machine begins with, and the name of this one, where it is a board itself.
inline constexpr std::string_view kBoardScheme = "ssh://", kLocalBoard = "local";

struct BoardAddress {
  std::string login;      ///< "host" or "user@host", as ssh takes it: names of ~/.ssh/config too
  int port = 0;           ///< 0: ssh's own choice
  bool is_local = false;  ///< this machine, without ssh; the rest is empty
  std::string Text() const;
};

/// "ssh://[user@]host[:port]", or "local"; nothing when it is neither.
std::optional<BoardAddress> ParseBoardAddress(std::string_view text);

/// What a configuration says; nothing when it says none, and after reporting.
std::optional<BoardAddress> ReadBoardAddress(const YamlNode& root, Diagnostics& diags);

/// That of a configuration which elaborates under `overrides`. It is no part of a Spec.
std::optional<BoardAddress> BoardAddressOf(const SourceText& config, const std::vector<Override>& overrides);

}  // namespace cosim::isa
