# SPDX-License-Identifier: Apache-2.0
# Helpers that keep each folder's CMakeLists.txt to a few lines.
add_library(cosim_options INTERFACE)
target_include_directories(cosim_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(cosim_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(COSIM_SANITIZE)
  set(sanitizers ${COSIM_SANITIZE})
  if(sanitizers STREQUAL "ON")
    set(sanitizers address,undefined)
  endif()
  # Not the types of called functions: those that cosim compiles as it runs carry none. Nor what the address sanitizer sees
  # too, which takes long to compile.
  target_compile_options(cosim_options INTERFACE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer
                         -fno-sanitize=null,object-size,pointer-overflow
                         $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  target_link_options(cosim_options INTERFACE -fsanitize=${sanitizers})
endif()
find_program(COSIM_MOLD mold)
if(COSIM_MOLD AND NOT COSIM_BOARD_ROOT)
  add_link_options(-fuse-ld=mold)
endif()

# cosim_unity(TARGET): with COSIM_UNITY=N, N neighbouring files of TARGET are compiled as one, which halves the work where
# everything is built anyway. Groups stay as they are when a file of COSIM_APART leaves its own (scripts/build fills it).
function(cosim_unity target)
  if(NOT COSIM_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  set(at 0)
  foreach(source ${sources})
    math(EXPR group "${at} / ${COSIM_UNITY}")
    math(EXPR at "${at} + 1")
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT source IN_LIST COSIM_APART)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

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
  # Sanitized code takes three times as long to compile with optimisation as without: what little of a test's time is spent in
  # has none.
  if(COSIM_SANITIZE AND name MATCHES "^(runtime|thread_pool|graph|host|import|quantize|cpu|tune|explore|session|cli|synth|board|driver|remote|ssh|board_command)$")
    target_compile_options(cosim_${name} PRIVATE -O0)
  endif()
  if(COSIM_FUZZ AND name MATCHES "^(isa|runtime|graph|host|import)$")  # what the fuzzers look into
    target_compile_options(cosim_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  cosim_unity(cosim_${name})
endfunction()

# cosim_schema(NAME FILE.fbs): FlatBuffers' header for FILE, which the .cc of library NAME include as <FILE_generated.h>, and
# nobody else. NAME_schema makes it alone, for clang-tidy, which needs no library built.
function(cosim_schema name file)
  if(NOT TARGET flatbuffers::flatc)  # cmake/Board.cmake has a board's
    find_package(FlatBuffers REQUIRED)
  endif()
  cmake_path(GET file STEM stem)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  add_custom_command(OUTPUT ${generated}/${stem}_generated.h
    COMMAND flatbuffers::flatc --cpp --scoped-enums -o ${generated} ${CMAKE_CURRENT_SOURCE_DIR}/${file}
    DEPENDS ${file})
  add_custom_target(${name}_schema DEPENDS ${generated}/${stem}_generated.h)
  target_sources(cosim_${name} PRIVATE ${generated}/${stem}_generated.h)
  target_include_directories(cosim_${name} SYSTEM PRIVATE ${generated})
  target_link_libraries(cosim_${name} PRIVATE flatbuffers::flatbuffers)
endfunction()

# cosim_protobuf(NAME FILE.proto): as cosim_schema, of protobuf: <FILE.pb.h>.
function(cosim_protobuf name file)
  find_package(Protobuf REQUIRED)
  cmake_path(GET file STEM stem)
  cmake_path(GET file PARENT_PATH folder)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  add_custom_command(OUTPUT ${generated}/${stem}.pb.h ${generated}/${stem}.pb.cc
    COMMAND protobuf::protoc --cpp_out=${generated} -I ${CMAKE_CURRENT_SOURCE_DIR}/${folder} ${CMAKE_CURRENT_SOURCE_DIR}/${file}
    DEPENDS ${file})
  add_custom_target(${name}_schema DEPENDS ${generated}/${stem}.pb.h)
  target_sources(cosim_${name} PRIVATE ${generated}/${stem}.pb.cc)
  target_include_directories(cosim_${name} SYSTEM PRIVATE ${generated})
  target_link_libraries(cosim_${name} PRIVATE protobuf::libprotobuf)
  # Not ours to warn about.
  set_source_files_properties(${generated}/${stem}.pb.cc PROPERTIES COMPILE_OPTIONS -w)
endfunction()

# cosim_test(NAME [DEPENDS lib...]): every *_test.cc of the calling folder as one test program.
function(cosim_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE ${ARG_DEPENDS} GTest::gmock_main)
  target_compile_definitions(${name}_test PRIVATE COSIM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # What is built once and run once is compiled for that: sanitized tests without optimisation take 36 % of the time to
  # compile. Undefined behaviour is looked for in what is tested.
  if(COSIM_SANITIZE)
    target_compile_options(${name}_test PRIVATE -fno-sanitize=undefined -O0)
  elseif(COSIM_UNITY)
    target_compile_options(${name}_test PRIVATE -O1)
  endif()
  cosim_unity(${name}_test)
  include(GoogleTest)
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
