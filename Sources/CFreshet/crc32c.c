#include "CFreshet.h"

#include <pthread.h>
#include <string.h>

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
    table[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256; i++) {
    for (int k = 1; k < 8; k++) {
      table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xFF];
    }
  }
}

uint32_t freshet_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
  pthread_once(&table_once, make_table);
  const uint8_t *p = bytes;
  crc = ~crc;
  while (count >= 8) {
    uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                          (uint32_t)p[3] << 24);
    crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^
          table[4][low >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    p += 8;
    count -= 8;
  }
  while (count-- > 0) crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 0xFF];
  return ~crc;
}

#if defined(__x86_64__)

#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t accelerated(uint32_t crc, const void *bytes,
                                                              size_t count) {
  const uint8_t *p = bytes;
  uint64_t state = (uint32_t)~crc;
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state = _mm_crc32_u64(state, word);
    p += 8;
    count -= 8;
  }
  uint32_t rest = (uint32_t)state;
  while (count-- > 0) rest = _mm_crc32_u8(rest, *p++);
  return ~rest;
}

int freshet_crc32c_is_accelerated(void) { return __builtin_cpu_supports("sse4.2") ? 1 : 0; }

#elif defined(__aarch64__)

#if defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
int freshet_crc32c_is_accelerated(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) ? 1 : 0; }
#else
int freshet_crc32c_is_accelerated(void) { return 1; }
#endif

// Builtins rather than <arm_acle.h>, which hides them unless the whole file is built with +crc.
__attribute__((target("crc"))) static uint32_t accelerated(uint32_t crc, const void *bytes,
                                                           size_t count) {
  const uint8_t *p = bytes;
  uint32_t state = ~crc;
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state = __builtin_arm_crc32cd(state, word);
    p += 8;
    count -= 8;
  }
  while (count-- > 0) state = __builtin_arm_crc32cb(state, *p++);
  return ~state;
}

#else

int freshet_crc32c_is_accelerated(void) { return 0; }
#define accelerated freshet_crc32c_portable

#endif

uint32_t freshet_crc32c(uint32_t crc, const void *bytes, size_t count) {
  return freshet_crc32c_is_accelerated() ? accelerated(crc, bytes, count)
                                         : freshet_crc32c_portable(crc, bytes, count);
}
