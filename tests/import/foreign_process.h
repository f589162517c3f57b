// SPDX-License-Identifier: Apache-2.0
// Objects for another processor, run by qemu's user-mode emulation: a process per object, whose kernels are
// called through pipes as if they were in this one.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "runtime/cpu_object.h"
#include "runtime/network.h"

namespace cosim::import {

/// How code for a target of --host-target is linked and run here.
struct Emulator {
  std::string target;   ///< "armv7"
  std::string triple;   ///< of Debian's cross packages: "arm-linux-gnueabihf"
  std::string program;  ///< "qemu-arm"
  std::string cpu;      ///< that it shall be; one that has no more than the target may use
};

/// What is not installed of what `emulator` takes; empty: all is there.
std::string MissingFor(const Emulator& emulator);

class ForeignProcess : public std::enable_shared_from_this<ForeignProcess> {
 public:
  /// Null, after a failure of the test, when it does not start.
  static std::shared_ptr<ForeignProcess> Start(const Emulator& emulator, const runtime::CpuObject& object);
  ~ForeignProcess();
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  /// The step's kernel, which is a KernelSymbol, as one that runs over there.
  runtime::CpuKernelPtr KernelOf(const runtime::CpuStep& step);

  void Send(const void* from, size_t bytes) const;
  void Receive(void* to, size_t bytes) const;

 private:
  ForeignProcess() = default;
  std::filesystem::path folder_;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace cosim::import
