// SPDX-License-Identifier: Apache-2.0
#include "tests/board/interrupt_line.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "isa/check.h"

namespace cosim::board {
namespace {

constexpr int kTries = 200;

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  COSIM_CHECK(path.size() < sizeof address.sun_path, "the path of a socket is too long: {}", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

}  // namespace

int ConnectTo(const std::string& path) {
  const sockaddr_un address = AddressOf(path);
  for (int i = 0; i < kTries; ++i) {
    const int stream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(stream, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return stream;
    close(stream);
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  COSIM_CHECK(false, "nobody listens at {}", path);
}

int AcceptAt(const std::string& path) {
  const sockaddr_un address = AddressOf(path);
  unlink(path.c_str());
  const int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  COSIM_CHECK(
      bind(door, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && listen(door, 1) == 0,
      "{}: {}", path, std::strerror(errno));
  fmt::print("ready\n");
  std::fflush(stdout);
  const int stream = accept(door, nullptr, nullptr);
  close(door);
  return stream;
}

void InterruptLine::Set(bool high) {
  if (high == high_) return;
  high_ = high;
  const std::string command =
      fmt::format("set_irq_in {} unnamed-gpio-in {} {}\n", controller_, number_, high ? 1 : 0);
  COSIM_CHECK(write(qtest_, command.data(), command.size()) == static_cast<ssize_t>(command.size()));
  std::string answer(256, '\0');
  const ssize_t count = read(qtest_, answer.data(), answer.size());
  COSIM_CHECK(count > 0 && answer.starts_with("OK"), "QEMU answers: {}", answer);
}

}  // namespace cosim::board
