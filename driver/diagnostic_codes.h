// SPDX-License-Identifier: Apache-2.0
// The codes of everything that a board, its kernel or a bitstream can be refused for. Stable, as those of
// isa/diagnostic_codes.h; docs/reference/diagnostics.md is the same list, held equal by a test.
#pragma once

namespace cosim::driver {

/// One line a code: constant, code, meaning.
#define COSIM_BOARD_DIAGNOSTICS(X)                                                                    \
  X(kBadBitstream, "E0801", "a bitstream that cannot be read, is cut off, or is none")                \
  X(kOtherPart, "E0802", "a bitstream for another part than the board's")                             \
  X(kNoManager, "E0803", "no FPGA manager that user programs can load by, nor dfx-mgr")               \
  X(kNoPermission, "E0804", "a file of the kernel's that this user may not open or write")            \
  X(kNotLoaded, "E0805", "the kernel or dfx-mgr refuses a bitstream, an overlay or a setting")        \
  X(kNoNode, "E0806", "no device of the accelerator's name")                                          \
  X(kNoMemory, "E0807", "no memory for the accelerator, too little, or where it cannot reach")        \
  X(kOtherHardware, "E0808", "the accelerator has another register map or was made for another spec") \
  X(kNoConnection, "E0809", "a board that ssh does not reach, or a connection that ends")             \
  X(kNotCopied, "E0810", "a file that cannot be copied to the board")                                 \
  X(kOtherProtocol, "E0811", "no cosim-board of this version answers there")                          \
  X(kRefusedThere, "E0812", "what the board itself refuses, or what stops there")                     \
  X(kOtherClock, "E0813", "the clock for the logic is not the configuration's")

#define COSIM_DECLARE_CODE(name, code, meaning) inline constexpr char name[] = code;
namespace codes {
COSIM_BOARD_DIAGNOSTICS(COSIM_DECLARE_CODE)
}  // namespace codes
#undef COSIM_DECLARE_CODE

}  // namespace cosim::driver
