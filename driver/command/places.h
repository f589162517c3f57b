// SPDX-License-Identifier: Apache-2.0
// The options that say where accelerator and memory are, which all verbs share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/command/arguments.h"
#include "driver/open_board.h"

namespace cosim::driver {

/// `options` and those of places.
std::map<std::string, std::string> WithPlaces(std::map<std::string, std::string> options);

BoardPlaces PlacesIn(const Options& options);

/// Opens them. Nothing after printing why not.
std::optional<OpenBoard> OpenOrFail(const Options& options);

/// Likewise all of --uio=NAME,NAME…, each with its own of --memory. Empty after printing why not.
std::vector<OpenBoard> OpenAllOrFail(const Options& options);

/// The file's bytes. Nothing after printing why not.
std::optional<std::string> ReadFileOrFail(const std::string& path);

}  // namespace cosim::driver
