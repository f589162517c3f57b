# SPDX-License-Identifier: Apache-2.0
# Pynq-Z1, Pynq-Z2: a Zynq-7000. Its memory ports HP0 to HP3 and its general port are AXI3, hence the converters. DRAM is
# said for the size of the address map alone: the image's boot loader has set up memory and pins before logic is loaded.
set processor xilinx.com:ip:processing_system7
set processor_reset FCLK_RESET0_N
set processor_interrupt IRQ_F2P
set control M_AXI_GP0
set control_clock M_AXI_GP0_ACLK
set external {DDR FIXED_IO}

# Bursts are of at most 16 beats, which AXI3 takes as they are: nothing has to be split.
set adapter xilinx.com:ip:axi_protocol_converter
set adapter_settings {CONFIG.MI_PROTOCOL AXI3 CONFIG.TRANSLATION_MODE 0}

# The processor gives the accelerator's clock.
proc accelerator_clock {processor_mhz clock_mhz} { return [get_bd_pins ps/FCLK_CLK0] }

proc memory_port {port} { return S_AXI_HP$port }
proc memory_clock {port} { return S_AXI_HP${port}_ACLK }
proc memory_segment {port} { return S_AXI_HP$port/HP${port}_DDR_LOWOCM }

proc processor_settings {processor_mhz port_bits ports} {
  set settings [list \
    CONFIG.PCW_CRYSTAL_PERIPHERAL_FREQMHZ 50 \
    CONFIG.PCW_APU_PERIPHERAL_FREQMHZ 650 \
    CONFIG.PCW_UIPARAM_DDR_PARTNO {MT41K256M16 RE-125} \
    CONFIG.PCW_UIPARAM_DDR_BUS_WIDTH {16 Bit} \
    CONFIG.PCW_UIPARAM_DDR_FREQ_MHZ 525 \
    CONFIG.PCW_EN_CLK0_PORT 1 \
    CONFIG.PCW_EN_RST0_PORT 1 \
    CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $processor_mhz \
    CONFIG.PCW_USE_M_AXI_GP0 1 \
    CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
    CONFIG.PCW_IRQ_F2P_INTR 1]
  for {set port 0} {$port < $ports} {incr port} {
    lappend settings CONFIG.PCW_USE_S_AXI_HP$port 1 CONFIG.PCW_S_AXI_HP${port}_DATA_WIDTH $port_bits
  }
  return $settings
}
