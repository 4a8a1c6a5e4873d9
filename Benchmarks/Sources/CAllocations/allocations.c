#include "CAllocations.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// With glibc a program's own malloc takes the place of the library's, also for the
// Swift runtime. These count and pass on. `free` needs no counting.
#if defined(__GLIBC__)
#include <errno.h>
#include <malloc.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread long taken;
// An atomic addition a block costs time, so that it is done only while somebody wants it.
static _Atomic(bool) is_open;
static _Atomic(long) taken_by_all;

static inline void note(void) {
  taken += 1;
  if (__builtin_expect(atomic_load_explicit(&is_open, memory_order_relaxed), 0))
    atomic_fetch_add_explicit(&taken_by_all, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  note();
  *block = __libc_memalign(alignment, size);
  return *block != NULL ? 0 : ENOMEM;
}

long allocations_of_this_thread(void) { return taken; }

void begin_allocations_of_all_threads(void) {
  atomic_store(&taken_by_all, 0);
  atomic_store(&is_open, true);
}

long end_allocations_of_all_threads(void) {
  atomic_store(&is_open, false);
  return atomic_load(&taken_by_all);
}

long bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}
#else
long allocations_of_this_thread(void) { return 0; }
void begin_allocations_of_all_threads(void) {}
long end_allocations_of_all_threads(void) { return 0; }
long bytes_in_use(void) { return 0; }
#endif
