#include "FreshetSignals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t received = 0;
static struct timespec received_at;
static int wake = -1;

static void on_first(int signal_number) {
  received = signal_number;
  clock_gettime(CLOCK_MONOTONIC, &received_at);
  alarm(2);
  /* An eventfd or a pipe: eight bytes suit both. A full one is readable already. */
  static const unsigned long long one = 1;
  if (wake >= 0 && write(wake, &one, sizeof one) < 0) { /* nothing to be done here */ }
}

static int is_echo(int signal_number) {
  struct timespec now;
  if (signal_number != received) return 0;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long passed = (now.tv_sec - received_at.tv_sec) * 1000000000LL + now.tv_nsec - received_at.tv_nsec;
  return passed < 100 * 1000000LL;
}

static void on_ending(int signal_number) {
  int saved = errno;
  if (received == 0) {
    on_first(signal_number);
  } else if (!is_echo(signal_number)) {
    /* It is blocked until this handler has returned. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  errno = saved;
}

static void on_deadline(int signal_number) {
  (void)signal_number;
  int ended_by = received == 0 ? SIGTERM : (int)received;
  signal(ended_by, SIG_DFL);
  raise(ended_by);
}

void freshet_signals_install(int wake_fd) {
  struct sigaction action;
  wake = wake_fd;
  memset(&action, 0, sizeof action);
  /* One at a time: a handler is not interrupted by another of these. */
  sigemptyset(&action.sa_mask);
  for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++) {
    sigaddset(&action.sa_mask, ending[i]);
  }
  sigaddset(&action.sa_mask, SIGALRM);
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

int freshet_signals_received(void) { return (int)received; }

void freshet_signals_reraise(int signal_number) {
  sigset_t set;
  alarm(0);
  signal(signal_number, SIG_DFL);
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  kill(getpid(), signal_number);
}
