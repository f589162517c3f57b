// SPDX-License-Identifier: Apache-2.0
#include "driver/ssh/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace cosim::driver::ssh {
namespace {

constexpr int kMostPort = 65535;

// What no shell and no option parser sees anything else in than a name.
bool IsName(std::string_view text) {
  return !text.empty() && text[0] != '-' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

}  // namespace

std::string Address::Text() const {
  return port > 0 ? fmt::format("{}{}:{}", kScheme, login, port) : fmt::format("{}{}", kScheme, login);
}

std::optional<Address> ParseAddress(std::string_view text) {
  if (!text.starts_with(kScheme)) return std::nullopt;
  text.remove_prefix(kScheme.size());
  Address address;
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

}  // namespace cosim::driver::ssh
