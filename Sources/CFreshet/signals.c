#include "FreshetSignals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t received = 0;
static int wake = -1;

static void restore_defaults(void) {
  for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++) signal(ending[i], SIG_DFL);
}

static void on_first(int signal_number) {
  int saved = errno;
  if (received == 0) {
    received = signal_number;
    restore_defaults();
    alarm(2);
    /* An eventfd or a pipe: eight bytes suit both. A full one is readable already. */
    static const unsigned long long one = 1;
    if (wake >= 0 && write(wake, &one, sizeof one) < 0) { /* nothing to be done here */ }
  }
  errno = saved;
}

static void on_deadline(int signal_number) {
  (void)signal_number;
  raise(received == 0 ? SIGTERM : (int)received);
}

void freshet_signals_install(int wake_fd) {
  struct sigaction action;
  wake = wake_fd;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = on_first; /* without SA_RESTART: a blocked read or write returns */
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
