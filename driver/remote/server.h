// SPDX-License-Identifier: Apache-2.0
// The board's side: runs modules on the accelerator for a workstation that asks by messages.
#pragma once

#include <functional>

#include "driver/open_board.h"
#include "driver/remote/channel.h"

namespace cosim::driver::remote {

/// OpenBoardAt, or another board's.
using Opener = std::function<OpenBoard(const BoardPlaces& places, Diagnostics& diags)>;

/// Says Ready and answers requests until the other side closes. What it asks for, down to machine code of the
/// modules it names, is done with the rights of whoever started this program: who may start it may do that
/// anyway. `places`: those that requests do not name. False when something else than requests came.
bool Serve(Channel& channel, const BoardPlaces& places, const Opener& opener);

}  // namespace cosim::driver::remote
