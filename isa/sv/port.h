// SPDX-License-Identifier: Apache-2.0
// Prints the accelerator's memory ports: for each one the module of its read half and that of its write half,
// or nothing but a closed channel where no unit reads or writes.
#pragma once

#include <string>

#include "isa/sv/plan.h"

namespace cosim::isa {

struct SvPortText {
  std::string declarations, body;
};

/// Declares what requesters and ports share: req_valid, req_addr, req_len, req_ready and beat_valid over all
/// requesters; beat_last, beat_data and read_idle over the ports; write_idle; and for the unit that stores
/// write_valid, write_addr, write_len, write_last, write_ready and write_response_last.
SvPortText SvPorts(const SvPlan& plan);

}  // namespace cosim::isa
