/* Mentions by key, and what sorted keys have in common: one pass over each.
 *
 * A key is the first unit in the corpus above the number of units. Mentions of a file are in the
 * order in which they open: only those that open together may have to change places.
 */
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* So many times the mentions may keys have to move until sorting is left to others. */
enum { MOVES = 4 };

/* Put the last key where it belongs; how many others it passes, -1 if it is one of them. */
static int64_t inserted(int64_t *key, int64_t *chain, int64_t at) {
  int64_t own = key[at], whose = chain[at], place = at;
  while (place && key[place - 1] > own) place--;
  if (place && key[place - 1] == own) return -1;
  memmove(key + place + 1, key + place, (size_t)(at - place) * sizeof *key);
  memmove(chain + place + 1, chain + place, (size_t)(at - place) * sizeof *chain);
  key[place] = own;
  chain[place] = whose;
  return at - place;
}

/* Number chains from 1 in each document, in the order of their first mentions. */
static int numbered(const int64_t *key, int64_t *chain, int64_t n, const int64_t *offset,
                    int64_t documents, int bits, int64_t chains) {
  int64_t *number = calloc((size_t)chains + 1, sizeof *number), document = 0, count = 0;
  if (!number) return 0;
  for (int64_t at = 0; at < n; at++) {
    int64_t first = key[at] >> bits;
    while (document + 1 < documents && offset[document + 1] <= first) {
      document++;
      count = 0;
    }
    int64_t *own = &number[chain[at]];
    if (!*own) *own = ++count;
    chain[at] = *own;
  }
  free(number);
  return 1;
}

/* Find key and chain of all mentions, by key. `offset` is the first unit of each of gold's
 * documents, `own` which of those each document of the file is. 1, or 0 where a mention is given
 * twice, documents are in another order, or there is no memory. */
VISIBLE int32_t coleval_mention_keys(const int32_t *document, const int32_t *start,
                                     const int32_t *end, const int64_t *of, int64_t n,
                                     const int64_t *own, const int64_t *offset, int64_t documents,
                                     int64_t bits, int64_t chains, int64_t *key, int64_t *chain) {
  int64_t moves = 0, before = 0;
  for (int64_t at = 0; at < n; at++) {
    int64_t home = own[document[at]];
    if (home < before) return 0;
    before = home;
    key[at] = (offset[home] + start[at]) << bits | (end[at] - start[at] + 1);
    chain[at] = of[at];
    if (!at || key[at] > key[at - 1]) continue;
    int64_t passed = inserted(key, chain, at);
    moves += passed;
    if (passed < 0 || moves > MOVES * n) return 0;
  }
  return numbered(key, chain, n, offset, documents, (int)bits, chains);
}

/* Write rising keys that either of two has, each once; how many there are. */
VISIBLE int64_t coleval_union(const int64_t *one, int64_t ones, const int64_t *other,
                              int64_t others, int64_t *every) {
  int64_t a = 0, b = 0, n = 0;
  while (a < ones && b < others) {
    int64_t low = one[a] < other[b] ? one[a] : other[b];
    a += one[a] == low;
    b += other[b] == low;
    every[n++] = low;
  }
  memcpy(every + n, one + a, (size_t)(ones - a) * sizeof *every);
  n += ones - a;
  memcpy(every + n, other + b, (size_t)(others - b) * sizeof *every);
  return n + others - b;
}

/* Write the place of each of some rising keys among all of them. */
VISIBLE void coleval_places(const int64_t *every, const int64_t *some, int64_t n, int64_t *place) {
  int64_t at = 0;
  for (int64_t k = 0; k < n; k++) {
    while (every[at] < some[k]) at++;
    place[k] = at;
  }
}

/* Take rising keys apart: document, first unit in it and in the corpus, the unit behind the last. */
VISIBLE void coleval_keys_apart(const int64_t *key, int64_t n, int64_t bits, const int64_t *offset,
                                int64_t documents, uint32_t *document, uint32_t *start,
                                uint32_t *end, uint32_t *words, int64_t *first) {
  int64_t home = 0;
  for (int64_t at = 0; at < n; at++) {
    int64_t unit = key[at] >> bits;
    uint32_t size = (uint32_t)(key[at] & (((int64_t)1 << bits) - 1));
    while (home + 1 < documents && offset[home + 1] <= unit) home++;
    document[at] = (uint32_t)home;
    start[at] = (uint32_t)(unit - offset[home]);
    end[at] = start[at] + size;
    words[at] = size;
    first[at] = unit;
  }
}

/* Write the units that are a mention of one unit, by the first unit of each document; how many. */
VISIBLE int64_t coleval_single_units(const int32_t *document, const int32_t *start,
                                     const int32_t *end, int64_t n, const int64_t *offset,
                                     int64_t *unit) {
  int64_t found = 0;
  for (int64_t at = 0; at < n; at++) {
    unit[found] = offset[document[at]] + start[at];
    found += start[at] == end[at];
  }
  return found;
}

/* Write the document of each of some rising keys, and of those of one unit which they are and that
 * unit; how many these are. */
VISIBLE int64_t coleval_single_keys(const int64_t *key, int64_t n, int64_t bits,
                                    const int64_t *offset, int64_t documents, uint32_t *document,
                                    int64_t *row, int64_t *unit) {
  int64_t home = 0, found = 0;
  for (int64_t at = 0; at < n; at++) {
    int64_t first = key[at] >> bits;
    while (home + 1 < documents && offset[home + 1] <= first) home++;
    document[at] = (uint32_t)home;
    row[found] = at;
    unit[found] = first;
    found += (key[at] & (((int64_t)1 << bits) - 1)) == 1;
  }
  return found;
}
