# SPDX-License-Identifier: Apache-2.0
# vivado_stub.tcl DIR: runs DIR/vivado/build.tcl with commands that only record. What Vivado would refuse is an error
# here as far as it is written down below: commands, cells, pins, properties and their values, directions, protocols and
# widths of what is connected, clocks, resets, addresses, the order of the flow. The pins of the accelerator are read
# from DIR/component.xml. Prints the block design and exits with 0, or the first mistake and exits with 1.

set folder [file normalize [lindex $argv 0]]

proc refuse {what} { error "REFUSED: $what" }
proc need {condition what} { if {![uplevel 1 [list expr $condition]]} { refuse [uplevel 1 [list subst $what]] } }

# ---- What there is. Pins: name, direction. Interfaces: name, mode, protocol, width, clock. An empty protocol or width
# is taken from the other end. What depends on a cell's settings is worked out by [pins_of] and [interfaces_of].
array set defaults {
  processing_system7 {PCW_USE_M_AXI_GP0 0 PCW_EN_CLK0_PORT 0 PCW_EN_RST0_PORT 0 PCW_USE_FABRIC_INTERRUPT 0
    PCW_IRQ_F2P_INTR 0 PCW_FPGA0_PERIPHERAL_FREQMHZ 50 PCW_CRYSTAL_PERIPHERAL_FREQMHZ 33.333333
    PCW_APU_PERIPHERAL_FREQMHZ 666.666666 PCW_UIPARAM_DDR_PARTNO {MT41J256M8 HX-15E} PCW_UIPARAM_DDR_BUS_WIDTH {32 Bit}
    PCW_UIPARAM_DDR_FREQ_MHZ 533.333333 PCW_USE_S_AXI_HP0 0 PCW_USE_S_AXI_HP1 0 PCW_USE_S_AXI_HP2 0
    PCW_USE_S_AXI_HP3 0 PCW_S_AXI_HP0_DATA_WIDTH 64 PCW_S_AXI_HP1_DATA_WIDTH 64 PCW_S_AXI_HP2_DATA_WIDTH 64
    PCW_S_AXI_HP3_DATA_WIDTH 64}
  zynq_ultra_ps_e {PSU__FPGA_PL0_ENABLE 0 PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ 100 PSU__USE__M_AXI_GP0 0
    PSU__USE__M_AXI_GP1 1 PSU__USE__M_AXI_GP2 1 PSU__MAXIGP0__DATA_WIDTH 128 PSU__USE__IRQ0 0 PSU__USE__S_AXI_GP2 0
    PSU__USE__S_AXI_GP3 0 PSU__USE__S_AXI_GP4 0 PSU__USE__S_AXI_GP5 0 PSU__SAXIGP2__DATA_WIDTH 128
    PSU__SAXIGP3__DATA_WIDTH 128 PSU__SAXIGP4__DATA_WIDTH 128 PSU__SAXIGP5__DATA_WIDTH 128}
  proc_sys_reset {}
  clk_wiz {PRIM_SOURCE Single_ended_clock_capable_pin PRIM_IN_FREQ 100.000 CLKOUT1_REQUESTED_OUT_FREQ 100.000
    USE_RESET true USE_LOCKED true}
  axi_protocol_converter {MI_PROTOCOL AXI4 TRANSLATION_MODE 2}
  axi_register_slice {REG_R 0 REG_W 0}
}

proc of {cell key} { return $::config($cell,$key) }

# Of the processor's memory port `hp`: whether it is there, width, interface, clock, protocol.
proc memory_port_of {cell hp} {
  if {$::kind($cell) eq "processing_system7"} {
    return [list [of $cell PCW_USE_S_AXI_HP$hp] [of $cell PCW_S_AXI_HP${hp}_DATA_WIDTH] S_AXI_HP$hp S_AXI_HP${hp}_ACLK AXI3]
  }
  set slave [expr {$hp + 2}]
  return [list [of $cell PSU__USE__S_AXI_GP$slave] [of $cell PSU__SAXIGP${slave}__DATA_WIDTH] S_AXI_HP${hp}_FPD saxihp${hp}_fpd_aclk AXI4]
}

