// SPDX-License-Identifier: Apache-2.0
#include "driver/remote/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace cosim::driver::remote {
namespace {

constexpr std::array<uint8_t, 4> kMark = {'c', 'o', 's', 1};
constexpr size_t kHeader = 8, kPiece = 1 << 20;

// Whether `fd` can be read or written before the time is over; an error counts, for read and write to name.
bool Waits(int fd, short events, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd entry{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30)));
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

// A closed pipe is an error of write, not a signal, for the time of one.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  ~WithoutPipeSignal() { sigaction(SIGPIPE, &before_, nullptr); }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace

Channel::Status Channel::ReadInto(std::span<uint8_t> bytes, size_t& done,
                                  std::chrono::milliseconds patience) const {
  while (done < bytes.size()) {
    if (!Waits(in_, POLLIN, patience)) return Status::kLate;
    const ssize_t count = read(in_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Status::kClosed;
    done += static_cast<size_t>(count);
  }
  return Status::kDone;
}

Channel::Status Channel::WriteAll(std::span<const uint8_t> bytes, std::chrono::milliseconds patience) const {
  const int flags = fcntl(out_, F_GETFL);
  fcntl(out_, F_SETFL, flags | O_NONBLOCK);  // a write that blocks has no time-out
  Status status = Status::kDone;
  for (size_t done = 0; done < bytes.size() && status == Status::kDone;) {
    if (!Waits(out_, POLLOUT, patience)) {
      status = Status::kLate;
      break;
    }
    const ssize_t count = write(out_, bytes.data() + done, std::min(bytes.size() - done, kPiece));
    if (count >= 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR && errno != EAGAIN) {
      status = Status::kClosed;
    }
  }
  fcntl(out_, F_SETFL, flags);
  return status;
}

Channel::Status Channel::Send(std::span<const uint8_t> message, std::chrono::milliseconds patience) {
  std::array<uint8_t, kHeader> header = {};
  std::ranges::copy(kMark, header.begin());
  for (size_t i = 0; i < 4; ++i) header[4 + i] = static_cast<uint8_t>(message.size() >> (8 * i));
  const WithoutPipeSignal guard;
  const Status status = WriteAll(header, patience);
  return status == Status::kDone ? WriteAll(message, patience) : status;
}

Channel::Status Channel::SendRaw(std::span<const uint8_t> bytes, std::chrono::milliseconds patience) {
  const WithoutPipeSignal guard;
  return WriteAll(bytes, patience);
}

Channel::Status Channel::Receive(std::vector<uint8_t>& read, std::chrono::milliseconds patience) {
  std::array<uint8_t, kHeader> header = {};
  size_t done = 0;
  const Status head = ReadInto(header, done, patience);
  const auto begins = std::span(header).first(std::min(done, kMark.size()));
  if (!std::ranges::equal(begins, std::span(kMark).first(begins.size()))) {
    read.assign(header.begin(), header.begin() + static_cast<int64_t>(done));
    return Status::kGarbled;
  }
  if (head != Status::kDone) return head;
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) length |= static_cast<uint32_t>(header[4 + i]) << (8 * i);
  if (length > kMostBytes) {
    read.assign(header.begin(), header.end());
    return Status::kGarbled;
  }
  // Not all at once: a length is only a promise.
  read.clear();
  while (read.size() < length) {
    size_t begin = read.size();
    read.resize(std::min<size_t>(length, begin + kPiece));
    if (const Status status = ReadInto(read, begin, patience); status != Status::kDone) return status;
  }
  return Status::kDone;
}

}  // namespace cosim::driver::remote
