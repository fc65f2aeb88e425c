/* A text in blocks of whole lines, read into one small buffer: new memory is what is dear. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Tests compile this anew with fewer bytes a block, and without wide registers. */
#if defined(__x86_64__) && !defined(COLEVAL_PLAIN)
#define COLEVAL_WIDE
#include <immintrin.h>
#endif
#if !defined(COLEVAL_STEP)
#define COLEVAL_STEP (1 << 17)
#endif

enum { STEP = COLEVAL_STEP };

/* Mark 64 bytes after the other; the two before them are looked at as well. */
static void marked_plainly(Blocks *blocks, const char *at) {
  int64_t before = 0;
  for (size_t word = 0; word < blocks->words; word++) {
    uint64_t ends = 0, odd = 0;
    for (unsigned k = 0; k < 64; k++, at++) {
      uint64_t end = *at == '\n';
      uint64_t silent = (at[-1] == '-' || at[-1] == '_') && (at[-2] == '\t' || at[-2] == ' ');
      uint64_t note = *at == '#' && at[-1] == '\n';
      ends |= end << k;
      odd |= ((end & !silent) | note) << k;
      blocks->high_bytes |= *at & 0x80;
      blocks->zeros |= !*at;
    }
    blocks->marks[word] = (Marks){ends, odd, before};
    before += ones(ends);
  }
}

#if defined(COLEVAL_WIDE)
typedef struct {
  __m256i ends, odd;
} Pair;

__attribute__((target("avx2"))) static inline Pair pair(const char *at, __m256i *all,
                                                       __m256i *least) {
#define IS(bytes, sign) _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(sign))
  __m256i own = _mm256_loadu_si256((const __m256i *)at);
  __m256i last = _mm256_loadu_si256((const __m256i *)(at - 1));
  __m256i gap = _mm256_loadu_si256((const __m256i *)(at - 2));
  __m256i ends = IS(own, '\n');
  __m256i silent = _mm256_and_si256(_mm256_or_si256(IS(last, '-'), IS(last, '_')),
                                    _mm256_or_si256(IS(gap, '\t'), IS(gap, ' ')));
  __m256i note = _mm256_and_si256(IS(own, '#'), IS(last, '\n'));
  *all = _mm256_or_si256(*all, own);
  *least = _mm256_min_epu8(*least, own);
  return (Pair){ends, _mm256_or_si256(_mm256_andnot_si256(silent, ends), note)};
#undef IS
}

__attribute__((target("avx2,popcnt"))) static void marked_wide(Blocks *blocks, const char *at) {
  __m256i all = _mm256_setzero_si256(), least = _mm256_set1_epi8(-1);
  int64_t before = 0;
  for (size_t word = 0; word < blocks->words; word++, at += 64) {
    Pair low = pair(at, &all, &least), high = pair(at + 32, &all, &least);
    uint64_t ends = (uint32_t)_mm256_movemask_epi8(low.ends) |
                    (uint64_t)(uint32_t)_mm256_movemask_epi8(high.ends) << 32;
    uint64_t odd = (uint32_t)_mm256_movemask_epi8(low.odd) |
                   (uint64_t)(uint32_t)_mm256_movemask_epi8(high.odd) << 32;
    blocks->marks[word] = (Marks){ends, odd, before};
    before += __builtin_popcountll(ends);
  }
  blocks->high_bytes |= _mm256_movemask_epi8(all) != 0;
  blocks->zeros |= _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, _mm256_setzero_si256())) != 0;
}
#endif

/* Mark the lines of the block; of the last bytes those behind it do not count. */
static void mark(Blocks *blocks) {
  size_t size = blocks->high - blocks->low;
  const char *at = blocks->buffer + blocks->low;
  blocks->words = (size + 63) / 64;
  blocks->high_bytes = blocks->zeros = 0;
#if defined(COLEVAL_WIDE)
  if (__builtin_cpu_supports("avx2")) {
    marked_wide(blocks, at);
  } else {
    marked_plainly(blocks, at);
  }
#else
  marked_plainly(blocks, at);
#endif
  if (size % 64) {
    Marks *last = &blocks->marks[blocks->words - 1];
    uint64_t own = ((uint64_t)1 << size % 64) - 1;
    last->ends &= own;
    last->odd &= own;
  }
}

