#include "FreshetSignals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
/* Handlers run on any thread, two at a time: the time is there before the number is. */
static _Atomic int received = 0;
static _Atomic long long received_at = 0; /* nanoseconds */
static int wake = -1;

static void on_ending(int signal_number) {
  int saved = errno;
  struct timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  long long now = clock.tv_sec * 1000000000LL + clock.tv_nsec;
  int none = 0;
  if (received == 0) received_at = now;
  if (atomic_compare_exchange_strong(&received, &none, signal_number)) {
    alarm(2);
    /* An eventfd or a pipe: eight bytes suit both. A full one is readable already. */
    static const unsigned long long one = 1;
    if (wake >= 0 && write(wake, &one, sizeof one) < 0) { /* nothing to be done here */ }
  } else if (signal_number != received || now - received_at >= 100 * 1000000LL) {
    /* It is blocked until this handler has returned. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  errno = saved;
}

static void on_deadline(int signal_number) {
  (void)signal_number;
  int ended_by = received == 0 ? SIGTERM : received;
  signal(ended_by, SIG_DFL);
  raise(ended_by);
}

void freshet_signals_install(int wake_fd) {
  struct sigaction action;
  wake = wake_fd;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = on_ending; /* without SA_RESTART: a blocked read or write returns */
  for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++) {
    struct sigaction before;
    if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(ending[i], &action, NULL);
  }
  action.sa_handler = on_deadline;
  sigaction(SIGALRM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int freshet_signals_received(void) { return received; }

void freshet_signals_reraise(int signal_number) {
  sigset_t set;
  alarm(0);
  signal(signal_number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  kill(getpid(), signal_number);
}
