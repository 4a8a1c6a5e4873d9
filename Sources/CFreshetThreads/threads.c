#include "CFreshetThreads.h"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static int has_barrier;

// Asked for while there is one thread only: later the kernel would let the caller wait for
// all processors, some milliseconds.
__attribute__((constructor)) static void ask_for_barrier(void) {
  has_barrier =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

int freshet_has_thread_barrier(void) { return has_barrier; }

int freshet_thread_barrier(void) {
  return (int)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}
#else
int freshet_has_thread_barrier(void) { return 0; }
int freshet_thread_barrier(void) { return -1; }
#endif
