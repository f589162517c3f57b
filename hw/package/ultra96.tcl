# SPDX-License-Identifier: Apache-2.0
# Ultra96-V2: a Zynq UltraScale+. Its memory ports HP0 to HP3, which its settings count as slaves 2 to 5, are AXI4: only
# registers stand between. The image's boot loader has set up memory and pins before logic is loaded.
set processor xilinx.com:ip:zynq_ultra_ps_e
set processor_reset pl_resetn0
set processor_interrupt pl_ps_irq0
set control M_AXI_HPM0_FPD
set control_clock maxihpm0_fpd_aclk
set external {}

set adapter xilinx.com:ip:axi_register_slice
set adapter_settings {CONFIG.REG_R 1 CONFIG.REG_W 1}

# The processor's clock for logic is of 1,500 MHz by a whole number; a clock manager makes the accelerator's of it.
proc accelerator_clock {processor_mhz clock_mhz} {
  create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz clock
  set_property -dict [list \
    CONFIG.PRIM_SOURCE No_buffer \
    CONFIG.PRIM_IN_FREQ $processor_mhz \
    CONFIG.CLKOUT1_REQUESTED_OUT_FREQ $clock_mhz \
    CONFIG.USE_RESET false] [get_bd_cells clock]
  connect_bd_net [get_bd_pins ps/pl_clk0] [get_bd_pins clock/clk_in1]
  connect_bd_net [get_bd_pins clock/locked] [get_bd_pins reset/dcm_locked]
  return [get_bd_pins clock/clk_out1]
}

proc memory_port {port} { return S_AXI_HP${port}_FPD }
proc memory_clock {port} { return saxihp${port}_fpd_aclk }
proc memory_segment {port} { return SAXIGP[expr {$port + 2}]/HP${port}_DDR_LOW }

proc processor_settings {processor_mhz port_bits ports} {
  set settings [list \
    CONFIG.PSU__FPGA_PL0_ENABLE 1 \
    CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ $processor_mhz \
    CONFIG.PSU__USE__M_AXI_GP0 1 \
    CONFIG.PSU__MAXIGP0__DATA_WIDTH 32 \
    CONFIG.PSU__USE__M_AXI_GP1 0 \
    CONFIG.PSU__USE__M_AXI_GP2 0 \
    CONFIG.PSU__USE__IRQ0 1]
  for {set port 0} {$port < $ports} {incr port} {
    set slave [expr {$port + 2}]
    lappend settings CONFIG.PSU__USE__S_AXI_GP$slave 1 CONFIG.PSU__SAXIGP${slave}__DATA_WIDTH $port_bits
  }
  return $settings
}
