/* Which lines of a text are not, byte for byte, those of a known one; and what labels they have.
 *
 * Both texts end with a line end. Nine in ten lines of a system's file are gold's: what is alike
 * is passed over, and only lines that differ are looked at.
 */
#include <string.h>

#include "interning.h"
#include "lines.h"

enum { TOO_MANY = -2, OTHER_LENGTH = -1 };

/* How many bytes are the same. */
static int64_t alike(const char *one, const char *other, int64_t size) {
  int64_t at = 0;
  for (; size - at >= 8; at += 8) {
    uint64_t a, b;
    memcpy(&a, one + at, 8);
    memcpy(&b, other + at, 8);
    if (a != b) break;
  }
  while (at < size && one[at] == other[at]) at++;
  return at;
}

/* Write the numbers of lines that differ, from 0, and where they begin and end in both texts.
 *
 * A place is four numbers: begin and end in the known text, begin and end in the other, each
 * without the line end. The number of lines; below 0 if one text has more of them than the other,
 * or `most` are not enough. */
VISIBLE int64_t coleval_unlike_lines(const char *known, int64_t known_size, const char *text,
                                     int64_t size, int64_t most, uint32_t *row, int64_t *place) {
  int64_t found = 0, line = 0, ours = 0, theirs = 0;
  for (;;) {
    int64_t same = alike(known + ours, text + theirs, least(known_size - ours, size - theirs));
    int64_t at = ours + same, there = theirs + same;
    if (at == known_size || there == size) {
      return at == known_size && there == size ? found : OTHER_LENGTH;
    }
    if (found == most) return TOO_MANY;
    int64_t begin = at;
    while (begin > ours && known[begin - 1] != '\n') begin--;
    const char *known_end = memchr(known + at, '\n', known_size - at);
    const char *end = memchr(text + there, '\n', size - there);
    line += line_ends(known + ours, begin - ours);
    row[found] = (uint32_t)line++;
    int64_t *own = place + 4 * found++;
    own[0] = begin;
    own[1] = known_end - known;
    own[2] = there - (at - begin);
    own[3] = end - text;
    ours = own[1] + 1;
    theirs = own[3] + 1;
  }
}

/* Write lines one behind the other, and where each begins and the last ends. */
VISIBLE void coleval_taken_lines(const char *text, const int64_t *place, int64_t lines,
                                 int64_t *begin, char *out) {
  int64_t at = 0;
  for (int64_t k = 0; k < lines; k++) {
    int64_t low = place[4 * k + 2], size = place[4 * k + 3] - low;
    begin[k] = at;
    memcpy(out + at, text + low, size);
    at += size;
  }
  begin[lines] = at;
}

/* The token on a line, found from the one before it; tokens if there is none. */
static int64_t token_on(const uint32_t *line, int64_t tokens, int64_t from, uint32_t wanted) {
  while (from < tokens && line[from] < wanted) from++;
  return from < tokens && line[from] == wanted ? from : tokens;
}

/* The number of the label from here to the end of a line; below 0 if it is none beyond doubt. */
static int64_t label_number(Strings *labels, const char *at, const char *end) {
  while (end > at && end[-1] == '\r') end--;
  if (at == end) return -1;
  for (const char *sign = at; sign < end; sign++) {
    if (*sign == ' ' || *sign == '\t' || *sign == '\r') return -1;
  }
  return number_of(labels, at, end - at);
}

/* Write the tokens on lines that differ and the numbers of their labels; whether all is beyond
 * doubt: each has the known line's token, and behind a separator a label.
 *
 * `line` are the lines of the tokens, from 1. */
VISIBLE int32_t coleval_other_labels(Strings *labels, const char *known, const char *text,
                                     char separator, const uint32_t *row, const int64_t *place,
                                     int64_t lines, const uint32_t *line, int64_t tokens,
                                     int64_t *token, uint32_t *number) {
  int64_t at = 0;
  for (int64_t k = 0; k < lines; k++) {
    const int64_t *own = place + 4 * k;
    const char *word = known + own[0], *there = text + own[2];
    int64_t size = own[1] - own[0];
    const char *end = memchr(word, separator, size);
    if (!end || end == word) return 0;
    int64_t form = end + 1 - word;
    if (own[3] - own[2] < form || memcmp(word, there, form) != 0) return 0;
    at = token_on(line, tokens, at, row[k] + 1);
    if (at == tokens) return 0;
    int64_t label = label_number(labels, there + form, text + own[3]);
    if (label < 0) return 0;
    token[k] = at;
    number[k] = (uint32_t)label;
  }
  return 1;
}