proc pins_of {cell} {
  set pins {}
  switch $::kind($cell) {
    processing_system7 {
      if {[of $cell PCW_EN_CLK0_PORT]} { lappend pins FCLK_CLK0 clock_out }
      if {[of $cell PCW_EN_RST0_PORT]} { lappend pins FCLK_RESET0_N reset_out }
      if {[of $cell PCW_USE_FABRIC_INTERRUPT] && [of $cell PCW_IRQ_F2P_INTR]} { lappend pins IRQ_F2P interrupt_in }
      if {[of $cell PCW_USE_M_AXI_GP0]} { lappend pins M_AXI_GP0_ACLK clock_in }
    }
    zynq_ultra_ps_e {
      if {[of $cell PSU__FPGA_PL0_ENABLE]} { lappend pins pl_clk0 clock_out pl_resetn0 reset_out }
      if {[of $cell PSU__USE__IRQ0]} { lappend pins pl_ps_irq0 interrupt_in }
      if {[of $cell PSU__USE__M_AXI_GP0]} { lappend pins maxihpm0_fpd_aclk clock_in }
      if {[of $cell PSU__USE__M_AXI_GP1]} { lappend pins maxihpm1_fpd_aclk clock_in }
      if {[of $cell PSU__USE__M_AXI_GP2]} { lappend pins maxihpm0_lpd_aclk clock_in }
    }
    proc_sys_reset {
      set pins {slowest_sync_clk clock_in ext_reset_in reset_in peripheral_aresetn reset_out interconnect_aresetn reset_out
        dcm_locked locked_in}
    }
    clk_wiz {
      set pins {clk_in1 reference_in clk_out1 clock_out}
      if {[of $cell USE_RESET]} { lappend pins reset reset_in }
      if {[of $cell USE_LOCKED]} { lappend pins locked locked_out }
    }
    axi_protocol_converter - axi_register_slice { set pins {aclk clock_in aresetn reset_in} }
    component { set pins {aclk clock_in aresetn reset_in interrupt interrupt_out} }
  }
  if {$::kind($cell) in {processing_system7 zynq_ultra_ps_e}} {
    foreach hp {0 1 2 3} {
      lassign [memory_port_of $cell $hp] used - - clock
      if {$used} { lappend pins $clock clock_in }
    }
  }
  return $pins
}

proc interfaces_of {cell} {
  set all {}
  switch $::kind($cell) {
    processing_system7 {
      lappend all {DDR master DDR 0 {}} {FIXED_IO master FIXED_IO 0 {}}
      if {[of $cell PCW_USE_M_AXI_GP0]} { lappend all {M_AXI_GP0 master AXI3 32 M_AXI_GP0_ACLK} }
    }
    zynq_ultra_ps_e {
      if {[of $cell PSU__USE__M_AXI_GP0]} {
        lappend all [list M_AXI_HPM0_FPD master AXI4 [of $cell PSU__MAXIGP0__DATA_WIDTH] maxihpm0_fpd_aclk]
      }
    }
    axi_protocol_converter {
      lappend all {S_AXI slave {} {} aclk} [list M_AXI master [of $cell MI_PROTOCOL] {} aclk]
    }
    axi_register_slice { lappend all {S_AXI slave {} {} aclk} {M_AXI master {} {} aclk} }
    component { set all $::component_interfaces }
  }
  if {$::kind($cell) in {processing_system7 zynq_ultra_ps_e}} {
    foreach hp {0 1 2 3} {
      lassign [memory_port_of $cell $hp] used width name clock protocol
      if {$used} { lappend all [list $name slave $protocol $width $clock] }
    }
  }
  return $all
}

proc interface_of {path} {
  lassign [split $path /] cell name
  foreach interface [interfaces_of $cell] { if {[lindex $interface 0] eq $name} { return $interface } }
  refuse "there is no interface pin $path"
}

# Name, mode, protocol, width and clock of the component's AXI interfaces.
proc read_component {file} {
  set channel [open $file]
  set text [read $channel]
  close $channel
  set text [string range $text 0 [string first </spirit:busInterfaces> $text]]
  foreach part {vendor library name version} {
    need {[regexp "<spirit:$part>(\[^<\]*)<" $text - found]} "component.xml has no $part"
    lappend vlnv $found
  }
  set ::component_vlnv [join $vlnv :]
  set ::component_interfaces {}
  foreach body [lrange [split [string map [list <spirit:busInterface> \x01] $text] \x01] 1 end] {
    regexp {<spirit:name>([^<]*)<} $body - name
    set value [dict create]
    set parameters [string range $body [string first <spirit:parameters> $body] end]
    foreach {- key of} [regexp -all -inline {<spirit:name>(\w+)</spirit:name>\s*<spirit:value [^>]*>([^<]*)<} $parameters] {
      dict set value $key $of
    }
    if {![dict exists $value PROTOCOL]} continue
    set mode [expr {[string first <spirit:master> $body] >= 0 ? "master" : "slave"}]
    lappend ::component_interfaces [list $name $mode [dict get $value PROTOCOL] [dict get $value DATA_WIDTH] aclk]
  }
}

