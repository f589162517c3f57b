// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/cells.h"

#include <utility>

#include "isa/check.h"

namespace cosim::synth {
namespace {

bool IsDsp(std::string_view type) { return type.starts_with("DSP48"); }
bool IsBlockRam(std::string_view type) { return type.starts_with("RAMB"); }
bool IsLutRam(std::string_view type) { return type.starts_with("RAM") && !IsBlockRam(type); }

/// LUTs of the memories that are made of LUTs.
int LutRamLuts(std::string_view type) {
  constexpr std::pair<std::string_view, int> kLuts[] = {
      {"RAM32X1S", 1}, {"RAM64X1S", 1}, {"RAM128X1S", 2}, {"RAM256X1S", 4}, {"RAM512X1S", 8},
      {"RAM32X1D", 2}, {"RAM64X1D", 2}, {"RAM128X1D", 4}, {"RAM256X1D", 8}, {"RAM32M", 4},
      {"RAM64M", 4},   {"RAM32M16", 8}, {"RAM64M8", 8},
  };
  for (const auto& [name, luts] : kLuts)
    if (type == name) return luts;
  COSIM_CHECK(false, "unknown memory cell {}", type);
}

bool IsFree(std::string_view type) {
  for (const char* prefix : {"MUXF", "CARRY", "BUFG", "VCC", "GND"})
    if (type.starts_with(prefix)) return true;
  return false;
}

/// The value of a one-bit parameter, which Yosys writes in binary digits.
bool Flag(const Cell& cell, std::string_view name) {
  for (const auto& [parameter, value] : cell.parameters)
    if (parameter == name) return value.find('1') != std::string::npos;
  return false;
}

}  // namespace

Resources& Resources::operator+=(const Resources& other) {
  lut += other.lut;
  ff += other.ff;
  dsp += other.dsp;
  ramb18 += other.ramb18;
  return *this;
}

Resources CellResources(std::string_view type) {
  if (type.starts_with("LUT") || type.starts_with("SRL") || type == "INV") return {.lut = 1};
  if (type.starts_with("FD")) return {.ff = 1};
  if (IsDsp(type)) return {.dsp = 1};
  if (IsBlockRam(type)) return {.ramb18 = type.starts_with("RAMB36") ? 2 : 1};
  if (IsLutRam(type)) return {.lut = LutRamLuts(type)};
  COSIM_CHECK(IsFree(type), "unknown cell {}", type);
  return {};
}

bool IsUnregisteredDsp(const Cell& cell) {
  return IsDsp(cell.type) && !Flag(cell, "MREG") && !Flag(cell, "PREG");
}

std::string MissingDspRegisters(const Cell& cell) {
  std::string missing;
  if (!IsDsp(cell.type)) return missing;
  for (const char* name : {"AREG", "BREG", "MREG", "PREG"})
    if (!Flag(cell, name)) missing += (missing.empty() ? "" : " ") + std::string(name);
  return missing;
}

Arc PathThrough(const Cell& cell, std::string_view input) {
  const std::string_view type = cell.type;
  if (type.starts_with("LUT")) return {true, 1};
  if (type == "INV" || type.starts_with("MUXF") || type.starts_with("BUFG")) return {true, 0};
  if (type.starts_with("CARRY")) return {true, input.starts_with("CI") ? 0 : 1};
  if (IsLutRam(type)) {
    const bool is_address = input.starts_with("A") || input.starts_with("DPRA");
    return {is_address, is_address ? 1 : 0};
  }
  if (IsUnregisteredDsp(cell)) return {true, 1};
  return {};
}

}  // namespace cosim::synth
