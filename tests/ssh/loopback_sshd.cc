// SPDX-License-Identifier: Apache-2.0
#include "tests/ssh/loopback_sshd.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "runtime/host_program.h"
#include "runtime/private_folder.h"

namespace cosim::driver::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kSshd[] = "/usr/sbin/sshd";

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// One that nobody listens at. Somebody else may take it before sshd does: Start says so.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(fd);
  return bound ? ntohs(address.sin_port) : 0;
}

}  // namespace

std::string LoopbackSshd::Missing() {
  if (access(kSshd, X_OK) != 0) return "there is no sshd: apt-get install openssh-server";
  if (!runtime::FindProgram("ssh") || !runtime::FindProgram("ssh-keygen"))
    return "there is no ssh: apt-get install openssh-client";
  return "";
}

LoopbackSshd::LoopbackSshd(fs::path folder) : folder_(std::move(folder)) {}

LoopbackSshd::~LoopbackSshd() {
  if (server_ <= 0) return;
  kill(server_, SIGTERM);
  waitpid(server_, nullptr, 0);
}

bool LoopbackSshd::MakeKey(const std::string& name) const {
  return runtime::RunProgram({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", (folder_ / name).string()},
                             "keygen.log", folder_) == 0;
}

void LoopbackSshd::WriteKnownHost(const std::string& key) const {
  std::ofstream(folder_ / "known_hosts")
      << fmt::format("[127.0.0.1]:{} {}", port_, TextOf(folder_ / (key + ".pub")));
}

void LoopbackSshd::Authorize(const std::string& options) const {
  std::ofstream(folder_ / "authorized_keys") << options << TextOf(folder_ / "user_key.pub");
}

std::string LoopbackSshd::Start() {
  for (const char* key : {"host_key", "other_key", "user_key"})
    if (!MakeKey(key)) return "no key: " + TextOf(folder_ / "keygen.log");
  port_ = FreePort();
  WriteKnownHost("host_key");
  Authorize("");
  fs::create_directories(Cache());
  if (geteuid() == 0) fs::create_directories("/run/sshd");  // which a service of it makes
  const fs::path rtl_cache = runtime::UserFolder("XDG_CACHE_HOME", ".cache");
  std::ofstream(folder_ / "sshd_config") << fmt::format(
      "ListenAddress 127.0.0.1\nPort {}\nHostKey {}/host_key\nAuthorizedKeysFile {}/authorized_keys\nPidFile "
      "none\n"
      "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
      "SetEnv XDG_CACHE_HOME={} COSIM_RTL_CACHE={}\n",
      port_, folder_.string(), folder_.string(), Cache().string(), rtl_cache.string());
  std::ofstream(folder_ / "ssh_config") << fmt::format(
      "Host testboard\n  HostName 127.0.0.1\n  Port {}\n  IdentityFile {}/user_key\n  IdentitiesOnly yes\n"
      "  UserKnownHostsFile {}/known_hosts\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n",
      port_, folder_.string(), folder_.string());
  const std::string config = folder_ / "sshd_config", log = folder_ / "sshd.log";
  const char* arguments[] = {kSshd, "-D", "-f", config.c_str(), "-E", log.c_str(), nullptr};
  if (posix_spawn(&server_, kSshd, nullptr, nullptr, const_cast<char**>(arguments), environ) != 0)
    return "sshd does not start";
  const std::string ssh_config = folder_ / "ssh_config";
  for (int tries = 0; tries < 50; ++tries) {
    if (runtime::RunProgram({"ssh", "-F", ssh_config, "testboard", "true"}, "client.log", folder_) == 0)
      return "";
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  return TextOf(log) + TextOf(folder_ / "client.log");
}

void LoopbackSshd::ForgetHostKey() { WriteKnownHost("other_key"); }

// The parent of a session's command is the sshd that has its connection.
void LoopbackSshd::EndSessions(const std::string& word, const std::string& when) {
  if (word.empty()) return Authorize("");
  const fs::path script = folder_ / "session";
  std::ofstream(script) << fmt::format(
      "case $SSH_ORIGINAL_COMMAND in *'{}'*)\n  (until {}; do sleep 0.05; done; kill -9 $PPID) &\nesac\n"
      "eval \"$SSH_ORIGINAL_COMMAND\"\n",
      word, when);
  Authorize(fmt::format("command=\"exec sh {}\" ", script.string()));
}

void LoopbackSshd::LimitFiles(int blocks) {
  Authorize(
      fmt::format("command=\"trap '' XFSZ; ulimit -f {}; eval \\\"$SSH_ORIGINAL_COMMAND\\\"\" ", blocks));
}

}  // namespace cosim::driver::testing
