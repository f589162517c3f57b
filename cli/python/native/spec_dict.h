// SPDX-License-Identifier: Apache-2.0
// An elaborated specification as Python's dictionaries, which cosim/spec.py makes its objects of.
#pragma once

#include <pybind11/pybind11.h>

#include "isa/spec/spec.h"

namespace cosim::python {

/// Keys are the names of cosim.spec.Spec's members; memories, units and queues are named, not numbered.
pybind11::dict SpecDict(const isa::Spec& spec);

}  // namespace cosim::python
