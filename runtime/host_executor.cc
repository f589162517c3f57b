// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_executor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "isa/check.h"
#include "runtime/executor.h"

namespace cosim::runtime {
namespace {

constexpr std::align_val_t kCacheLine{64};  // to which the plan rounds addresses

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void HostExecutor::Free::operator()(uint8_t* memory) const { operator delete[](memory, kCacheLine); }

HostExecutor::HostExecutor(const Network& network, const Parallel& parallel)
    : network_(network), parallel_(parallel) {
  const uint64_t bytes = std::max<uint64_t>(network.value_bytes, 1);
  memory_.reset(new (kCacheLine) uint8_t[bytes]());
  for (const auto& step : network.steps) {
    const auto* cpu = std::get_if<CpuStep>(&step);
    COSIM_CHECK(cpu != nullptr, "'{}' has a program for an accelerator", network.name);
    Call call{cpu->kernel.get(), {}, cpu->layer};
    for (const CpuStep::Argument& argument : cpu->arguments) {
      COSIM_CHECK(argument.constant || argument.address + argument.bytes <= bytes);
      call.arguments.push_back(argument.constant ? const_cast<void*>(argument.constant.get())
                                                 : memory_.get() + argument.address);
    }
    calls_.push_back(std::move(call));
  }
}

HostTimes HostExecutor::Run(const std::vector<std::vector<uint8_t>>& inputs) {
  return Run(std::vector<std::span<const uint8_t>>(inputs.begin(), inputs.end()));
}

HostTimes HostExecutor::Run(std::span<const std::span<const uint8_t>> inputs) {
  COSIM_CHECK(inputs.size() == network_.inputs.size());
  HostTimes times;
  times.layers.resize(network_.layers.size());
  const double cpu_begin = CpuSeconds(), begin = WallSeconds();
  for (size_t i = 0; i < inputs.size(); ++i) {  // each time: their places are used again
    COSIM_CHECK(!network_.inputs[i].image && inputs[i].size() == network_.inputs[i].bytes);
    if (!inputs[i].empty())
      std::memcpy(memory_.get() + network_.inputs[i].address, inputs[i].data(), inputs[i].size());
  }
  for (double last = WallSeconds(); const Call& call : calls_) {
    call.kernel->RunOn(call.arguments, parallel_);
    const double now = WallSeconds();
    times.layers[static_cast<size_t>(call.layer)] += now - last;
    last = now;
  }
  times.wall = WallSeconds() - begin;
  times.cpu = CpuSeconds() - cpu_begin;
  return times;
}

std::vector<uint8_t> HostExecutor::Read(const Place& place) const {
  std::vector<uint8_t> plain(place.plain_bytes);
  Read(place, plain);
  return plain;
}

void HostExecutor::Read(const Place& place, std::span<uint8_t> plain) const {
  COSIM_CHECK(plain.size() == place.plain_bytes, "'{}' has {} bytes, not {}", place.name, place.plain_bytes,
              plain.size());
  uint8_t* const from = memory_.get() + place.address;
  if (!place.unpack) {
    std::copy_n(from, plain.size(), plain.begin());
    return;
  }
  const std::vector<void*> arguments = {from, plain.data()};
  place.unpack->Run(arguments);
}

}  // namespace cosim::runtime