# ---- Projects and cells.
proc create_project {args} {
  need {[lindex $args 0] eq "-force" && [lindex $args 3] eq "-part"} {create_project $args}
  set ::part [lindex $args 4]
  need {$::part in {xc7z020clg400-1 xczu3eg-sbva484-1-i}} {part $::part}
  file mkdir [lindex $args 2]
  set ::project [lindex $args 2]
}
proc current_project {} { return project }
proc update_ip_catalog {} {
  need {[info exists ::repository]} {the catalog is updated before it has a folder}
  read_component $::repository/component.xml
}
proc create_bd_design {name} { set ::design $name }
proc create_bd_cell {args} {
  need {[lrange $args 0 2] eq {-type ip -vlnv} && [llength $args] == 5} {create_bd_cell $args}
  lassign [lrange $args 3 4] vlnv name
  need {[info exists ::design] && ![info exists ::kind($name)]} {cell $name}
  if {[info exists ::component_vlnv] && $vlnv eq $::component_vlnv} {
    set ::kind($name) component
    return $name
  }
  lassign [split $vlnv :] vendor library type
  need {$vendor eq "xilinx.com" && $library eq "ip" && [info exists ::defaults($type)]} {no IP $vlnv}
  set expected [expr {[string match xc7z* $::part] ? "processing_system7" : "zynq_ultra_ps_e"}]
  need {$type ni {processing_system7 zynq_ultra_ps_e} || $type eq $expected} {$type is not on $::part}
  set ::kind($name) $type
  foreach {key value} $::defaults($type) { set ::config($name,$key) $value }
  return $name
}
proc set_property {args} {
  if {[lindex $args 0] eq "-dict"} {
    lassign $args - settings object
  } else {
    lassign $args key value object
    set settings [list $key $value]
  }
  need {$object ne ""} {set_property without an object}
  foreach {key value} $settings {
    if {$object eq "project"} {
      need {$key eq "ip_repo_paths"} {property $key of a project}
      set ::repository $value
    } elseif {$object eq "sources"} {
      need {$key eq "top" && [info exists ::wrapper] && $value eq $::wrapper} {top $value}
      set ::top $value
    } else {
      need {[regsub {^CONFIG\.} $key {} name] && [info exists ::config($object,$name)]} {cell $object has no $key}
      set ::config($object,$name) $value
    }
  }
}
proc get_bd_cells {name} {
  need {[info exists ::kind($name)]} {there is no cell $name}
  return $name
}
proc get_bd_pins {path} {
  lassign [split $path /] cell pin
  need {[info exists ::kind($cell)]} {there is no cell $cell}
  need {[dict exists [pins_of $cell] $pin]} {there is no pin $path}
  return $path
}
proc get_bd_intf_pins {path} {
  need {[info exists ::kind([lindex [split $path /] 0])]} {there is no cell of $path}
  interface_of $path
  return $path
}
proc connect_bd_net {args} {
  need {[llength $args] == 2} {connect_bd_net $args}
  lassign $args from to
  lassign [split $from /] source out
  lassign [split $to /] target in
  set gives [dict get [pins_of $source] $out]
  set takes [dict get [pins_of $target] $in]
  if {$takes eq "reference_in"} { set takes clock_in }
  need {[string map {_out _in} $gives] eq $takes && $gives ne $takes} {$from ($gives) does not drive $to ($takes)}
  need {![info exists ::net($to)]} {$to is driven twice}
  set ::net($to) $from
}
proc connect_bd_intf_net {from to} {
  need {[lindex [interface_of $from] 1] eq "master" && [lindex [interface_of $to] 1] eq "slave"} {$from to $to}
  need {![info exists ::bus($from)] && ![info exists ::back($to)]} {$from or $to is connected twice}
  set ::bus($from) $to
  set ::back($to) $from
}
proc make_bd_intf_pins_external {path} { set ::bus($path) external }

