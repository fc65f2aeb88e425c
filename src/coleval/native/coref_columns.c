/* Columns of some units of coreference text, which is read a second time for them. */
#include <string.h>

#include "blocks.h"
#include "interning.h"

/* A column: what it says, and which of that each line has, -1 for lines that are too short. */
typedef struct {
  Strings *strings;
  int32_t *code;
} Column;

typedef struct {
  /* Rising numbers of units, and which columns of them: from 1, from the end below 0, 0 is all. */
  const int64_t *unit;
  int64_t units, done;
  const int64_t *number;
  const Column *column;
  int64_t columns;
  /* Whether fields end at TABs: -1 until the first line tells. */
  int tabs;
} Wanted;

typedef struct {
  const char *at, *end;
} Field;

static int gap(const Wanted *wanted, char byte) {
  return wanted->tabs ? byte == '\t' : is_blank(byte);
}

/* The field that begins here or behind the gap that is here. */
static Field next_field(const Wanted *wanted, const char *at, const char *end) {
  while (!wanted->tabs && at < end && is_blank(*at)) at++;
  Field field = {at, at};
  while (field.end < end && !gap(wanted, *field.end)) field.end++;
  return field;
}

static Field last_field(const Wanted *wanted, const char *at, const char *end) {
  while (!wanted->tabs && end > at && is_blank(end[-1])) end--;
  Field field = {end, end};
  while (field.at > at && !gap(wanted, field.at[-1])) field.at--;
  return field;
}

/* Cut a column out of a line; whether the line has it. */
static int cut(const Wanted *wanted, const char *at, const char *end, int64_t number,
               Field *field) {
  *field = (Field){at, end};
  for (int64_t k = 0; k < number; k++) {
    if (k && at == end) return 0;
    *field = next_field(wanted, k ? at + 1 : at, end);
    if (!wanted->tabs && field->at == field->end) return 0;
    at = field->end;
  }
  for (int64_t k = 0; k > number; k--) {
    if (k && at == end) return 0;
    *field = last_field(wanted, at, k ? end - 1 : end);
    if (!wanted->tabs && field->at == field->end) return 0;
    end = field->at;
  }
  return 1;
}

/* Cut the columns out of the line of a unit, for all who ask for it; whether that worked. */
static int line_cut(Wanted *wanted, const char *at, const char *end) {
  int64_t first = wanted->done, unit = wanted->unit[first];
  while (wanted->done < wanted->units && wanted->unit[wanted->done] == unit) wanted->done++;
  if (wanted->tabs < 0) wanted->tabs = memchr(at, '\t', (size_t)(end - at)) != NULL;
  for (int64_t k = 0; k < wanted->columns; k++) {
    Field field;
    int64_t code = -1;
    if (cut(wanted, at, end, wanted->number[k], &field)) {
      code = number_of(wanted->column[k].strings, field.at, (size_t)(field.end - field.at));
      if (code < 0 || code > INT32_MAX) return 0;
    }
    for (int64_t row = first; row < wanted->done; row++) wanted->column[k].code[row] = (int32_t)code;
  }
  return 1;
}

/* Whether a line is blank, or begins or ends a document. */
static int is_other(const char *at, const char *end) {
  size_t size = (size_t)(end - at);
  if (!size) return 1;
  if (*at != '#') return 0;
  return (size >= 15 && !memcmp(at, "#begin document", 15)) ||
         (size >= 13 && !memcmp(at, "#end document", 13));
}

/* Take the units of 64 bytes; `start` is where the line begins that ends first, or next. */
static int word_cut(Wanted *wanted, Marks marks, const char *text, const char *start,
                    int64_t unit) {
  for (uint64_t ends = marks.ends; ends && wanted->done < wanted->units; ends &= ends - 1) {
    const char *stop = text + lowest(ends), *at = start;
    start = stop + 1;
    int own = unit == wanted->unit[wanted->done];
    if (!own && !(marks.odd >> lowest(ends) & 1)) {
      unit++;
      continue;
    }
    const char *end = bare_end(stop);
    if (is_other(at, end)) continue;
    unit++;
    if (own && !line_cut(wanted, at, end)) return 0;
  }
  return 1;
}

/* How many lines that end in 64 bytes are no units. */
static int64_t others_of(Marks marks, const char *text, const char *start) {
  int64_t others = 0;
  for (uint64_t odd = marks.odd & marks.ends; odd; odd &= odd - 1) {
    uint64_t own = odd & -odd;
    uint64_t above = marks.ends & (own - 1);
    const char *at = above ? text + 64 - __builtin_clzll(above) : start;
    others += is_other(at, bare_end(text + lowest(odd)));
  }
  return others;
}

/* Take those units that are in a block, of which the first is `unit`. */
static int block_cut(Wanted *wanted, const Blocks *blocks, int64_t unit) {
  const char *text = blocks->buffer + blocks->low, *start = text;
  for (size_t word = 0; word < blocks->words && wanted->done < wanted->units; word++) {
    Marks marks = blocks->marks[word];
    if (!marks.ends) continue;
    const char *at = text + 64 * word;
    int64_t units = ones(marks.ends);
    if (marks.odd) units -= others_of(marks, at, start);
    if (wanted->unit[wanted->done] < unit + units && !word_cut(wanted, marks, at, start, unit)) {
      return 0;
    }
    unit += units;
    start = at + 64 - __builtin_clzll(marks.ends);
  }
  return 1;
}

/* Cut columns out of the lines of rising units, of a text in blocks; 1 if all were there. */
VISIBLE int32_t coleval_coref_columns(int32_t fd, const char *text, int64_t size,
                                      const int64_t *place, const int64_t *first, int64_t count,
                                      const int64_t *unit, int64_t units, const int64_t *number,
                                      const Column *column, int64_t columns) {
  Wanted wanted = {.unit = unit, .units = units, .number = number, .column = column,
                   .columns = columns, .tabs = -1};
  Blocks blocks;
  int sound = blocks_open(&blocks, fd, text, size);
  for (int64_t k = 0; k < count && sound && wanted.done < units; k++) {
    /* The unit is in a later block, if one begins with it or before it. */
    if (k + 1 < count && first[k + 1] <= unit[wanted.done]) continue;
    sound = blocks_at(&blocks, place[k], (size_t)(place[k + 1] - place[k])) &&
            block_cut(&wanted, &blocks, first[k]);
  }
  blocks_close(&blocks);
  return sound && wanted.done == units;
}
