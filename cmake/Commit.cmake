# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=… -D OUTPUT=… -P: writes the commit that SOURCE stands at as a C++ header, if it is another than
# the one written before. A tree that is not a repository of its own, a tarball's, has none.
cmake_minimum_required(VERSION 3.25)
set(commit "unknown")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if(NOT failed)
  file(REAL_PATH "${SOURCE}" source)
  file(REAL_PATH "${top}" top)
  if(top STREQUAL source)
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
      set(commit "${text}")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// SPDX-License-Identifier: Apache-2.0
// Written by cmake/Commit.cmake.
#pragma once

namespace cosim::cli {

inline constexpr char kCommit[] = \"@commit@\";

}  // namespace cosim::cli
" @ONLY)
