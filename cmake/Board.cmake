# SPDX-License-Identifier: Apache-2.0
# cosim-board for another machine, and the tests that run there: isa, runtime and driver, without compiler and simulators.
# COSIM_BOARD_ROOT holds the machine's libraries (scripts/board-build unpacks Debian's packages there); all but the C library
# are linked into the program. fmt is used as headers only: Debian has no static library of it.
set(board_libraries ${COSIM_BOARD_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
function(cosim_board_library name)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${COSIM_BOARD_ROOT}/usr/include)
  foreach(file ${ARGN})
    target_link_libraries(${name} INTERFACE ${board_libraries}/${file})
  endforeach()
endfunction()
cosim_board_library(yaml-cpp libyaml-cpp.a)
cosim_board_library(fmt::fmt)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
cosim_board_library(PkgConfig::NETTLE libnettle.a)
cosim_board_library(flatbuffers::flatbuffers libflatbuffers.a)
cosim_board_library(ZLIB::ZLIB libz.a)
cosim_board_library(GTest::gmock_main libgmock_main.a libgmock.a libgtest.a)
find_program(COSIM_FLATC flatc REQUIRED)
add_executable(flatbuffers::flatc IMPORTED GLOBAL)
set_target_properties(flatbuffers::flatc PROPERTIES IMPORTED_LOCATION ${COSIM_FLATC})

add_compile_definitions(_FILE_OFFSET_BITS=64)
# What is not used goes: it would ask for a newer C library than boards have (scripts/board-test looks).
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
add_subdirectory(isa)
add_subdirectory(runtime)
add_subdirectory(driver)
add_subdirectory(tests/isa)
add_subdirectory(tests/runtime)
add_subdirectory(tests/driver)
add_subdirectory(tests/board)
