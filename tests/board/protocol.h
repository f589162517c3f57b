/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin tells the board of each access to the register pages; the board answers with a word. */
#pragma once

#include <stdint.h>

/* One page an accelerator, one behind the other. */
enum { kBoardPages = 2, kBoardPageBytes = 0x1000 };

/* `offset` is from the first page. */
struct BoardAccess {
  uint32_t is_store, offset, bytes;
};