/* Make room for so many bytes; whether there is memory. */
static int roomy(Blocks *blocks, size_t room) {
  if (room <= blocks->room) return 1;
  char *buffer = realloc(blocks->buffer, room + 2 * PAD);
  if (buffer) blocks->buffer = buffer;
  Marks *marks = realloc(blocks->marks, (room / 64 + 2) * sizeof(Marks));
  if (marks) blocks->marks = marks;
  if (!buffer || !marks) return 0;
  size_t known = blocks->room ? blocks->room + PAD : 0;
  memset(buffer + known, '\n', room + 2 * PAD - known);
  blocks->room = room;
  return 1;
}

int blocks_open(Blocks *blocks, int fd, const char *text, int64_t size) {
  *blocks = (Blocks){.fd = fd, .text = text, .size = size, .low = PAD, .high = PAD, .fill = PAD};
  return roomy(blocks, 2 * STEP);
}

void blocks_close(Blocks *blocks) {
  free(blocks->buffer);
  free(blocks->marks);
}

/* Put the bytes at a place of the text into the buffer; how many, 0 at its end, or below 0. */
static ssize_t bytes_at(Blocks *blocks, int64_t place, size_t at, size_t size) {
  if (blocks->fd < 0) {
    int64_t left = blocks->size - place;
    if (left < (int64_t)size) size = left > 0 ? (size_t)left : 0;
    memcpy(blocks->buffer + at, blocks->text + place, size);
    return (ssize_t)size;
  }
  ssize_t found;
  do {
    found = pread(blocks->fd, blocks->buffer + at, size, (off_t)place);
  } while (found < 0 && errno == EINTR);
  return found;
}

/* The place behind the last line end of some bytes, 0 if there is none. */
static size_t behind_line(const char *buffer, size_t low, size_t high) {
  while (high > low && buffer[high - 1] != '\n') high--;
  return high > low ? high : 0;
}

/* Marks of UTF-8 that a text begins with become line ends. */
static void without_marks(Blocks *blocks) {
  while (blocks->high - blocks->low >= 3 && !memcmp(blocks->buffer + blocks->low, "\xef\xbb\xbf", 3)) {
    memset(blocks->buffer + blocks->low, '\n', 3);
    blocks->low += 3;
    blocks->place += 3;
  }
}

int blocks_next(Blocks *blocks) {
  size_t rest = blocks->fill - blocks->high;
  int first = blocks->place == 0 && blocks->high == PAD;
  blocks->place += (int64_t)(blocks->high - blocks->low);
  memmove(blocks->buffer + PAD, blocks->buffer + blocks->high, rest);
  blocks->low = PAD;
  blocks->fill = PAD + rest;
  for (blocks->high = 0; !blocks->high;) {
    size_t left = blocks->room + PAD - blocks->fill;
    if (left < STEP) {
      if (!roomy(blocks, 2 * blocks->room)) return -1;
      continue;
    }
    size_t seen = blocks->fill;
    ssize_t size = bytes_at(blocks, blocks->place + (int64_t)(seen - PAD), seen, STEP);
    if (size < 0) return -1;
    blocks->fill += (size_t)size;
    if (!size && seen == PAD) return 0;
    if (!size) blocks->buffer[blocks->fill++] = '\n';
    blocks->high = behind_line(blocks->buffer, seen, blocks->fill);
  }
  if (first) without_marks(blocks);
  mark(blocks);
  return 1;
}

int blocks_at(Blocks *blocks, int64_t place, size_t size) {
  if (!roomy(blocks, size + 1)) return 0;
  size_t at = PAD;
  while (at < PAD + size) {
    ssize_t found = bytes_at(blocks, place + (int64_t)(at - PAD), at, PAD + size - at);
    if (found < 0) return 0;
    if (!found) break;
    at += (size_t)found;
  }
  /* The last line of a text may lack its end. */
  if (at + 1 == PAD + size) blocks->buffer[at++] = '\n';
  if (at != PAD + size || blocks->buffer[at - 1] != '\n') return 0;
  blocks->low = PAD;
  blocks->high = blocks->fill = at;
  blocks->place = place;
  mark(blocks);
  return 1;
}
