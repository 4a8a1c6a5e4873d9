#ifndef FRESHET_SIGNALS_H
#define FRESHET_SIGNALS_H

/* Signal handlers may do very little, so the few lines they run are written in C.
 *
 * The first SIGINT, SIGTERM or SIGHUP is remembered, `wake_fd` becomes readable, and two seconds
 * are left to end in good order. A second one ends the process at once, unless it is the same one
 * within a tenth of a second: timeout(1) and shells send to the process and then to its group, which
 * is meant as one. When the two seconds are over the first one ends the process. SIGPIPE is
 * ignored: a dead reader is an error of write(2). A signal that was ignored when the process
 * started (nohup) stays ignored. */
void freshet_signals_install(int wake_fd);

/* The first signal that came, 0 when none did. */
int freshet_signals_received(void);

/* Ends the process by that signal's default action. */
void freshet_signals_reraise(int signal_number);

#endif
