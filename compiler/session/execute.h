// SPDX-License-Identifier: Apache-2.0
// What every experiment does once it has a network, wherever that came from: verify, run, compare. session.h
// and module.h are the ways in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/session/session.h"
#include "runtime/frames.h"

namespace cosim::session {

/// Adds the CPU time of a scope.
class CpuTimer {
 public:
  explicit CpuTimer(double& total) : total_(total), start_(runtime::CpuSeconds()) {}
  ~CpuTimer() { total_ += runtime::CpuSeconds() - start_; }

 private:
  double& total_;
  double start_;
};

std::vector<uint8_t> BytesOf(const graph::Tensor& tensor);

/// The values of a graph's inputs as a frame hands them over: images with their channels last where the
/// network takes them so.
std::vector<std::vector<uint8_t>> HandedOver(const std::vector<graph::Tensor>& inputs,
                                             const std::vector<runtime::Place>& places);
double PeakRssMb();

/// Verifies result.network and fills in its sums. False, and `error` set, when the verifier objects.
bool VerifyInto(const isa::Spec& spec, const Options& options, Result& result, std::string& error);

/// Runs result.network, frame i on inputs[i % inputs.size()]; fills in run, frames and host costs. Gives the
/// outputs of every frame, none when only timing. `inspect` sees the device after the run of a single frame.
/// Nothing, and `error` set, when the device cannot be had or stops.
std::optional<std::vector<std::vector<std::vector<uint8_t>>>> RunFrames(
    const isa::Spec& spec, const Options& options, const std::vector<runtime::FrameInputs>& inputs,
    Result& result, std::string& error, const std::function<void(runtime::Device&)>& inspect = {});

/// Compares plain arrays of the place's type, as its tolerance says.
Compared Compare(const runtime::Place& place, const std::vector<uint8_t>& bytes,
                 const std::vector<uint8_t>& expected);
/// Fills in type, element size, quantization and tolerance of the inputs, outputs and kept values; and what
/// the file says of them, when `graph` is that of a model (or null).
void DescribePlaces(const graph::Graph& graph, const import::Model* model, runtime::Network& network);

/// Adds one frame's outputs to result.outputs.
void CompareOutputs(const std::vector<std::vector<uint8_t>>& outputs,
                    const std::vector<std::vector<uint8_t>>& expected, Result& result);

}  // namespace cosim::session
