// SPDX-License-Identifier: Apache-2.0
// foreign_harness KERNELS.so: calls kernels of an object for another processor, under its emulator. A request
// on standard input is a symbol and its arrays, sizes before bytes; the answer the bytes of the outputs, in
// order. tests/import/foreign_process.h is the other end.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kMostArrays = 64, kLongestName = 256 };

static void Take(void* to, size_t bytes) {
  if (bytes > 0 && fread(to, 1, bytes, stdin) != bytes) _exit(2);
}

// As runtime/parallel.h has it.
struct Parallel {
  void (*run)(const struct Parallel*, void (*body)(void*, int64_t, int64_t), void* captures, int64_t count);
};

static void RunHalves(const struct Parallel* self, void (*body)(void*, int64_t, int64_t), void* captures,
                      int64_t count) {
  (void)self;
  body(captures, count / 2, count);
  body(captures, 0, count / 2);
}

int main(int argc, char** argv) {
  void* object = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!object) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: foreign_harness KERNELS.so");
    return 1;
  }
  uint32_t length;
  while (fread(&length, sizeof length, 1, stdin) == 1) {
    char name[kLongestName] = {0};
    uint32_t count, is_output[kMostArrays];
    uint64_t bytes[kMostArrays];
    void* arrays[kMostArrays];
    if (length >= kLongestName) return 2;
    Take(name, length);
    Take(&count, sizeof count);
    if (count > kMostArrays) return 2;
    for (uint32_t i = 0; i < count; ++i) {
      Take(&bytes[i], sizeof bytes[i]);
      Take(&is_output[i], sizeof is_output[i]);
      arrays[i] = aligned_alloc(64, (bytes[i] + 64) / 64 * 64);
      if (!arrays[i]) return 2;
      if (!is_output[i]) Take(arrays[i], bytes[i]);
    }
    typedef void (*Kernel)(void* const*, const struct Parallel*);
    const struct Parallel halves = {RunHalves};
    const Kernel kernel = (Kernel)dlsym(object, name);
    if (!kernel) {
      fprintf(stderr, "there is no %s\n", name);
      return 1;
    }
    kernel(arrays, &halves);
    for (uint32_t i = 0; i < count; ++i) {
      if (is_output[i] && fwrite(arrays[i], 1, bytes[i], stdout) != bytes[i]) return 2;
      free(arrays[i]);
    }
    fflush(stdout);
  }
  return 0;
}