# ---- Addresses.
proc get_bd_addr_spaces {path} {
  if {$path ne "ps/Data"} { need {[lindex [interface_of $path] 1] eq "master"} {address space $path} }
  return $path
}
proc get_bd_addr_segs {path} {
  lassign [split $path /] cell interface segment
  if {$cell eq "ps"} {
    if {$::kind(ps) eq "processing_system7"} {
      need {[regexp {^S_AXI_HP(\d)$} $interface - hp] && $segment eq "HP${hp}_DDR_LOWOCM"} {segment $path}
      set interface S_AXI_HP$hp
    } else {
      need {[regexp {^SAXIGP(\d)$} $interface - slave] && $segment eq "HP[expr {$slave - 2}]_DDR_LOW"} {segment $path}
      set interface S_AXI_HP[expr {$slave - 2}]_FPD
    }
    interface_of ps/$interface
    return ps/$interface
  }
  need {$interface eq "s_axi" && $segment eq "reg0"} {segment $path}
  interface_of $cell/$interface
  return $cell/$interface
}
proc assign_bd_address {args} {
  need {[llength $args] == 7} {assign_bd_address $args}
  array set option [lrange $args 0 5]
  set segment [lindex $args 6]
  need {$option(-range) >= 4096 && $option(-offset) % $option(-range) == 0} {range of $segment}
  set ::address($option(-target_address_space),$segment) [list $option(-offset) $option(-range)]
}

