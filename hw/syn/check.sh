#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh FOLDER: lint of the accelerator whose generated SystemVerilog is in FOLDER. Verilator with all warnings, then
# Yosys: no undriven or doubly driven net, no latch. Sizes and paths are not this script's.
set -eu
generated=$1
rtl=$(dirname "$0")/../rtl

verilator --lint-only -Wall -y "$generated" -y "$rtl" --top-module cosim_top \
  "$generated/cosim_pkg.sv" "$generated/cosim_top.sv"

# The package first: Yosys resolves names in the order of the files. They are arguments: in a script, a folder's name
# could end the command.
set -- "$generated/cosim_pkg.sv"
for file in "$rtl"/*.sv "$generated"/*.sv; do
  [ "$file" = "$generated/cosim_pkg.sv" ] || set -- "$@" "$file"
done
yosys -q -f "verilog -sv" -p "
  hierarchy -check -top cosim_top
  proc
  select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr
  opt_clean
  check -assert
" "$@"
echo "clean: $generated"
