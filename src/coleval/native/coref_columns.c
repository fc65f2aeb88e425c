/* Columns of some units of coreference text, which is read a second time for them. */
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

/* The fields of one column, each with a line end; `there` tells which lines have it. */
typedef struct {
  char *text;
  int64_t size, room;
  uint8_t *there;
} Column;

typedef struct {
  /* Rising numbers of units, and which columns of them: from 1, from the end below 0, 0 is all. */
  const int64_t *unit;
  int64_t units, done;
  const int64_t *number;
  Column *column;
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

static int added(Column *column, Field field) {
  int64_t size = field.end - field.at;
  if (column->size + size >= column->room) {
    int64_t room = 2 * (column->size + size) + 4096;
    char *text = realloc(column->text, (size_t)room);
    if (!text) return 0;
    column->text = text;
    column->room = room;
  }
  memcpy(column->text + column->size, field.at, (size_t)size);
  column->size += size;
  column->text[column->size++] = '\n';
  return 1;
}

static int line_cut(Wanted *wanted, const char *at, const char *end) {
  Field field;
  if (wanted->tabs < 0) wanted->tabs = memchr(at, '\t', (size_t)(end - at)) != NULL;
  for (int64_t k = 0; k < wanted->columns; k++) {
    Column *column = &wanted->column[k];
    int there = cut(wanted, at, end, wanted->number[k], &field);
    column->there[wanted->done] = (uint8_t)there;
    if (there && !added(column, field)) return 0;
  }
  return 1;
}

/* Whether a line is blank, or begins or ends a document. */
static int is_other(const char *at, const char *end) {
  size_t size = (size_t)(end - at);
  return !size || (size >= 15 && !memcmp(at, "#begin document", 15)) ||
         (size >= 13 && !memcmp(at, "#end document", 13));
}

/* Take those units that are in a block, of which the first is `unit`. */
static int block_cut(Wanted *wanted, const Blocks *blocks, int64_t unit) {
  const char *text = blocks->buffer + blocks->low, *start = text;
  for (size_t word = 0; word < blocks->words; word++) {
    Marks marks = blocks->marks[word];
    for (uint64_t ends = marks.ends; ends; ends &= ends - 1) {
      const char *stop = text + 64 * word + lowest(ends), *at = start;
      start = stop + 1;
      int odd = marks.odd >> lowest(ends) & 1;
      int own = unit == wanted->unit[wanted->done];
      if (!odd && !own) {
        unit++;
        continue;
      }
      const char *end = bare_end(stop);
      if (end <= at || is_other(at, end)) continue;
      unit++;
      for (; own && wanted->unit[wanted->done] == unit - 1; own = wanted->done < wanted->units) {
        if (!line_cut(wanted, at, end)) return 0;
        wanted->done++;
        if (wanted->done == wanted->units) return 1;
      }
    }
  }
  return 1;
}

VISIBLE void coleval_coref_columns_free(Column *column, int64_t columns) {
  for (int64_t k = 0; k < columns; k++) {
    free(column[k].text);
    column[k].text = NULL;
  }
}

/* Cut columns out of the lines of rising units, of a text in blocks; 1 if all were there. */
VISIBLE int32_t coleval_coref_columns(int32_t fd, const char *text, int64_t size,
                                      const int64_t *place, const int64_t *first, int64_t count,
                                      const int64_t *unit, int64_t units, const int64_t *number,
                                      Column *column, int64_t columns) {
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
  if (sound && wanted.done == units) return 1;
  coleval_coref_columns_free(column, columns);
  return 0;
}
