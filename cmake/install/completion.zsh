#compdef cosim
# SPDX-License-Identifier: Apache-2.0
# Completion of cosim's verbs, options, networks and files for zsh. What there is, the command says itself.
_cosim() {
  local verb=${words[2]}
  if (( CURRENT == 2 )); then
    compadd help ${(f)"$(cosim --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')"}
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${(fu)"$(cosim $verb --help 2>/dev/null | grep -o -- '--[a-z][a-z0-9-]*')"}
  else
    if (( CURRENT == 3 )) && [[ " run compile explain disasm check sweep report tune " == *" $verb "* ]]; then
      compadd ${(f)"$(cosim models 2>/dev/null | sed 's/[ :].*//')"}
    fi
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _cosim "$@"; else compdef _cosim cosim; fi
