#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# completion_fish.sh MANUAL: prints completion of the command's verbs, options and networks for fish, which wants options
# declared; they are what the manual page says.
set -euo pipefail
echo "# Completion of cosim's verbs, options and networks."
echo "complete -c cosim -n __fish_use_subcommand -f -a help -d 'say what a verb or a diagnostic is'"
sed "s/\\\\-/-/g; s/'//g" "$1" | awk '
  /^\.S[HS] / {section = $2; verb = $3}
  section == "DESCRIPTION" && /^  [a-z]+   *[a-z]/ {
    name = $1
    sub(/^ *[a-z]+ +/, "")
    printf "complete -c cosim -n __fish_use_subcommand -f -a %s -d \047%s\047\n", name, $0
  }
  section == "cosim" {
    for (; match($0, /--[a-z][a-z0-9-]*/); $0 = substr($0, RSTART + RLENGTH)) {
      option = substr($0, RSTART + 2, RLENGTH - 2)
      if (!seen[verb, option]++) printf "complete -c cosim -n \047__fish_seen_subcommand_from %s\047 -l %s\n", verb, option
    }
  }'
echo "complete -c cosim -n '__fish_seen_subcommand_from run compile explain disasm check sweep report tune' \\"
echo "    -a '(cosim models 2>/dev/null | string replace -r \"[ :].*\" \"\")'"
