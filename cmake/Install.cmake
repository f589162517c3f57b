# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the command, and below share/cosim what it reads at run time, in the source tree's
# folders, so that the tree may be moved (isa/home.h finds it from the command). `cpack -G DEB` makes a package of it.
set(data share/cosim)
install(TARGETS cosim RUNTIME DESTINATION bin)
file(GLOB isas CONFIGURE_DEPENDS isa/*.yaml)
install(FILES ${isas} DESTINATION ${data}/isa)
install(DIRECTORY isa/test DESTINATION ${data}/isa)
install(DIRECTORY configs DESTINATION ${data})
install(DIRECTORY hw/rtl hw/package DESTINATION ${data}/hw)
install(FILES sim/rtl/rtl_model.h DESTINATION ${data}/sim/rtl)
install(FILES sim/rtl/model/verilated_model.h sim/rtl/model/factory.cc DESTINATION ${data}/sim/rtl/model)
install(DIRECTORY cli/page/assets DESTINATION ${data}/cli/page)
install(DIRECTORY docs/examples DESTINATION ${data}/docs)
install(DIRECTORY docs/reference/diagnostics DESTINATION ${data}/docs/reference)
install(DIRECTORY cli/python/cosim DESTINATION lib/python3/dist-packages PATTERN __pycache__ EXCLUDE)
install(FILES cmake/install/completion.bash DESTINATION share/bash-completion/completions RENAME cosim)
install(FILES cmake/install/completion.zsh DESTINATION share/zsh/vendor-completions RENAME _cosim)
install(FILES LICENSE DESTINATION share/doc/cosim RENAME copyright)
# The manual is what the command says of itself, and what fish completes is what the manual says.
install(CODE "
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/cmake/install/manual.sh $<TARGET_FILE:cosim> ${PROJECT_VERSION}
    OUTPUT_FILE ${CMAKE_BINARY_DIR}/cosim.1 COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/cmake/install/completion_fish.sh ${CMAKE_BINARY_DIR}/cosim.1
    OUTPUT_FILE ${CMAKE_BINARY_DIR}/cosim.fish COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${CMAKE_BINARY_DIR}/cosim.fish DESTINATION share/fish/vendor_completions.d)
install(FILES ${CMAKE_BINARY_DIR}/cosim.1 DESTINATION share/man/man1)

# What is installed is built by whoever asks: the tests are not needed for it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_PACKAGE_NAME cosim)
set(CPACK_PACKAGE_CONTACT "cosim developers <cosim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "hardware/software co-design of neural-network accelerators")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
# The RTL is simulated and mapped by these, if at all; the others are for the Python package.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "verilator, g++, yosys, python3, python3-numpy, python3-pandas")
include(CPack)
