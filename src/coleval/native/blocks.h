/* A text in blocks of whole lines, and which of its lines say more than that there is nothing. */
#ifndef COLEVAL_BLOCKS_H
#define COLEVAL_BLOCKS_H

#include "common.h"

/* Line ends stand before the first byte, and so many bytes may be read behind the last. */
enum { PAD = 64 };

/* Of 64 bytes: line ends, what is to be looked at, and how many line ends are before them.
 *
 * To be looked at are ends of lines whose last column is not `-` or `_`, and `#` at the beginning
 * of a line. */
typedef struct {
  uint64_t ends;
  uint64_t odd;
  int64_t before;
} Marks;

/* Where bytes come from: an open file, or the memory if that is below 0. */
typedef struct {
  int fd;
  const char *text;
  int64_t size;
  /* The block: whole lines from `low` to `high` in the buffer, which is filled up to `fill`. */
  char *buffer;
  size_t room, low, high, fill;
  /* Where the block begins in the text. */
  int64_t place;
  Marks *marks;
  size_t words;
  /* Whether there are bytes above 127, and bytes of 0. */
  int high_bytes, zeros;
} Blocks;

/* Open a text; whether there is memory for it. */
int blocks_open(Blocks *blocks, int fd, const char *text, int64_t size);
void blocks_close(Blocks *blocks);

/* Go to the next block: 1, or 0 at the end of the text, or -1 if it cannot be read. */
int blocks_next(Blocks *blocks);

/* Read the block that is at a place again; 1 if it is there as a whole. */
int blocks_at(Blocks *blocks, int64_t place, size_t size);

static inline int is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

/* The end of a line before the white space that it ends with: that before it, if it is blank. */
static inline const char *bare_end(const char *end) {
  while (is_blank(end[-1])) end--;
  return end;
}

static inline unsigned lowest(uint64_t bits) { return (unsigned)__builtin_ctzll(bits); }

static inline unsigned ones(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (unsigned)(bits * 0x0101010101010101u >> 56);
}

#endif
