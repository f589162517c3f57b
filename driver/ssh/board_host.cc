// SPDX-License-Identifier: Apache-2.0
#include "driver/ssh/board_host.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include "driver/diagnostic_codes.h"
#include "driver/remote/channel.h"
#include "isa/digest.h"

namespace cosim::driver::ssh {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kUntilThere = std::chrono::seconds{30}, kUntilCopied = std::chrono::minutes{2};
constexpr int kSshFailed = 255;
// Of the script that takes a file.
constexpr int kNoFolder = 3, kNotWritten = 4, kNotWhole = 5;

// Of one login shell or another, which then starts the one that we know.
std::string InShell(const std::string& script) { return fmt::format("exec sh -c '{}'", script); }

std::vector<std::string> SshArguments(const isa::BoardAddress& address, const std::string& command) {
  if (address.is_local) return {"sh", "-c", command};
  std::vector<std::string> arguments;
  const char* other = std::getenv("COSIM_SSH");
  std::istringstream words(other ? other : "ssh");
  for (std::string word; words >> word;) arguments.push_back(word);
  if (arguments.empty()) arguments.emplace_back("ssh");
  for (const char* option : {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o",
                             "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"})
    arguments.emplace_back(option);
  if (address.port > 0) arguments.insert(arguments.end(), {"-p", std::to_string(address.port)});
  arguments.insert(arguments.end(), {address.login, command});
  return arguments;
}

std::string LastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const size_t at = text.rfind('\n');
  return at == std::string::npos ? text : text.substr(at + 1);
}

std::string HintFor(const std::string& errors, const isa::BoardAddress& address) {
  const auto says = [&](std::string_view words) { return errors.find(words) != std::string::npos; };
  if (says("Host key verification failed"))
    return fmt::format("compare its key by hand, once: `ssh {}`", address.login);
  if (says("Permission denied")) return fmt::format("it wants a key: `ssh-copy-id {}`", address.login);
  return fmt::format("does `ssh {} true` work?", address.login);
}

std::string ArchitectureOf(const std::string& machine) {
  return machine.starts_with("armv7") ? "arm" : machine == "arm64" ? "aarch64" : machine;
}

}  // namespace

bool BoardHost::Explain(int status, const std::string& errors, Diagnostics& diags) const {
  if (address_.is_local || (status != kSshFailed && status >= 0)) return false;
  const std::string last = LastLine(errors);
  diags.Error(codes::kNoConnection, {address_.Text()}, last.empty() ? "ssh does not get there" : last).hint =
      HintFor(errors, address_);
  return true;
}

std::unique_ptr<Process> BoardHost::Start(const std::string& command, Diagnostics& diags) const {
  auto process = Process::Start(SshArguments(address_, command));
  if (!process)
    diags.Error(codes::kNoConnection, {address_.Text()}, "there is no ssh on this machine").hint =
        "apt-get install openssh-client";
  return process;
}

std::optional<BoardHost> BoardHost::Reach(const isa::BoardAddress& address, Diagnostics& diags) {
  BoardHost host(address);
  if (!host.Look(diags)) return std::nullopt;
  return host;
}

bool BoardHost::Look(Diagnostics& diags) {
  const auto process = Start(
      InShell(
          "umask 077; d=${XDG_CACHE_HOME:-$HOME/.cache}/cosim-board; mkdir -p \"$d\" && cd \"$d\" || exit 3; "
          "echo \"cosim $(uname -m) $d\"; sha256sum -- * 2>/dev/null; exit 0"),
      diags);
  if (!process) return false;
  process->CloseInput();
  std::istringstream lines(process->ReadAll(kUntilThere));
  const int status = process->Wait(kUntilThere);
  if (Explain(status, process->Errors(), diags)) return false;
  // A login may print something before it.
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == "cosim") {
      architecture_ = ArchitectureOf(second);
      std::getline(words >> std::ws, folder_);
    } else if (!folder_.empty()) {
      files_[second] = first;
    }
  }
  // The path is put between quotes again.
  if (status == 0 && !folder_.empty() && folder_.find_first_of("'\"\\$`\n") == std::string::npos) return true;
  diags
      .Error(codes::kNotCopied, {address_.Text()},
             fmt::format("no folder for files there: {}", LastLine(process->Errors())))
      .hint = "~/.cache there has to be writable";
  return false;
}

std::optional<std::string> BoardHost::Put(const std::string& name, std::span<const uint8_t> bytes,
                                          bool executable, Diagnostics& diags) {
  const std::string path = folder_ + "/" + name;
  const std::string digest = isa::Sha256Hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (const auto there = files_.find(name); there != files_.end() && there->second == digest) return path;
  // A connection that ends is an end of the file for cat: only the digest says whether it was the end.
  const auto process =
      Start(InShell(fmt::format(
                "umask 077; cd \"{}\" || exit {}; p=.part.$$; trap \"rm -f $p\" EXIT; "
                "trap \"exit 1\" HUP INT TERM; cat >$p || exit {}; "
                "case $(sha256sum <$p) in {}*) ;; *) exit {} ;; esac; chmod {} $p && mv -f $p {}",
                folder_, kNoFolder, kNotWritten, digest, kNotWhole, executable ? "700" : "600", name)),
            diags);
  if (!process) return std::nullopt;
  remote::Channel channel(-1, process->in());
  channel.SendRaw(bytes, kUntilCopied);
  process->CloseInput();
  const int status = process->Wait(kUntilCopied);
  const std::string errors = process->Errors();
  if (status == 0) {
    files_[name] = digest;
    return path;
  }
  if (Explain(status, errors, diags)) return std::nullopt;
  std::string what = LastLine(errors);
  if (what.empty()) what = status == kNotWhole ? "it did not arrive whole" : fmt::format("status {}", status);
  diags
      .Error(codes::kNotCopied, {address_.Text()},
             fmt::format("{} of {} bytes cannot be copied there: {}", name, bytes.size(), what))
      .hint = fmt::format("is there room in {} there?", folder_);
  return std::nullopt;
}

}  // namespace cosim::driver::ssh
