#define _GNU_SOURCE
#include "CFreshetThreads.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int write_all(int descriptor, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, bytes, count);
    if (written >= 0) {
      bytes += written;
      count -= (size_t)written;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      struct pollfd wait = {.fd = descriptor, .events = POLLOUT};
      if (poll(&wait, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int freshet_write_all(int descriptor, const void *bytes, size_t count) {
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  // A signal of this kind that waited already is somebody else's and stays.
  sigpending(&pending);
  int waited = sigismember(&pending, SIGPIPE);
  int blocked = pthread_sigmask(SIG_BLOCK, &broken, &before) == 0;

  int result = write_all(descriptor, bytes, count);

  if (blocked) {
    if (result == EPIPE && !waited) {
#if defined(__APPLE__)
      int signal;
      sigpending(&pending);
      if (sigismember(&pending, SIGPIPE)) sigwait(&broken, &signal);
#else
      const struct timespec now = {0, 0};
      while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR) {
      }
#endif
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  return result;
}
