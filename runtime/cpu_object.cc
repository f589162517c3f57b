// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_object.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isa/check.h"
#include "runtime/whole_io.h"

#if defined(__arm__) || defined(__aarch64__)
#include <asm/hwcap.h>
#endif

namespace cosim::runtime {
namespace {

using Entry = void (*)(void* const*, const Parallel*);

class LoadedKernel final : public CpuKernel {
 public:
  LoadedKernel(std::shared_ptr<const LoadedObject> object, Entry entry)
      : object_(std::move(object)), entry_(entry) {}
  void RunOn(std::span<void* const> args, const Parallel& parallel) const override {
    entry_(args.data(), &parallel);
  }

 private:
  std::shared_ptr<const LoadedObject> object_;
  Entry entry_;
};

}  // namespace

std::string_view HostArchitecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__arm__)
  return "arm";
#else
  return "unknown";
#endif
}

bool HostHas(std::string_view level) {
#if defined(__x86_64__)
  if (level == "x86-64-v2") return __builtin_cpu_supports("x86-64-v2");
  if (level == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3");
  if (level == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4");
  return false;
#elif defined(__aarch64__)
  return level == "aarch64" || (level == "aarch64-dotprod" && (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0);
#elif defined(__arm__)
  return level == "armv7" && (getauxval(AT_HWCAP) & HWCAP_NEON) != 0;
#else
  return false;
#endif
}

void KernelSymbol::RunOn(std::span<void* const>, const Parallel&) const {
  COSIM_CHECK(false, "{} is not loaded", name_);
}

std::shared_ptr<const LoadedObject> LoadedObject::Load(const CpuObject& object, std::string& error) {
  if (object.architecture != HostArchitecture()) {
    error =
        fmt::format("its CPU code is for {}, this machine is {}", object.architecture, HostArchitecture());
    return nullptr;
  }
  if (!HostHas(object.level)) {
    error = fmt::format("its CPU code needs a processor of level {}, which this one is not", object.level);
    return nullptr;
  }
  // The loader takes files only. It also takes two files of one name for the same: the descriptor stays open
  // as long as the object is mapped, so that no other object gets its number.
  const int file = memfd_create("cosim_module", MFD_CLOEXEC);
  if (file < 0 || !WriteAll(file, object.bytes.data(), object.bytes.size())) {
    error = fmt::format("no memory for its CPU code: {}", std::strerror(errno));
    if (file >= 0) close(file);
    return nullptr;
  }
  void* handle = dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    error = fmt::format("its CPU code cannot be loaded: {}", dlerror());
    close(file);
    return nullptr;
  }
  return std::shared_ptr<const LoadedObject>(new LoadedObject(file, handle));
}

LoadedObject::~LoadedObject() {
  dlclose(handle_);
  close(file_);
}

CpuKernelPtr LoadedObject::Find(const std::string& symbol) const {
  void* address = dlsym(handle_, symbol.c_str());
  if (!address) return nullptr;
  return std::make_shared<LoadedKernel>(shared_from_this(), reinterpret_cast<Entry>(address));
}

}  // namespace cosim::runtime
