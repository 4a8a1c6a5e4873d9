#ifndef CFRESHET_THREADS_H
#define CFRESHET_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

// A number that no other running thread has. It is even and not 0.
static inline uintptr_t freshet_this_thread(void) {
#if defined(__linux__) && defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
  return (uintptr_t)__builtin_thread_pointer();
#else
  return (uintptr_t)pthread_self();
#endif
#else
  return (uintptr_t)pthread_self();
#endif
}

// 1 when the system can make all threads of this process pass a barrier, else 0.
// It is found out, and asked for, while the program is loaded.
int freshet_has_thread_barrier(void);

// Makes every running thread of this process pass a full memory barrier before this returns.
// Only when freshet_has_thread_barrier() says 1. Returns 0, or -1 and errno.
int freshet_thread_barrier(void);

// Writes all of it, with as many calls as that takes, and waits where the other side is slow.
// A reader that has gone is an error and not a signal. Returns 0, or an error number.
int freshet_write_all(int descriptor, const void *bytes, size_t count);

#endif
