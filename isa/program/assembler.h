// SPDX-License-Identifier: Apache-2.0
// Program text to Program. isa/program/disassembler.h writes the same language; between them nothing is lost.
//
// The text is read line by line; `#` starts a comment. Numbers are decimal, 0x… or 0b…, with a minus sign if
// negative. Names that are no identifiers are written in double quotes, with \" and \\ inside.
//
//   .isa cosim                         checked against the spec, may be left out
//   .fingerprint 0123456789abcdef      of the spec the program was made for; the spec's own when left out
//   .dram 0x24000                      bytes of DRAM the program may touch; required
//   .code 0x20000                      where the instructions stand; required
//   .instructions code 0x20000         a segment that holds the encoded instructions
//   .micro_ops uops 0x1000 {           a segment of micro-ops, one a line, or hexadecimal bytes
//     gemm_uop dst=1 src=2 wgt=3
//     bytes 00 ff
//   }
//   .constants weights 0x2000 {        a segment of bytes (`.instructions` may have such a block, too)
//     00 01 02 03
//   }
//   load_inp sram=16 dram=0x4000 rows=3 cols=4 stride=5 pop(gemm_to_load) push(load_to_gemm)
//   gemm lock_acc=0b0011 uop=[0,9) iter_out=1 iter_in=14 dst_in=1
//   alu op=requant uop=[0,1) iter_out=1 iter_in=14 shift=3
//
// An instruction is its mnemonic, its fields in any order (those left out are 0), and the queues it pops and
// pushes. uop=[b,e) stands for uop_begin=b uop_end=e; `op` takes the op's name or code. Directives may stand
// between instructions.
#pragma once

#include <optional>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/program/program.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"

namespace cosim::isa {

struct Assembly {
  Program program;
  std::vector<SourceLoc> locations;  ///< of each instruction
};

/// Reports every mistake it finds (codes E06xx); nothing if there is any.
std::optional<Assembly> Assemble(const Spec& spec, const SourceText& source, Diagnostics& diags);

}  // namespace cosim::isa
