// SPDX-License-Identifier: Apache-2.0
// What compiled kernels may call of the program that loads them: one table, since a program without a
// dynamic linker (cosim-board) has nothing else to look names up in.
#pragma once

#include <string_view>

namespace cosim::runtime::elf {

/// The address of that function; null when kernels here have none of that name.
void* FindOutside(std::string_view name);

/// Whether FindOutside has it on a machine of that architecture, which need not be this one.
bool IsOutside(std::string_view architecture, std::string_view name);

}  // namespace cosim::runtime::elf
