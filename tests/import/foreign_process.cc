// SPDX-License-Identifier: Apache-2.0
#include "tests/import/foreign_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "isa/check.h"
#include "runtime/host_program.h"

namespace cosim::import {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompiler = "clang-19";

std::string SystemRoot(const Emulator& emulator) { return "/usr/" + emulator.triple; }

class ForeignKernel final : public runtime::CpuKernel {
 public:
  ForeignKernel(std::shared_ptr<ForeignProcess> process, const runtime::CpuStep& step)
      : process_(std::move(process)),
        symbol_(dynamic_cast<const runtime::KernelSymbol&>(*step.kernel).name()),
        arguments_(step.arguments) {}

  void RunOn(std::span<void* const> args, const runtime::Parallel&) const override {
    const auto number = [&](auto value) { process_->Send(&value, sizeof value); };
    number(static_cast<uint32_t>(symbol_.size()));
    process_->Send(symbol_.data(), symbol_.size());
    number(static_cast<uint32_t>(args.size()));
    for (size_t i = 0; i < args.size(); ++i) {
      number(arguments_[i].bytes);
      number(static_cast<uint32_t>(arguments_[i].is_output));
      if (!arguments_[i].is_output) process_->Send(args[i], arguments_[i].bytes);
    }
    for (size_t i = 0; i < args.size(); ++i)
      if (arguments_[i].is_output) process_->Receive(args[i], arguments_[i].bytes);
  }

 private:
  std::shared_ptr<ForeignProcess> process_;
  std::string symbol_;
  std::vector<runtime::CpuStep::Argument> arguments_;
};

}  // namespace

std::string MissingFor(const Emulator& emulator) {
  for (const std::string& program : {emulator.program, std::string(kCompiler), std::string("mold")})
    if (!runtime::FindProgram(program)) return program;
  const std::string root = SystemRoot(emulator);
  return fs::exists(root + "/lib/crt1.o") ? "" : "C's library for " + emulator.triple;
}

std::shared_ptr<ForeignProcess> ForeignProcess::Start(const Emulator& emulator,
                                                      const runtime::CpuObject& object) {
  std::shared_ptr<ForeignProcess> process(new ForeignProcess);
  std::string pattern = (fs::temp_directory_path() / "cosim_foreign_XXXXXX").string();
  process->folder_ = mkdtemp(pattern.data());
  const std::string harness = process->folder_ / "harness", kernels = process->folder_ / "kernels.so";
  std::ofstream(kernels, std::ios::binary)
      .write(reinterpret_cast<const char*>(object.bytes.data()),
             static_cast<std::streamsize>(object.bytes.size()));
  // Kernels may call C's mathematics and the compiler's own library: both are there before they are loaded.
  const int status = runtime::RunProgram(
      {kCompiler, "--target=" + emulator.triple, "-O1", "-fuse-ld=mold", "-o", harness,
       COSIM_SOURCE_DIR "/tests/import/foreign_harness.c", "-Wl,--no-as-needed", "-lm", "-lgcc_s"},
      "log", process->folder_);
  EXPECT_EQ(status, 0) << std::ifstream(process->folder_ / "log").rdbuf();
  if (status != 0) return nullptr;
  std::signal(SIGPIPE, SIG_IGN);  // that it has ended is a failure with words
  std::array<int, 2> request{}, answer{};
  if (pipe2(request.data(), O_CLOEXEC) != 0 || pipe2(answer.data(), O_CLOEXEC) != 0) return nullptr;
  const std::string root = SystemRoot(emulator);
  process->child_ = fork();
  if (process->child_ == 0) {
    dup2(request[0], STDIN_FILENO);
    dup2(answer[1], STDOUT_FILENO);
    execlp(emulator.program.c_str(), emulator.program.c_str(), "-cpu", emulator.cpu.c_str(), "-L",
           root.c_str(), harness.c_str(), kernels.c_str(), nullptr);
    _exit(127);
  }
  close(request[0]);
  close(answer[1]);
  process->to_ = request[1];
  process->from_ = answer[0];
  return process;
}

ForeignProcess::~ForeignProcess() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  int status = 0;
  if (child_ > 0 && waitpid(child_, &status, 0) == child_) EXPECT_EQ(status, 0) << "the emulated process";
  std::error_code error;
  fs::remove_all(folder_, error);
}

runtime::CpuKernelPtr ForeignProcess::KernelOf(const runtime::CpuStep& step) {
  return std::make_shared<ForeignKernel>(shared_from_this(), step);
}

void ForeignProcess::Send(const void* from, size_t bytes) const {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t sent = write(to_, at, bytes);
    COSIM_CHECK(sent > 0, "the emulated process takes no more");
    at += sent;
    bytes -= static_cast<size_t>(sent);
  }
}

void ForeignProcess::Receive(void* to, size_t bytes) const {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t received = read(from_, at, bytes);
    COSIM_CHECK(received > 0, "the emulated process has ended");
    at += received;
    bytes -= static_cast<size_t>(received);
  }
}

}  // namespace cosim::import
