# SPDX-License-Identifier: Apache-2.0
# From the exported files to a bitstream: a Vivado project with the board's processor, the accelerator between its ports,
# clock, reset, interrupt and addresses, then synthesis, implementation and reports.
#
#     vivado -mode batch -source vivado/build.tcl
#
# Vivado itself has not run this script: whoever wrote it had none. A test runs it under tclsh with commands that
# record what it asks for, and checks names, pins and connections.
set here [file dirname [file normalize [info script]]]
source $here/settings.tcl
source $here/board.tcl
file delete $here/out/cosim.bit

create_project -force cosim $here/project -part $part
set_property ip_repo_paths [file dirname $here] [current_project]
update_ip_catalog

# ---- Cells.
create_bd_design system
create_bd_cell -type ip -vlnv $processor ps
set_property -dict [processor_settings $processor_mhz $port_bits $ports] [get_bd_cells ps]
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
create_bd_cell -type ip -vlnv $component accelerator
create_bd_cell -type ip -vlnv xilinx.com:ip:axi_protocol_converter registers
set_property CONFIG.MI_PROTOCOL AXI4LITE [get_bd_cells registers]

# ---- One clock, one reset.
set clock [accelerator_clock $processor_mhz $clock_mhz]
connect_bd_net $clock [get_bd_pins reset/slowest_sync_clk]
connect_bd_net [get_bd_pins ps/$processor_reset] [get_bd_pins reset/ext_reset_in]
set reset [get_bd_pins reset/peripheral_aresetn]
connect_bd_net $clock [get_bd_pins accelerator/aclk]
connect_bd_net $reset [get_bd_pins accelerator/aresetn]

# ---- Registers.
connect_bd_net $clock [get_bd_pins ps/$control_clock]
connect_bd_net $clock [get_bd_pins registers/aclk]
connect_bd_net $reset [get_bd_pins registers/aresetn]
connect_bd_intf_net [get_bd_intf_pins ps/$control] [get_bd_intf_pins registers/S_AXI]
connect_bd_intf_net [get_bd_intf_pins registers/M_AXI] [get_bd_intf_pins accelerator/s_axi]
assign_bd_address -offset $registers_address -range $registers_bytes \
  -target_address_space [get_bd_addr_spaces ps/Data] [get_bd_addr_segs accelerator/s_axi/reg0]
connect_bd_net [get_bd_pins accelerator/interrupt] [get_bd_pins ps/$processor_interrupt]

# ---- Memory: each port of the accelerator at one of the processor's.
for {set port 0} {$port < $ports} {incr port} {
  set interface accelerator/[lindex $memory_interfaces $port]
  create_bd_cell -type ip -vlnv $adapter memory_$port
  set_property -dict $adapter_settings [get_bd_cells memory_$port]
  connect_bd_net $clock [get_bd_pins memory_$port/aclk]
  connect_bd_net $reset [get_bd_pins memory_$port/aresetn]
  connect_bd_net $clock [get_bd_pins ps/[memory_clock $port]]
  connect_bd_intf_net [get_bd_intf_pins $interface] [get_bd_intf_pins memory_$port/S_AXI]
  connect_bd_intf_net [get_bd_intf_pins memory_$port/M_AXI] [get_bd_intf_pins ps/[memory_port $port]]
  assign_bd_address -offset 0x0 -range $memory_bytes \
    -target_address_space [get_bd_addr_spaces $interface] [get_bd_addr_segs ps/[memory_segment $port]]
}

# ---- Pins of the processor that leave the device.
foreach pins $external {
  make_bd_intf_pins_external [get_bd_intf_pins ps/$pins]
}
validate_bd_design
save_bd_design

# ---- The bitstream.
make_wrapper -files [get_files system.bd] -top -import
set_property top system_wrapper [current_fileset]
update_compile_order -fileset sources_1
launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
set run [get_runs impl_1]
if {[get_property PROGRESS $run] ne "100%"} {
  error "implementation ended at [get_property PROGRESS $run]: [get_property STATUS $run]"
}

# ---- Reports, then the files that a board takes.
file mkdir $here/out
open_run impl_1
report_utilization -hierarchical -file $here/out/utilization.txt
report_timing_summary -file $here/out/timing.txt
set setup [get_property STATS.WNS $run]
set hold [get_property STATS.WHS $run]
if {$setup < 0 || $hold < 0} {
  error "timing is not met at $clock_mhz MHz: setup $setup ns, hold $hold ns; see $here/out/timing.txt"
}
file copy -force [get_property DIRECTORY $run]/system_wrapper.bit $here/out/cosim.bit
puts "$here/out/cosim.bit: $clock_mhz MHz, worst slack $setup ns (setup), $hold ns (hold)"
