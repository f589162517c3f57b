// SPDX-License-Identifier: Apache-2.0
// Where a board is, as `--device=` takes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cosim::driver::ssh {

inline constexpr std::string_view kScheme = "ssh://";

struct Address {
  std::string login;  ///< "host" or "user@host", as ssh takes it: names of ~/.ssh/config too
  int port = 0;       ///< 0: ssh's own choice
  std::string Text() const;
};

/// "ssh://[user@]host[:port]"; nothing when it is not of this form.
std::optional<Address> ParseAddress(std::string_view text);

}  // namespace cosim::driver::ssh
