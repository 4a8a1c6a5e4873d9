#ifndef CFRESHETALLOCATIONS_H
#define CFRESHETALLOCATIONS_H

#include <stdint.h>

// Only the command links this target: it takes the place of malloc in the whole process.

// Counts what all threads take from malloc from begin to end: blocks and their bytes. begin gives 0
// where that cannot be counted, and must not be followed by end then. One count at a time.
int freshet_allocations_begin(void);
// Sets an open count back to nothing; without one it does nothing.
void freshet_allocations_restart(void);
void freshet_allocations_end(uint64_t *blocks, uint64_t *bytes);

#endif
