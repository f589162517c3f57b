// SPDX-License-Identifier: Apache-2.0
// The codes of everything the importers can reject. Stable, as those in isa/diagnostic_codes.h;
// docs/reference/diagnostics.md lists both.
#pragma once

namespace cosim::import {

/// One line a code: constant, code, meaning.
#define COSIM_IMPORT_DIAGNOSTICS(X)                                                               \
  X(kUnreadable, "E0901", "a model or input file that cannot be read, or is of no known format")  \
  X(kMalformed, "E0902", "a model file is damaged: truncated, cyclic, or inconsistent in itself") \
  X(kTooLarge, "E0903", "a tensor with more elements than an importer takes")                     \
  X(kUnsupported, "E0904", "an operator, or a variant of one, that the importer does not know")   \
  X(kUnboundShape, "E0905", "a dimension without a value, or a --shape that does not fit")        \
  X(kBadInput, "E0906", "input data that does not fit the model's inputs")

#define COSIM_DECLARE_CODE(name, code, meaning) inline constexpr char name[] = code;
namespace codes {
COSIM_IMPORT_DIAGNOSTICS(COSIM_DECLARE_CODE)
}  // namespace codes
#undef COSIM_DECLARE_CODE

}  // namespace cosim::import
