// SPDX-License-Identifier: Apache-2.0
// An interrupt line of a guest, driven through QEMU's qtest socket, which works beside TCG.
#pragma once

#include <string>
#include <utility>

namespace cosim::board {

class InterruptLine {
 public:
  /// `qtest`: a stream to QEMU's qtest socket, which several lines may share, one call at a time;
  /// `controller`: QEMU's path of the interrupt controller.
  InterruptLine(int qtest, std::string controller, int number)
      : qtest_(qtest), number_(number), controller_(std::move(controller)) {}
  void Set(bool high);

 private:
  int qtest_, number_;
  std::string controller_;
  bool high_ = false;
};

/// A stream to whoever listens at `path`, or will soon, and from whoever comes first. A failure ends the
/// program.
int ConnectTo(const std::string& path);
int AcceptAt(const std::string& path);

}  // namespace cosim::board
