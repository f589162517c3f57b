// SPDX-License-Identifier: Apache-2.0
// Random TensorFlow Lite files, made step by step from numbers: all operators that the importer knows,
// between convolutions that an accelerator can run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/tflite/reader.h"

namespace cosim::testing {

/// Values are mostly of `type`: int8, uint8 or int16. Each number of `steps` makes one operator, at times a
/// few before and behind it; values that nothing reads are outputs.
import::tflite::File MakeFile(uint64_t seed, const std::vector<uint64_t>& steps, graph::DType type);

/// The file as a graph; what the importer says against it is in `error`, for it should say nothing.
std::optional<import::Model> ImportMade(const import::tflite::File& file, std::string& error);

/// How often each operator is there, in all graphs of the file.
std::map<std::string, int64_t> OperatorsOf(const import::tflite::File& file);

/// All operators that the importer knows.
std::vector<std::string> KnownOperators();

}  // namespace cosim::testing
