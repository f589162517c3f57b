# SPDX-License-Identifier: Apache-2.0
# Four matrix products under isa/cosim.yaml and configs/tiny.yaml: loads a 4x4 weight tile and four activation vectors,
# multiplies, narrows the accumulators to int8 and stores them. Assemble it, or ask `cosim check` about its tokens.
.isa cosim
.dram 0x10000
.code 0x8000
.instructions code 0x8000
.micro_ops uops 0x1000 {
  gemm_uop
  alu_uop
}
.constants weights 0x2000 {
  01 00 00 00
  00 01 00 00
  00 00 01 00
  00 00 00 01
}

load_gemm_uop dram=0x1000 rows=1 cols=1
load_alu_uop dram=0x1004 rows=1 cols=1 push(load_to_alu)
load_wgt dram=0x2000 rows=1 cols=1
load_inp lock_inp=0b00010000 dram=0x4000 rows=1 cols=4 push(load_to_gemm)
gemm overwrite=1 lock_acc=0b0001 lock_inp=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 pop(load_to_gemm) push(gemm_to_alu)
alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127 pop(load_to_alu, gemm_to_alu) push(alu_to_store)
store_out dram=0x6000 rows=1 cols=4 pop(alu_to_store)
