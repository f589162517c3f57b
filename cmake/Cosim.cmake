# SPDX-License-Identifier: Apache-2.0
# Helpers that keep each folder's CMakeLists.txt to a few lines.
add_library(cosim_options INTERFACE)
target_include_directories(cosim_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(cosim_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(COSIM_SANITIZE)
  target_compile_options(cosim_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(cosim_options INTERFACE -fsanitize=address,undefined)
endif()
find_program(COSIM_MOLD mold)
if(COSIM_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# cosim_library(NAME [DEPENDS lib...]): every .cc below the calling folder, as cosim::NAME.
# Sub-folders that call cosim_library themselves are named in EXCLUDE.
function(cosim_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(folder ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  add_library(cosim_${name} STATIC ${sources})
  add_library(cosim::${name} ALIAS cosim_${name})
  target_link_libraries(cosim_${name} PUBLIC cosim_options ${ARG_DEPENDS})
endfunction()

# cosim_test(NAME [DEPENDS lib...]): every *_test.cc of the calling folder as one test program.
function(cosim_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE ${ARG_DEPENDS} GTest::gmock_main)
  target_compile_definitions(${name}_test PRIVATE COSIM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  include(GoogleTest)
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
