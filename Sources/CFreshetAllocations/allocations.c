#include "CFreshetAllocations.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

// With glibc a program's own malloc takes the place of the library's, also for the Swift runtime.
// These pass on at once unless a count is open, for the price of looking at a flag; the sanitizers have
// a malloc of their own, which stays. They are weak, so that a program that is linked with glibc's
// archive keeps the archive's, and counts nothing.
#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#include <errno.h>

#define REPLACES __attribute__((weak))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic(bool) is_open;
static _Atomic(uint64_t) open_blocks;
static _Atomic(uint64_t) open_bytes;

static inline void note(size_t size) {
  if (__builtin_expect(!atomic_load_explicit(&is_open, memory_order_relaxed), 1)) return;
  atomic_fetch_add_explicit(&open_blocks, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&open_bytes, size, memory_order_relaxed);
}

REPLACES void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

REPLACES void *calloc(size_t count, size_t size) {
  note(count * size);
  return __libc_calloc(count, size);
}

REPLACES void *realloc(void *block, size_t size) {
  note(size);
  return __libc_realloc(block, size);
}

REPLACES void *aligned_alloc(size_t alignment, size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}

REPLACES int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  note(size);
  void *taken = __libc_memalign(alignment, size);
  if (taken == NULL) return ENOMEM;
  *block = taken;
  return 0;
}

int freshet_allocations_begin(void) {
  atomic_store(&open_blocks, 0);
  atomic_store(&open_bytes, 0);
  atomic_store(&is_open, true);
  // Whose malloc it is shows at once. Volatile, so that the pair is not left out.
  void *volatile probe = malloc(1);
  free(probe);
  if (atomic_load(&open_blocks) == 0) {
    atomic_store(&is_open, false);
    return 0;
  }
  atomic_store(&open_blocks, 0);
  atomic_store(&open_bytes, 0);
  return 1;
}

void freshet_allocations_restart(void) {
  atomic_store(&open_blocks, 0);
  atomic_store(&open_bytes, 0);
}

void freshet_allocations_end(uint64_t *blocks, uint64_t *bytes) {
  atomic_store(&is_open, false);
  *blocks = atomic_load(&open_blocks);
  *bytes = atomic_load(&open_bytes);
}
#else
int freshet_allocations_begin(void) { return 0; }

void freshet_allocations_restart(void) {}

void freshet_allocations_end(uint64_t *blocks, uint64_t *bytes) {
  *blocks = 0;
  *bytes = 0;
}
#endif
