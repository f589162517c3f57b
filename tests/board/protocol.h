/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin tells the board of each access to the register page; the board answers with a word. */
#pragma once

#include <stdint.h>

struct BoardAccess {
  uint32_t is_store, offset, bytes;
};
