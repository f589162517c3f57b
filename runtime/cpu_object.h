// SPDX-License-Identifier: Apache-2.0
// Code for the host in a file: an ELF shared object, which runtime/elf loads, so that running it takes no
// compiler and no dynamic linker. compiler/cpu/object.h makes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cpu_kernel.h"

namespace cosim::runtime {

namespace elf {
class MappedObject;
}

/// Each kernel is an exported function `void symbol(void* const* args, const Parallel*)`; what it calls is in
/// one table (runtime/elf/outside_functions.h): of C's library and, on 32-bit ARM, the compiler's.
struct CpuObject {
  std::string architecture;    ///< as HostArchitecture() names it
  std::string level;           ///< the least processor, as --host-target names it: "x86-64-v3"
  std::vector<uint8_t> bytes;  ///< empty when there are no kernels
};

/// "x86_64", "aarch64", …
std::string_view HostArchitecture();

/// Whether this machine's processor is of that level.
bool HostHas(std::string_view level);

/// Names a kernel of an object that is not loaded; cannot run.
class KernelSymbol final : public CpuKernel {
 public:
  explicit KernelSymbol(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  void RunOn(std::span<void* const> args, const Parallel& parallel) const override;

 private:
  std::string name_;
};

/// An object mapped into this process; its kernels keep it there.
class LoadedObject : public std::enable_shared_from_this<LoadedObject> {
 public:
  /// Null, and `error` set, when the object is for another machine, broken, or of a kind that is not loaded.
  /// Runs none of its code, but whoever calls its kernels must trust it as a program.
  static std::shared_ptr<const LoadedObject> Load(const CpuObject& object, std::string& error);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  /// Null when there is no such symbol.
  CpuKernelPtr Find(const std::string& symbol) const;

 private:
  explicit LoadedObject(std::unique_ptr<const elf::MappedObject> mapped);
  std::unique_ptr<const elf::MappedObject> mapped_;
};

}  // namespace cosim::runtime
