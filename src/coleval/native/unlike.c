/* Which lines of a text are not, byte for byte, those of a known one; and what labels they have.
 *
 * Both texts end with a line end. Nine in ten lines of a system's file are gold's: what is alike
 * is passed over, and only lines that differ are looked at.
 */
#include <string.h>

#include "interning.h"
#include "lines.h"

enum { UNSURE = -3, TOO_MANY = -2, OTHER_LENGTH = -1 };

/* How far both texts have been passed over, and the lines in them that differ: without their ends,
 * the number of the line from 0. */
typedef struct {
  const char *known, *text;
  int64_t known_size, size, ours, theirs, line;
  int64_t known_low, known_high, low, high;
} Walk;

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

/* Go to the next line that differs: 1, or 0 at the end, or below 0 if one text has more lines. */
static int next_unlike(Walk *walk) {
  const char *known = walk->known, *text = walk->text;
  int64_t ours = walk->ours, theirs = walk->theirs;
  int64_t most = least(walk->known_size - ours, walk->size - theirs);
  int64_t same = alike(known + ours, text + theirs, most);
  int64_t at = ours + same, there = theirs + same;
  if (at == walk->known_size || there == walk->size) {
    return at == walk->known_size && there == walk->size ? 0 : OTHER_LENGTH;
  }
  int64_t begin = at;
  while (begin > ours && known[begin - 1] != '\n') begin--;
  walk->line += line_ends(known + ours, begin - ours) + (ours > 0);
  walk->known_low = begin;
  walk->known_high = (const char *)memchr(known + at, '\n', walk->known_size - at) - known;
  walk->low = there - (at - begin);
  walk->high = (const char *)memchr(text + there, '\n', walk->size - there) - text;
  walk->ours = walk->known_high + 1;
  walk->theirs = walk->high + 1;
  return 1;
}

/* Write the numbers of lines that differ, from 0, and where they begin and end in the text.
 *
 * The number of lines; below 0 if one text has more of them, or `most` are not enough. */
VISIBLE int64_t coleval_unlike_lines(const char *known, int64_t known_size, const char *text,
                                     int64_t size, int64_t most, uint32_t *row, int64_t *place) {
  Walk walk = {.known = known, .text = text, .known_size = known_size, .size = size};
  int64_t found = 0;
  int more;
  while ((more = next_unlike(&walk)) > 0) {
    if (found == most) return TOO_MANY;
    row[found] = (uint32_t)walk.line;
    place[2 * found] = walk.low;
    place[2 * found++ + 1] = walk.high;
  }
  return more < 0 ? more : found;
}

/* Write lines one behind the other, and where each begins and the last ends. */
VISIBLE void coleval_taken_lines(const char *text, const int64_t *place, int64_t lines,
                                 int64_t *begin, char *out) {
  int64_t at = 0;
  for (int64_t k = 0; k < lines; k++) {
    int64_t low = place[2 * k], size = place[2 * k + 1] - low;
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

/* How lines are laid out: so many columns, of which one is the token and one the label. */
typedef struct {
  int32_t width, form, label;
  char separator;
} Layout;

typedef struct {
  const char *form, *form_end, *label, *label_end;
} Fields;

/* Find the token and the label of a line; whether it has all columns, and none is empty. */
static int fields_found(const char *at, const char *end, const Layout *layout, Fields *found) {
  *found = (Fields){at, at, at, at};
  while (end > at && end[-1] == '\r') end--;
  for (int32_t column = 0; column < layout->width; column++) {
    const char *stop = memchr(at, layout->separator, end - at);
    if (!stop) stop = end;
    if (stop == at) return 0;
    if (column == layout->form) found->form = at, found->form_end = stop;
    if (column == layout->label) found->label = at, found->label_end = stop;
    if (stop == end) return column + 1 == layout->width;
    at = stop + 1;
  }
  return 0;
}

/* Whether a line is text in which nothing but the separator may separate columns. */
static int is_plain(const char *at, const char *end, char separator) {
  return is_utf8(at, end - at) && (separator == '\t' || !memchr(at, '\t', end - at));
}

/* The number of a label; below 0 if it is none beyond doubt. */
static int64_t label_number(Strings *labels, const char *at, const char *end) {
  for (const char *sign = at; sign < end; sign++) {
    if (*sign == ' ' || *sign == '\t' || *sign == '\r') return -1;
  }
  return number_of(labels, at, end - at);
}

/* Write the tokens on lines that differ and the numbers of their labels.
 *
 * `line` are the lines of the tokens, from 1. The number of lines; below 0 as above, and if any line
 * is not, beyond doubt, one of the known line's token and a label. */
VISIBLE int64_t coleval_unlike_labels(Strings *labels, const char *known, int64_t known_size,
                                      const char *text, int64_t size, const Layout *layout,
                                      const uint32_t *line, int64_t tokens, int64_t most,
                                      int64_t *token, uint32_t *number) {
  Walk walk = {.known = known, .text = text, .known_size = known_size, .size = size};
  int64_t found = 0, at = 0;
  int more;
  while ((more = next_unlike(&walk)) > 0) {
    if (found == most) return TOO_MANY;
    const char *low = text + walk.low, *high = text + walk.high;
    Fields ours, theirs;
    if (!fields_found(known + walk.known_low, known + walk.known_high, layout, &ours)) return UNSURE;
    if (!fields_found(low, high, layout, &theirs)) return UNSURE;
    if (!is_plain(low, high, layout->separator)) return UNSURE;
    size_t form = ours.form_end - ours.form;
    if ((size_t)(theirs.form_end - theirs.form) != form) return UNSURE;
    if (memcmp(ours.form, theirs.form, form) != 0) return UNSURE;
    at = token_on(line, tokens, at, (uint32_t)walk.line + 1);
    if (at == tokens) return UNSURE;
    int64_t label = label_number(labels, theirs.label, theirs.label_end);
    if (label < 0) return UNSURE;
    token[found] = at;
    number[found++] = (uint32_t)label;
  }
  return more < 0 ? more : found;
}
