// SPDX-License-Identifier: Apache-2.0
#include "cli/module.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/options.h"
#include "cli/print.h"
#include "compiler/session/module.h"
#include "runtime/module_tag.h"

namespace cosim::cli {
namespace {

/// Its bytes; nothing after saying why not. A pipe would have to be waited for: it is looked at before it is
/// opened.
std::optional<std::vector<uint8_t>> ReadModuleFile(const std::string& path) {
  const std::string hint = "`cosim compile` makes modules";
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status))
    return Fail(fmt::format("{} cannot be read: there is no such file", path), hint), std::nullopt;
  if (!std::filesystem::is_regular_file(status))
    return Fail(fmt::format("{} cannot be read: it is not a file", path), hint), std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.is_open() && !file.bad()) return bytes;
  return Fail(fmt::format("{} cannot be read: {}", path, std::strerror(errno)), hint), std::nullopt;
}

/// Says so when it is not.
bool IsOfThisUser(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::string error;
  const auto key = runtime::TagKey(error);
  const auto origin = key ? runtime::OriginOf(bytes, *key) : runtime::Origin::kUnknown;
  if (origin == runtime::Origin::kThisUser) return true;
  const std::string why = !key ? fmt::format("whether you made it cannot be told: {}", error)
                          : origin == runtime::Origin::kElsewhere
                              ? "it was made by another user, on another machine, or has been changed"
                              : "nothing says that you made it";
  Fail(fmt::format("{} is not run: it has machine code for its host layers, and {}", path, why),
       "--trust runs that code, which can do whatever your own programs can; --timing-only takes none; or "
       "compile the "
       "model here");
  return false;
}

}  // namespace

bool NamesModule(const std::string& argument) { return argument.ends_with(".cosim"); }

std::optional<LinkedModule> LoadModule(const std::string& path,
                                       const boost::program_options::variables_map& values, bool runs_here) {
  auto bytes = ReadModuleFile(path);
  if (!bytes) return std::nullopt;
  std::string error;
  auto module = runtime::ReadModule(*bytes, error);
  if (!module) {
    Fail(fmt::format("{} {}", path, error), "`cosim compile` makes modules");
    return std::nullopt;
  }
  auto loaded = LoadSpecOf(module->spec, values);
  if (!loaded) return std::nullopt;
  LinkedModule linked{std::move(*loaded), std::move(*module), {}};
  const bool computes = values.count("timing-only") == 0;
  if (computes && !values.count("trust") && runtime::HasNativeCode(linked.module) &&
      !IsOfThisUser(path, *bytes))
    return std::nullopt;
  linked.bytes = std::move(*bytes);
  const auto native = computes && runs_here ? runtime::NativeCode::kLoad : runtime::NativeCode::kLeaveOut;
  if (session::LinkModule(linked.module, linked.loaded.spec, error, native)) return linked;
  Fail(fmt::format("{} cannot run: {}", path, error), "compile it again");
  return std::nullopt;
}

std::vector<uint8_t> TaggedModule(const runtime::Module& module) {
  std::vector<uint8_t> bytes = runtime::WriteModule(module);
  std::string error;
  const auto key = runtime::TagKey(error);
  if (key) return runtime::AddTag(std::move(bytes), *key);
  PrintError("cosim: the module gets no tag, and runs with --trust only: {}\n", error);
  return bytes;
}

}  // namespace cosim::cli
