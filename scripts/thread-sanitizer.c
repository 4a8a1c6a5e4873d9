// Tells the thread sanitizer about the locks of Synchronization.Mutex, on Linux.
//
// Swift's mutex takes a free lock with an atomic operation, which is compiled into the caller and seen
// by the sanitizer. A lock that somebody holds is waited for, and handed over, in the toolchain's
// library, which is not instrumented: the sanitizer sees no connection between the one who lets go
// and the one who goes on, and reports what the lock protects as a race.
//
// This library is loaded before the toolchain's. It takes the two calls that wait and hand over, tells
// the sanitizer what they mean, and passes them on. Nothing is hidden: a race inside a closure that is
// passed to `withLock` is reported like any other. `scripts/sanitize` builds and loads it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// A symbol that is looked up once. Two threads that do so at once find the same.
static void *look_up(_Atomic(void *) *known, void *where, const char *name) {
  void *symbol = atomic_load_explicit(known, memory_order_relaxed);
  if (symbol == NULL) {
    symbol = dlsym(where, name);
    atomic_store_explicit(known, symbol, memory_order_relaxed);
  }
  return symbol;
}

// Does nothing in a program without the sanitizer, such as the build tool.
static void tell_sanitizer(_Atomic(void *) *known, const char *name, void *lock) {
  void (*call)(void *) = (void (*)(void *))look_up(known, RTLD_DEFAULT, name);
  if (call != NULL) call(lock);
}

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> ()
SWIFT void mutex_lock_slow(uint32_t owner, SELF) __asm__(LOCK_SLOW);
SWIFT void mutex_lock_slow(uint32_t owner, SELF) {
  static _Atomic(void *) next, acquire;
  SWIFT void (*original)(uint32_t, SELF) =
      (SWIFT void (*)(uint32_t, SELF))look_up(&next, RTLD_NEXT, LOCK_SLOW);
  original(owner, self);
  tell_sanitizer(&acquire, "__tsan_acquire", self);
}

// Synchronization._MutexHandle._unlockSlow() -> ()
SWIFT void mutex_unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void mutex_unlock_slow(SELF) {
  static _Atomic(void *) next, release;
  SWIFT void (*original)(SELF) = (SWIFT void (*)(SELF))look_up(&next, RTLD_NEXT, UNLOCK_SLOW);
  tell_sanitizer(&release, "__tsan_release", self);
  original(self);
}
