/* Columns of some units of coreference text, which is read a second time for them. */
#include <stdlib.h>
#include <string.h>

#include "coref_columns.h"

#if defined(__SSE2__) && !defined(COLEVAL_PLAIN)
#include <emmintrin.h>
#endif

typedef struct {
  const char *at, *end;
} Field;

/* The first TABs of a line, and how many of them are known. */
typedef struct {
  const char *at[FIRST];
  int64_t count;
} Tabs;

static int gap(const Wanted *wanted, char byte) {
  return wanted->tabs ? byte == '\t' : is_blank(byte);
}

/* Which of 16 bytes are TABs; so many may be read behind a line. */
static uint32_t tabs_in(const char *at) {
#if defined(__SSE2__) && !defined(COLEVAL_PLAIN)
  __m128i bytes = _mm_loadu_si128((const __m128i *)at);
  return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')));
#else
  uint32_t found = 0;
  for (unsigned k = 0; k < 16; k++) found |= (uint32_t)(at[k] == '\t') << k;
  return found;
#endif
}

/* At most 8 bytes as a number. */
static uint64_t first_bytes(const char *at, size_t size) {
  uint64_t bytes;
  memcpy(&bytes, at, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return bytes << (64 - 8 * size);
#else
  return bytes >> (64 - 8 * size);
#endif
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

static void find_tabs(Tabs *tabs, const char *at, const char *end) {
  tabs->count = 0;
  for (; at < end; at += 16) {
    for (uint32_t found = tabs_in(at); found; found &= found - 1) {
      const char *tab = at + lowest(found);
      if (tab >= end || tabs->count == FIRST) return;
      tabs->at[tabs->count++] = tab;
    }
  }
}

/* The same of a line whose first TABs are known, where these tell; else as above. */
static int quickly_cut(const Wanted *wanted, const Tabs *tabs, const char *at, const char *end,
                       int64_t number, Field *field) {
  if (!wanted->tabs || number < 1 || number > FIRST) return cut(wanted, at, end, number, field);
  if (number - 1 > tabs->count) return 0;
  field->at = number > 1 ? tabs->at[number - 2] + 1 : at;
  field->end = number - 1 < tabs->count ? tabs->at[number - 1] : end;
  return 1;
}

/* The number of a field, which is looked for among the short ones that were there lately. */
static int64_t field_code(Strings *strings, Short *kept, Field field) {
  size_t size = (size_t)(field.end - field.at);
  if (!size || size > 8) return number_of(strings, field.at, size);
  uint64_t bytes = first_bytes(field.at, size);
  Short *own = &kept[bytes * 0x9e3779b97f4a7c15u >> (64 - KEPT_BITS)];
  if (own->bytes == bytes && own->size == size) return own->code;
  int64_t code = number_of(strings, field.at, size);
  if (code >= 0 && code <= INT32_MAX) *own = (Short){bytes, (uint32_t)size, (int32_t)code};
  return code;
}

/* All who ask for the unit get what its line says. */
int line_cut(Wanted *wanted, const char *at, const char *end) {
  int64_t first = wanted->done, unit = wanted->unit[first];
  while (wanted->done < wanted->units && wanted->unit[wanted->done] == unit) wanted->done++;
  Tabs tabs;
  find_tabs(&tabs, at, end);
  int there = tabs.count > 0;
  if (wanted->tabs < 0) wanted->tabs = there;
  wanted->mixed |= there != wanted->tabs;
  for (int64_t k = 0; k < wanted->columns; k++) {
    Field field;
    int64_t code = -1;
    if (quickly_cut(wanted, &tabs, at, end, wanted->number[k], &field)) {
      code = field_code(wanted->column[k].strings, wanted->kept + k * KEPT, field);
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

/* Take those units that are in a block, of which the first is `unit`; whether that worked. */
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

int wanted_open(Wanted *wanted) {
  wanted->tabs = -1;
  wanted->kept = calloc((size_t)wanted->columns * KEPT + 1, sizeof(Short));
  return wanted->kept != NULL;
}

void wanted_close(Wanted *wanted) { free(wanted->kept); }

/* Cut columns out of the lines of rising units, of a text in blocks; 1 if all were there. */
VISIBLE int32_t coleval_coref_columns(int32_t fd, const char *text, int64_t size,
                                      const int64_t *place, const int64_t *first, int64_t count,
                                      const int64_t *unit, int64_t units, const int64_t *number,
                                      const Column *column, int64_t columns) {
  Wanted wanted = {.unit = unit, .units = units, .number = number, .column = column,
                   .columns = columns};
  Blocks blocks;
  int opened = blocks_open(&blocks, fd, text, size), sound = wanted_open(&wanted) && opened;
  for (int64_t k = 0; k < count && sound && wanted.done < units; k++) {
    /* The unit is in a later block, if one begins with it or before it. */
    if (k + 1 < count && first[k + 1] <= unit[wanted.done]) continue;
    sound = blocks_at(&blocks, place[k], (size_t)(place[k + 1] - place[k])) &&
            block_cut(&wanted, &blocks, first[k]);
  }
  blocks_close(&blocks);
  wanted_close(&wanted);
  return sound && wanted.done == units;
}
