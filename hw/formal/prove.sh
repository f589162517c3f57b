#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# prove.sh [BLOCK]: proves the properties of hw/formal/*_formal.sv with yosys-smtbmc and z3 and prints a table; exit
# status 1 if anything failed. What the properties say is the harnesses' business.
#
# Each proof is a k-induction: the base case from reset, with the assumptions checked to be satisfiable, then the step;
# then every cover statement must be reached, so that the assumptions shut nothing out. The mutants are copies of a
# block with one line spoiled: a counterexample from reset must be found for each.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../rtl
only=${1:-}
limit=${FORMAL_TIME_LIMIT:-300}  # seconds for one run of the solver
ulimit -v 6000000  # KiB: a solver that loses its way fails instead of taking the machine along
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# model FOLDER BLOCK PARAMETERS MODULES: the SMT model of BLOCK's harness, with MODULES read from FOLDER.
model() {
  sources="$here/$2_formal.sv"
  for module in $4; do sources="$sources $1/$module.sv"; done
  parameters=""
  for parameter in $3; do parameters="$parameters -chparam ${parameter%=*} ${parameter#*=}"; done
  yosys -q -p "
    read_verilog -formal -sv $sources
    hierarchy -check -top $2_formal $parameters
    proc
    opt_expr
    memory_collect
    memory_map
    flatten
    chformal -early
    opt_clean
    dffunmap
    write_smt2 -wires $work/model.smt2" > "$work/log" 2>&1
}

smtbmc() {
  timeout "$limit" yosys-smtbmc --noprogress --unroll -s z3 "$@" "$work/model.smt2" > "$work/log" 2>&1
}

# report BLOCK WHAT METHOD START RESULT
report() {
  if [ "$5" = PASS ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%-15s %-52s %-19s %4ds  %s\n' "$1" "$2" "$3" $(($(date +%s) - $4)) "$5"
  if [ "$5" != PASS ]; then grep -v Warning "$work/log" | head -n 12; fi
}

# prove BLOCK MODULES PARAMETERS COVER STEP: k-induction with k at most STEP; covers must be reached within COVER cycles.
prove() {
  [ -z "$only" ] || [ "$only" = "$1" ] || return 0
  start=$(date +%s)
  method="no model"
  result=FAIL
  if model "$rtl" "$1" "$3" "$2"; then
    method="base case"
    if smtbmc --presat -t "$(($5 + 1))"; then
      method="induction"
      if smtbmc -i -t "$5"; then
        # The solver counts down from STEP; the last step it names is the one at which the induction closed.
        last=$(sed -n 's/.*Trying induction in step \([0-9]*\).*/\1/p' "$work/log" | tail -n 1)
        method="induction, k = $(($5 - last))"
        if smtbmc -c -t "$4"; then result=PASS; else method="covers in $4"; fi
      fi
    fi
  fi
  report "$1" "${3:-any}" "$method" "$start" "$result"
}

# mutant BLOCK MODULES PARAMETERS BOUND MODULE EXPRESSION: EXPRESSION (sed) spoils MODULE; an assertion must fail.
mutant() {
  [ -z "$only" ] || [ "$only" = "$1" ] || return 0
  start=$(date +%s)
  rm -rf "$work/rtl"
  cp -r "$rtl" "$work/rtl"
  sed "$6" "$rtl/$5.sv" > "$work/rtl/$5.sv"
  result=FAIL
  if cmp -s "$rtl/$5.sv" "$work/rtl/$5.sv"; then
    echo "the mutant's line is not in $5.sv: $6" > "$work/log"
  elif model "$work/rtl" "$1" "$3" "$2"; then
    smtbmc -t "$4"
    if grep -q 'BMC failed' "$work/log"; then result=PASS; fi
  fi
  report "$1" "mutant $6" "refuted within $4" "$start" "$result"
}

printf '%-15s %-52s %-19s %5s  %s\n' block parameters method time result
. "$here/proofs.sh"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
