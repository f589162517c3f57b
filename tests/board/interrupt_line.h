// SPDX-License-Identifier: Apache-2.0
// An interrupt line of a guest, driven through QEMU's qtest socket, which works beside TCG.
#pragma once

#include <string>

namespace cosim::board {

class InterruptLine {
 public:
  /// `controller`: QEMU's path of the interrupt controller. Waits until QEMU listens at `socket`.
  InterruptLine(const std::string& socket, std::string controller, int number);
  ~InterruptLine();
  InterruptLine(const InterruptLine&) = delete;
  InterruptLine& operator=(const InterruptLine&) = delete;
  void Set(bool high);

 private:
  int socket_ = -1, number_;
  std::string controller_;
  bool high_ = false;
};

/// A stream to whoever listens at `path`, and from whoever comes first. A failure ends the program.
int ConnectTo(const std::string& path);
int AcceptAt(const std::string& path);

}  // namespace cosim::board
