// SPDX-License-Identifier: Apache-2.0
// Which instructions and ALU ops of a spec the compiler can use, and what they are good for: found from what
// they compute and move, never from their names. Where several would do, the rule beside each function picks
// one; where none does, `why` says which limit it met.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"

namespace cosim::accel {

/// Why programs cannot use a gemm or alu instruction; empty: they can. Its micro-ops have to be loadable and
/// to give every index (of `result` and `sources`), and a sum needs a way to start.
std::string Misfit(const isa::Spec& spec, const isa::InstructionFormat& format);
/// The same of an ALU op, whose operands may also have lanes that differ in this configuration.
std::string Misfit(const isa::Spec& spec, const isa::AluOp& op);

/// A gemm instruction as acc[b, o] += inp[b, k] * wgt[o, k]: memories, and the extents of its axes.
struct Contraction {
  int format = -1;
  int accumulators = -1, activations = -1, weights = -1;
  int64_t batch = 1, block_in = 1, block_out = 1;  ///< extents of b, k and o
  bool weights_by_input = false;                   ///< wgt[k, o]: an element has a row an input channel
};

/// Of the gemm instructions that fit, the one with most products a step; of equals the first. None: format
/// -1.
Contraction FindContraction(const isa::Spec& spec, std::string& why);

/// Whether elements of one memory could stand in the other: lanes and type are the same, and neither is a
/// mirror.
bool HoldAlike(const isa::Spec& spec, int a, int b);

/// A gemm instruction as acc[b, c] += inp[b, c] * wgt[c]: a product a lane, as depthwise convolutions want
/// it.
struct LaneProduct {
  int format = -1;
  int accumulators = -1, activations = -1, weights = -1;  ///< memories
};

/// The first that fits, into `accumulators`, of a memory that holds what `activations` does. None: format -1.
LaneProduct FindLaneProduct(const isa::Spec& spec, int accumulators, int activations);

/// A gemm instruction that multiplies `taps` neighbouring elements in each of `lines` rows a step, each group
/// of channels for itself, as depthwise convolutions want it (isa::RowProduct says how).
struct RowProduct {
  int format = -1;
  int64_t lines = 1, taps = 1, group = 1;
};

/// The first that fits, of the memories that `contraction` has and of elements of as many channels. None:
/// format -1.
RowProduct FindRowProduct(const isa::Spec& spec, const Contraction& contraction);

/// A memory of a function of a value: an ALU op takes accumulators' low bits as the number of an element. An
/// element for each value of so many bits, as many bits itself, by the value's bits read without a sign.
struct ValueTable {
  int memory = -1;
  int bits = 0;
};

/// The first that fits, can be loaded, and whose op writes `results` from `accumulators`. None: memory -1.
ValueTable FindValueTable(const isa::Spec& spec, int accumulators, int results);

/// An instruction that computes what another one does. Its source s stands for source sources[s] of the
/// other, and may be read from a memory of its own with elements of the same kind, which can be loaded.
struct SameWork {
  int format = -1;
  std::vector<int> sources;
};

/// The instructions that compute what the gemm instruction `format` does, into the same memory: itself, then
/// one of each other unit that has one that fits.
std::vector<SameWork> FindSameWork(const isa::Spec& spec, int format);

/// The load or store instruction for `memory`, a store also through a memory that mirrors it; with
/// `lane_bits`, only one that moves lanes of so many. Of several the one that pads most, then the one that
/// moves most; of equals the first. -1: there is none.
int FindTransfer(const isa::Spec& spec, int memory, bool is_store, int lane_bits = 0);

/// The load that gathers pieces into `memory`, of several the one with the longest steps; -1: there is none.
int FindGather(const isa::Spec& spec, int memory);

/// A memory whose elements are records of requantization parameters, one a channel, and the parts that their
/// fields play: ALU ops compute round_shift((x + bias) * multiplier, shift), in one or several steps.
struct ChannelRecord {
  int memory = -1;
  int bias = -1, multiplier = -1, shift = -1;  ///< fields
};

/// Of the records with `channels` lanes that can be loaded, the one that most ALU ops read in this way; of
/// equals the first. None: memory -1, and `why` says what is wrong with those there are, if any.
ChannelRecord FindChannelRecord(const isa::Spec& spec, int64_t channels, std::string& why);

}  // namespace cosim::accel
