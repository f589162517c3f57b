// SPDX-License-Identifier: Apache-2.0
#include "driver/board_module.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "isa/spec/loader.h"
#include "runtime/module_tag.h"

namespace cosim::driver {
namespace {

using Bytes = std::vector<uint8_t>;

std::optional<Bytes> RegularFile(const std::string& path) {
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error)) file.open(path, std::ios::binary);
  if (!file.is_open()) return std::nullopt;
  return Bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool WasMadeHere(const Bytes& bytes) {
  std::string error;
  const auto key = runtime::TagKey(error);
  return key && runtime::OriginOf(bytes, *key) == runtime::Origin::kThisUser;
}

}  // namespace

std::optional<BoardModule> ReadBoardModule(const std::string& path, bool trust, Refusal& refusal) {
  const auto refuse = [&](std::string message, std::string hint = "") -> std::optional<BoardModule> {
    refusal = {std::move(message), std::move(hint)};
    return std::nullopt;
  };
  const auto bytes = RegularFile(path);
  if (!bytes) return refuse(fmt::format("{} cannot be read", path));
  std::string error;
  auto module = runtime::ReadModule(*bytes, error);
  if (!module) return refuse(fmt::format("{} {}", path, error), "`cosim compile` makes modules");
  Diagnostics diags;
  auto spec = isa::Elaborate(module->spec.isa, module->spec.config, module->spec.overrides, diags);
  if (!spec) return refuse(fmt::format("{} has a specification with faults:\n{}", path, diags.Render()));
  if (runtime::HasNativeCode(*module) && !trust && !WasMadeHere(*bytes))
    return refuse(
        fmt::format("{} is not run: it has machine code for its host layers, and was not made here", path),
        "--trust runs that code, which can do whatever your own programs can");
  if (!runtime::Link(*module, *spec, error, runtime::NativeCode::kLoad))
    return refuse(fmt::format("{} cannot run: {}", path, error),
                  "`cosim compile --host-target=armv7` makes code for a Pynq, aarch64 for an Ultra96");
  return BoardModule{std::move(*module), std::move(*spec)};
}

}  // namespace cosim::driver
