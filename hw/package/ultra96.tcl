# SPDX-License-Identifier: Apache-2.0
# Ultra96-V2: a Zynq UltraScale+. Its memory ports HP0 to HP3, which its settings count as slaves 2 to 5, are AXI4: only
# registers stand between. The image's boot loader has set up memory and pins before logic is loaded.
set processor xilinx.com:ip:zynq_ultra_ps_e
set processor_clock pl_clk0
set processor_reset pl_resetn0
set processor_interrupt pl_ps_irq0
set control M_AXI_HPM0_FPD
set control_clock maxihpm0_fpd_aclk
set external {}

set adapter xilinx.com:ip:axi_register_slice
set adapter_settings {CONFIG.REG_R 1 CONFIG.REG_W 1}

proc memory_port {port} { return S_AXI_HP${port}_FPD }
proc memory_clock {port} { return saxihp${port}_fpd_aclk }
proc memory_segment {port} { return SAXIGP[expr {$port + 2}]/HP${port}_DDR_LOW }

proc processor_settings {clock_mhz port_bits ports} {
  set settings [list \
    CONFIG.PSU__FPGA_PL0_ENABLE 1 \
    CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ $clock_mhz \
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
