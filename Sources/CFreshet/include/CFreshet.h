#ifndef CFRESHET_H
#define CFRESHET_H

#include "FreshetSignals.h"

#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78). `crc` is 0 to begin with, or the result
// for the bytes before these. Uses the processor's instruction where there is one.
uint32_t freshet_crc32c(uint32_t crc, const void *bytes, size_t count);

// The same in portable C, for processors without the instruction, and to test against.
uint32_t freshet_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

// 1 when freshet_crc32c uses the instruction.
int freshet_crc32c_is_accelerated(void);

// A pipe that does not block and closes on exec, in one step where the system can. 0, or -1 and
// errno. (pipe2 is hidden from Swift by its feature macro.)
int freshet_wake_pipe(int ends[2]);

#endif
