// SPDX-License-Identifier: Apache-2.0
// A TCG plugin for QEMU: every access of user-space code to the register pages is reported to the board
// process, and the guest waits for its answer. The callback comes after the access: a load has taken what the
// page held. Arguments: socket=PATH of the board process, base=ADDRESS of the first page in guest-physical
// addresses.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "protocol.h"

// Of QEMU 7.2's qemu-plugin.h, which Debian does not package.
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
typedef struct {
  const char* target_name;
  struct {
    int min, cur;
  } version;
  bool system_emulation;
} qemu_info_t;
enum { kCallbackReadsNothing = 0, kLoadsAndStores = 3 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                           void (*)(qemu_plugin_id_t, struct qemu_plugin_tb*));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb*);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn*,
                                      void (*)(unsigned, qemu_plugin_meminfo_t, uint64_t, void*), int, int,
                                      void*);
struct qemu_plugin_hwaddr* qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t, uint64_t);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr*);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

static int board = -1;
static uint64_t base;

static void OnAccess(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void* unused) {
  (void)cpu;
  (void)unused;
  const struct qemu_plugin_hwaddr* physical = qemu_plugin_get_hwaddr(info, address);
  if (physical == NULL) return;
  const uint64_t offset = qemu_plugin_hwaddr_phys_addr(physical) - base;
  if (offset >= kBoardPages * kBoardPageBytes) return;
  const struct BoardAccess access = {qemu_plugin_mem_is_store(info), (uint32_t)offset,
                                     1u << qemu_plugin_mem_size_shift(info)};
  uint32_t answer;
  if (write(board, &access, sizeof access) == sizeof access &&
      read(board, &answer, sizeof answer) == sizeof answer)
    return;
  fprintf(stderr, "plugin: the board is gone\n");
  _exit(3);
}

static void OnBlock(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  if (qemu_plugin_tb_vaddr(block) >> 48 != 0) return;  // the kernel's code
  const size_t count = qemu_plugin_tb_n_insns(block);
  for (size_t i = 0; i < count; ++i)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), OnAccess, kCallbackReadsNothing,
                                     kLoadsAndStores, NULL);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** arguments) {
  (void)info;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  for (int i = 0; i < count; ++i) {
    if (strncmp(arguments[i], "socket=", 7) == 0)
      strncpy(address.sun_path, arguments[i] + 7, sizeof address.sun_path - 1);
    else if (strncmp(arguments[i], "base=", 5) == 0)
      base = strtoull(arguments[i] + 5, NULL, 0);
    else
      return fprintf(stderr, "plugin: unknown argument %s\n", arguments[i]), 1;
  }
  board = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(board, (struct sockaddr*)&address, sizeof address) != 0) return perror("plugin: connect"), 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, OnBlock);
  return 0;
}
