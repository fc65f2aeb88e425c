/* How often each unit is drawn in each replicate: Poisson(1), four numbers from each word.
 *
 * Words are those of SplitMix64 (Steele, Lea & Flood 2014) from where a unit's numbers begin. */
#include <string.h>

#include "common.h"

enum { WORDS = 16, DRAWS = 4 * WORDS, STEPS = 8 };

/* Number each of a block of replicates of a unit, whose words begin at `state`. */
WIDE static void drawn(uint64_t state, const uint16_t *steps, uint8_t *weights) {
  uint64_t word[WORDS];
  uint16_t part[DRAWS], above[DRAWS];
  for (int k = 0; k < WORDS; k++) {
    uint64_t x = state + (uint64_t)k * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    word[k] = x ^ x >> 31;
  }
  memcpy(part, word, sizeof part);
  memset(above, 0, sizeof above);
  for (int step = 0; step < STEPS; step++) {
    for (int k = 0; k < DRAWS; k++) above[k] += part[k] >= steps[step];
  }
  for (int k = 0; k < DRAWS; k++) weights[k] = (uint8_t)above[k];
}

/* Write weights, a row a unit of 64 replicates a block; a unit's words begin at its `start`. */
VISIBLE void coleval_poisson(const uint64_t *start, int64_t units, int64_t block, int64_t blocks,
                             const uint16_t *steps, uint8_t *weights) {
  for (int64_t unit = 0; unit < units; unit++) {
    for (int64_t at = 0; at < blocks; at++, weights += DRAWS) {
      uint64_t first = (uint64_t)(block + at) * WORDS;
      drawn(start[unit] + first * 0x9E3779B97F4A7C15u, steps, weights);
    }
  }
}
