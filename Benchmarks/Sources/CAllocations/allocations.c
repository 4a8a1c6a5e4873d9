#include "CAllocations.h"

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

void *malloc(size_t size) {
  taken += 1;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  taken += 1;
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  taken += 1;
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  taken += 1;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  taken += 1;
  *block = __libc_memalign(alignment, size);
  return *block != NULL ? 0 : ENOMEM;
}

long allocations_of_this_thread(void) { return taken; }

long bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}
#else
long allocations_of_this_thread(void) { return 0; }
long bytes_in_use(void) { return 0; }
#endif
