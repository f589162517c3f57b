// SPDX-License-Identifier: Apache-2.0
// Specs and decoded instructions made by hand, with only what timing reads: tests of timing rules need no
// YAML and choose every number themselves.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"

namespace cosim::sim::testing {

/// A spec without units: 64-bit port, 128-bit words, latency 20, write latency 10, 8 outstanding, bursts of
/// 16 beats.
isa::Spec EmptySpec();
/// Adds a unit (32 commands, buffer of 64 beats) with one format for each kind, and sync; its index.
int AddUnit(isa::Spec& spec, const std::string& name, const std::vector<isa::Kind>& kinds, bool overlap,
            int latency);
int AddQueue(isa::Spec& spec, const std::string& name, int from, int to, int capacity);
int AddMemory(isa::Spec& spec, const std::string& name, int64_t stored_bytes, int banks = 1);
int AddAluOp(isa::Spec& spec, int initiation_interval);

/// cosim.yaml in small: load, gemm, alu, store; memories inp (8 bytes, 4 banks), wgt (128), acc (32, 4
/// banks), out (8).
isa::Spec CosimLike();
/// vta.yaml in small: load, compute, store, none overlapping; memories inp (8), wgt (128), acc (32), out (8).
isa::Spec VtaLike();

/// Instructions of `unit` without tokens and locks.
isa::Decoded Load(const isa::Spec& spec, int unit, const isa::Transfer& transfer);
isa::Decoded Store(const isa::Spec& spec, int unit, const isa::Transfer& transfer);
isa::Decoded Gemm(const isa::Spec& spec, int unit, int64_t steps);
isa::Decoded Alu(const isa::Spec& spec, int unit, int op, int64_t steps);
isa::Decoded Sync(const isa::Spec& spec, int unit);
/// The same with tokens, by name of the queue.
isa::Decoded Pops(const isa::Spec& spec, isa::Decoded instruction, const std::string& queue);
isa::Decoded Pushes(const isa::Spec& spec, isa::Decoded instruction, const std::string& queue);
isa::Decoded Locks(const isa::Spec& spec, isa::Decoded instruction, const std::string& memory,
                   uint32_t banks);

}  // namespace cosim::sim::testing
