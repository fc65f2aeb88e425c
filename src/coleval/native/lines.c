/* Where the lines of a text begin. */
#include "lines.h"

/* So few at a time that a byte holds their number, and compilers make the loop wide. */
enum { FEW = 240, BLOCK = 1 << 12 };

int64_t line_ends(const char *text, int64_t size) {
  int64_t found = 0;
  for (int64_t low = 0; low < size; low += FEW) {
    uint8_t own = 0;
    for (int64_t at = low, high = least(low + FEW, size); at < high; at++) own += text[at] == '\n';
    found += own;
  }
  return found;
}

VISIBLE int64_t coleval_line_ends(const char *text, int64_t size) { return line_ends(text, size); }

/* Write where each line begins, and where the last one ends; one place more is written to. */
VISIBLE void coleval_line_begins(const char *text, int64_t size, int64_t *begin) {
  *begin++ = 0;
  for (int64_t at = 0; at < size; begin += text[at++] == '\n') *begin = at + 1;
}

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