# ---- The checks of a whole design.
proc end_of {master} {
  while {[info exists ::bus($master)]} {
    lassign [split $::bus($master) /] cell
    if {$::kind($cell) ni {axi_protocol_converter axi_register_slice}} { return $::bus($master) }
    set master $cell/M_AXI
  }
  return ""
}
# Protocol and width of what comes out at an interface, through converters.
proc protocol_of {path} {
  lassign [interface_of $path] - mode protocol width
  lassign [split $path /] cell
  if {$mode eq "master" && [info exists ::back($cell/S_AXI)] && $cell ni {ps accelerator}} {
    lassign [protocol_of $::back($cell/S_AXI)] before before_width
    if {$protocol eq ""} { set protocol $before }
    if {$width eq ""} { set width $before_width }
  }
  return [list $protocol $width]
}
proc validate_bd_design {} {
  set clocks {}
  foreach cell [array names ::kind] {
    foreach {pin direction} [pins_of $cell] {
      if {$direction in {clock_in reset_in interrupt_in reference_in}} {
        need {[info exists ::net($cell/$pin)]} {$direction $cell/$pin is not connected}
        if {$direction eq "clock_in"} { lappend clocks $::net($cell/$pin) }
        if {$direction eq "reset_in" && $::kind($cell) ne "proc_sys_reset"} {
          need {[string match */peripheral_aresetn $::net($cell/$pin)]} {reset of $cell is not synchronous}
        }
      }
    }
    foreach interface [interfaces_of $cell] {
      lassign $interface name mode protocol
      set path $cell/$name
      need {[info exists ::bus($path)] || [info exists ::back($path)]} {interface $path is not connected}
      need {($protocol in {DDR FIXED_IO}) == ([info exists ::bus($path)] && $::bus($path) eq "external")} {pins of $path}
      if {$mode ne "slave" || $protocol eq ""} continue
      need {[lindex [protocol_of $::back($path)] 0] eq $protocol} {$::back($path) does not speak the $protocol of $path}
      set width [lindex [protocol_of $::back($path)] 1]
      need {$width == [lindex $interface 3]} {$::back($path) has $width bits, $path has [lindex $interface 3]}
    }
  }
  need {[llength [lsort -unique $clocks]] == 1} {clocks: [lsort -unique $clocks]}
  foreach cell [array names ::kind] {
    need {$::kind($cell) ne "axi_register_slice" || [of $cell REG_R] && [of $cell REG_W]} {$cell registers nothing}
  }
  set processor [expr {$::kind(ps) eq "processing_system7" ? [of ps PCW_FPGA0_PERIPHERAL_FREQMHZ] : [of ps PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ]}]
  set clock $processor
  if {[info exists ::kind(clock)]} {
    need {[of clock PRIM_SOURCE] eq "No_buffer" && $::net(clock/clk_in1) eq "ps/pl_clk0"} {the clock manager takes a pin's clock}
    need {[of clock PRIM_IN_FREQ] == $processor} {the clock manager is for [of clock PRIM_IN_FREQ] MHz, not $processor}
    need {[info exists ::net(reset/dcm_locked)] && $::net(reset/dcm_locked) eq "clock/locked"} {reset does not wait for the clock}
    need {[lindex $clocks 0] eq "clock/clk_out1"} {nothing runs by the clock manager's clock}
    set clock [of clock CLKOUT1_REQUESTED_OUT_FREQ]
  }
  need {$clock == $::clock_mhz} {the clock is $clock MHz, not $::clock_mhz}
  set control [expr {$::kind(ps) eq "processing_system7" ? "ps/M_AXI_GP0" : "ps/M_AXI_HPM0_FPD"}]
  set from [expr {$::kind(ps) eq "processing_system7" ? 0x40000000 : 0xa0000000}]
  need {[end_of $control] eq "accelerator/s_axi"} {$control does not end at the registers}
  need {[info exists ::address(ps/Data,accelerator/s_axi)]} {the registers have no address}
  lassign $::address(ps/Data,accelerator/s_axi) offset range
  need {$offset >= $from && $offset + $range <= $from + 0x10000000} {registers at $offset, which $control does not reach}
  set masters 0
  foreach interface $::component_interfaces {
    lassign $interface name mode
    if {$mode ne "master"} continue
    incr masters
    set end [end_of accelerator/$name]
    need {[string match ps/S_AXI_HP* $end]} {accelerator/$name ends at '$end'}
    need {[info exists ::address(accelerator/$name,$end)]} {accelerator/$name has no memory at $end}
  }
  need {$masters == $::ports} {the accelerator has $masters memory ports, settings.tcl says $::ports}
  set ::validated 1
}

# ---- The flow.
proc save_bd_design {} { need {[info exists ::validated]} {the design is saved before it is validated}; set ::saved 1 }
proc get_files {name} { need {[info exists ::saved] && $name eq "$::design.bd"} {file $name}; return $name }
proc make_wrapper {args} {
  need {$args eq [list -files $::design.bd -top -import]} {make_wrapper $args}
  set ::wrapper ${::design}_wrapper
}
proc current_fileset {} { return sources }
proc update_compile_order {args} { need {[info exists ::top]} {there is no top}; set ::ordered 1 }
proc launch_runs {args} {
  need {[lrange $args 0 2] eq {impl_1 -to_step write_bitstream} && [info exists ::ordered]} {launch_runs $args}
  set ::launched 1
}
proc wait_on_run {run} {
  need {[info exists ::launched] && $run eq "impl_1"} {run $run}
  file mkdir $::project/impl_1
  close [open $::project/impl_1/$::top.bit w]
  set ::ended 1
}
proc get_runs {run} { need {$run eq "impl_1"} {run $run}; return run }
proc get_property {name object} {
  need {$object eq "run" && [info exists ::ended]} {property $name of $object}
  array set values [list PROGRESS 100% STATUS {write_bitstream Complete!} STATS.WNS $::slack STATS.WHS 0.05 \
    DIRECTORY $::project/impl_1]
  need {[info exists values($name)]} {property $name of a run}
  return $values($name)
}
proc open_run {run} { need {[info exists ::ended]} {open_run}; set ::opened 1 }
proc write_report {args} {
  need {[info exists ::opened] && [lindex $args end-1] eq "-file"} {report $args}
  close [open [lindex $args end] w]
}
proc report_utilization {args} { write_report {*}$args; lappend ::reports utilization }
proc report_timing_summary {args} { write_report {*}$args; lappend ::reports timing }

# A second argument is the slack that the run ends with.
set slack [expr {[llength $argv] > 1 ? [lindex $argv 1] : 0.1}]
if {[catch {source $folder/vivado/build.tcl} message]} {
  puts stderr $message
  exit 1
}
if {![file exists $folder/vivado/out/cosim.bit] || $reports ne {utilization timing}} {
  puts stderr "REFUSED: no bitstream, or no reports"
  exit 1
}
foreach to [lsort [array names net]] { puts "net $net($to) $to" }
foreach from [lsort [array names bus]] { puts "bus $from $bus($from)" }
foreach pair [lsort [array names address]] { puts "address $pair $address($pair)" }
