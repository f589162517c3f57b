# SPDX-License-Identifier: Apache-2.0
# What a program of somebody else's takes to load modules and run them on the simulators: find_package(cosim) makes the
# target cosim::cosim of it. docs/how-to/embed.md says which headers are public; these are they, and what they include.
set(public_headers
  isa/diagnostics.h isa/expr/expr.h isa/program/decode.h isa/program/program.h isa/spec/host_processor.h isa/spec/loader.h
  isa/spec/spec.h isa/wide.h
  runtime/cpu_kernel.h runtime/cpu_object.h runtime/device.h runtime/executor.h runtime/host_work.h runtime/image_rows.h
  runtime/module.h runtime/module_tag.h runtime/network.h runtime/parallel.h runtime/profile.h
  sim/simulator.h)
foreach(header ${public_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION include/cosim/${folder})
endforeach()
install(TARGETS cosim_sim cosim_runtime cosim_isa ARCHIVE DESTINATION lib)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/install/cosimConfig.cmake.in ${CMAKE_BINARY_DIR}/cosimConfig.cmake
  INSTALL_DESTINATION lib/cmake/cosim)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cosimConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/cosimConfig.cmake ${CMAKE_BINARY_DIR}/cosimConfigVersion.cmake DESTINATION lib/cmake/cosim)
