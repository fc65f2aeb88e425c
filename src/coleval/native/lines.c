/* Where the lines of a text begin. */
#include "common.h"

enum { BLOCK = 1 << 12 };

static int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }

VISIBLE int64_t coleval_line_ends(const char *text, int64_t size) {
  int64_t found = 0;
  for (int64_t low = 0; low < size; low += BLOCK) {
    int32_t own = 0;
    for (int64_t at = low, high = least(low + BLOCK, size); at < high; at++) own += text[at] == '\n';
    found += own;
  }
  return found;
}

/* Write where each line begins, and where the last one ends; one place more is written to. */
#define BEGINS(name, type)                                              \
  VISIBLE void name(const char *text, int64_t size, type *begin) {      \
    *begin++ = 0;                                                       \
    for (int64_t at = 0; at < size; begin += text[at++] == '\n') {      \
      *begin = (type)(at + 1);                                          \
    }                                                                   \
  }
BEGINS(coleval_line_begins, int32_t)
BEGINS(coleval_line_begins_far, int64_t)

/* Whether a line that is not the first begins with a space or a TAB. */
VISIBLE int32_t coleval_blank_begins(const char *text, int64_t size) {
  for (int64_t low = 0; low + 1 < size; low += BLOCK) {
    unsigned char found = 0;
    for (int64_t at = low, high = least(low + BLOCK, size - 1); at < high; at++) {
      found |= (text[at] == '\n') & ((text[at + 1] == ' ') | (text[at + 1] == '\t'));
    }
    if (found) return 1;
  }
  return 0;
}
