// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_object.h"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <utility>

#include "isa/check.h"
#include "runtime/elf/mapped_object.h"
#include "runtime/elf/shared_object.h"

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
  std::string why;
  const auto read = elf::ReadSharedObject(object.bytes, why);
  auto mapped = read ? elf::MappedObject::Map(*read, why) : nullptr;
  if (!mapped) {
    error = fmt::format("its CPU code cannot be loaded: {}", why);
    return nullptr;
  }
  return std::shared_ptr<const LoadedObject>(new LoadedObject(std::move(mapped)));
}

LoadedObject::LoadedObject(std::unique_ptr<const elf::MappedObject> mapped) : mapped_(std::move(mapped)) {}
LoadedObject::~LoadedObject() = default;

CpuKernelPtr LoadedObject::Find(const std::string& symbol) const {
  void* address = mapped_->FindFunction(symbol);
  if (!address) return nullptr;
  return std::make_shared<LoadedKernel>(shared_from_this(), reinterpret_cast<Entry>(address));
}

}  // namespace cosim::runtime
