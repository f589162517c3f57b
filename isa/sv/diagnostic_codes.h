// SPDX-License-Identifier: Apache-2.0
// The codes of everything that making or sizing the hardware of a spec can be refused for; E0702 and above
// are used in sim. Stable, as those of isa/diagnostic_codes.h; docs/reference/diagnostics.md is the
// same list, held equal by a test.
#pragma once

namespace cosim::isa {

/// One line a code: constant, code, meaning.
#define COSIM_RTL_DIAGNOSTICS(X)                                                                            \
  X(kNoRtl, "E0701", "a spec that the simulators run but the RTL has no module for")                        \
  X(kNoRtlProgram, "E0702", "a program that building the RTL needs is not installed")                       \
  X(kRtlRejected, "E0703", "Verilator or the C++ compiler rejects the RTL; a bug")                          \
  X(kNoRtlCache, "E0704", "the folder of built models cannot be written, or others could write to it")      \
  X(kNetlistRejected, "E0705", "Yosys rejects the RTL; a bug")                                              \
  X(kNoDevice, "E0706", "a board whose device is not known")                                                \
  X(kForeignModel, "E0707", "a model in the cache that cannot be loaded, as one built for another machine") \
  X(kNoPlaceTools, "E0708", "nextpnr for Xilinx 7 has not been fetched")                                    \
  X(kNoBlock, "E0709", "a block for `synth --block` that the design does not have")                         \
  X(kPlaceFailed, "E0710", "Yosys or nextpnr fails on a block, runs too long or leaves no report")          \
  X(kBoardPorts, "E0711", "memory ports that the board does not have: too many, too wide, bursts too long")

#define COSIM_DECLARE_CODE(name, code, meaning) inline constexpr char name[] = code;
namespace codes {
COSIM_RTL_DIAGNOSTICS(COSIM_DECLARE_CODE)
}  // namespace codes
#undef COSIM_DECLARE_CODE

}  // namespace cosim::isa
