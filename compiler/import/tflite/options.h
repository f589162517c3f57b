// SPDX-License-Identifier: Apache-2.0
// Options of operators, from the tables that a TensorFlow Lite file has them in.
#pragma once

#include "compiler/import/tflite/reader.h"
#include "compiler/import/tflite/schema_generated.h"

namespace cosim::import::tflite {

OperatorOptions OptionsOf(const cosim::tflite::Operator& op);

}  // namespace cosim::import::tflite
