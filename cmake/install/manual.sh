#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# manual.sh COSIM VERSION: the manual page of the command, made of what it says of itself.
set -euo pipefail
cosim=$1
version=$2
# Text as it stands, for roff: no escapes, no requests.
plain() { sed -e 's/\\/\\e/g' -e "s/^\([.']\)/\\\\\&\1/" -e 's/-/\\-/g'; }
overview=$("$cosim" --help)
printf '.TH COSIM 1 "" "cosim %s" "User Commands"\n.SH NAME\ncosim \\- hardware/software co\\-design of neural\\-network accelerators\n' "$version"
printf '.SH SYNOPSIS\n.B cosim\nVERB [options]\n.SH DESCRIPTION\n.nf\n%s\n.fi\n' "$(plain <<<"$overview")"
printf '.SH VERBS\n'
for verb in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' <<<"$overview"); do
  help=$("$cosim" "$verb" --help)
  printf '.SS cosim %s\n.nf\n%s\n.fi\n' "$verb" "$(plain <<<"$help")"
done
printf '.SH ENVIRONMENT\n.TP\n.B COSIM_HOME\nThe folder of isa/, configs/ and hw/; default: share/cosim beside the folder of the command.\n'
