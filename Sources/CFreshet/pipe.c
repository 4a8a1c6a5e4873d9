#define _GNU_SOURCE
#include "CFreshet.h"

#include <fcntl.h>
#include <unistd.h>

int freshet_wake_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
#else
  if (pipe(ends) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[i], F_SETFL, O_NONBLOCK);
  }
  return 0;
#endif
}
