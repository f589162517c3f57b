# SPDX-License-Identifier: Apache-2.0
# Completion of cosim's verbs, options and files for bash. What there is, the command says itself.
_cosim() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="help $(cosim --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')"
  elif [[ $word == -* ]]; then
    words=$(cosim "$verb" --help 2>/dev/null | grep -o -- '--[a-z][a-z0-9-]*' | sort -u)
  elif [ "$COMP_CWORD" -eq 2 ] && [[ " run compile explain disasm check sweep report " == *" $verb "* ]]; then
    words=$(cosim models 2>/dev/null | sed 's/[ :].*//')
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _cosim cosim
