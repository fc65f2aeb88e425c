/* Columns of units that will be asked for, cut out while a text is read for its mentions.
 *
 * They are those of units that are a mention here, and of hints: of what other files say of the
 * same units. To read a text a second time for them costs as much as reading it for its mentions.
 */
#include "coref_asked.h"

#include <stdlib.h>

/* New memory costs nothing until it is used. */
enum { MORE = 1 << 20 };

/* Make room for so many things of a size in an array; whether there is memory. */
static int roomy(void *memory, int64_t *room, int64_t wanted, size_t size) {
  void **place = memory;
  if (wanted <= *room) return 1;
  int64_t larger = 2 * wanted + MORE;
  void *found = realloc(*place, (size_t)larger * size);
  if (!found) return 0;
  *place = found;
  *room = larger;
  return 1;
}

void cutting_single(Cutting *cutting, int64_t unit, const char *end) {
  int64_t count = cutting->singles + 1;
  cutting->failed |= !roomy(&cutting->single, &cutting->single_room, count, sizeof(Single));
  if (!cutting->failed) cutting->single[cutting->singles++] = (Single){unit, end};
}

void cutting_other(Cutting *cutting, int64_t units) {
  int64_t count = cutting->others + 1;
  cutting->failed |= !roomy(&cutting->other, &cutting->other_room, count, sizeof(int64_t));
  if (!cutting->failed) cutting->other[cutting->others++] = units;
}

/* Begin to cut; whether there is memory. */
static int begun(Cutting *cutting) {
  Wanted *wanted = &cutting->wanted;
  if (cutting->column) return 1;
  cutting->column = calloc((size_t)cutting->asked->columns + 1, sizeof(Column));
  wanted->columns = cutting->asked->columns;
  wanted->number = cutting->asked->number;
  wanted->column = cutting->column;
  return cutting->column && wanted_open(wanted);
}

static int room_for_unit(Cutting *cutting) {
  Asked *asked = cutting->asked;
  int64_t before = cutting->room, units = asked->units + 1;
  if (units <= before) return 1;
  for (int64_t k = 0; k < asked->columns; k++) {
    int64_t room = before;
    if (!roomy(&asked->code[k], &room, units, sizeof(int32_t))) return 0;
  }
  return roomy(&asked->unit, &cutting->room, units, sizeof(int64_t));
}

/* Add a unit, to be cut next; whether there is memory. */
static int unit_added(Cutting *cutting, int64_t unit) {
  Asked *asked = cutting->asked;
  if (!room_for_unit(cutting)) return 0;
  asked->unit[asked->units++] = unit;
  cutting->wanted.unit = asked->unit;
  cutting->wanted.units = asked->units;
  for (int64_t k = 0; k < asked->columns; k++) {
    cutting->column[k] = (Column){asked->strings[k], asked->code[k]};
  }
  return 1;
}

/* Where the line begins that goes on before a place of a block. */
static const char *line_start(const Blocks *blocks, const char *end) {
  const char *text = blocks->buffer + blocks->low;
  size_t at = (size_t)(end - text), word = at / 64;
  uint64_t ends = blocks->marks[word].ends & (((uint64_t)1 << at % 64) - 1);
  while (!ends && word) ends = blocks->marks[--word].ends;
  return ends ? text + 64 * word + 64 - __builtin_clzll(ends) : text;
}

/* The end of a line of a block, which has it. */
static const char *line_end(const Blocks *blocks, int64_t line) {
  size_t low = 0, high = blocks->words;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (blocks->marks[middle].before <= line) {
      low = middle;
    } else {
      high = middle;
    }
  }
  uint64_t ends = blocks->marks[low].ends;
  for (int64_t k = blocks->marks[low].before; k < line; k++) ends &= ends - 1;
  return blocks->buffer + blocks->low + 64 * low + lowest(ends);
}

/* Cut a unit out of a block; `end` is that of its line. Whether nothing is in doubt. */
static int unit_cut(Cutting *cutting, const Blocks *blocks, int64_t unit, const char *end) {
  if (!unit_added(cutting, unit)) return 0;
  /* Where some lines have TABs and others none, what is cut depends on which are asked for. */
  return line_cut(&cutting->wanted, line_start(blocks, end), end) && !cutting->wanted.mixed;
}

/* Cut out of a block the units that are a mention or hinted at, each once. */
static int units_cut(Cutting *cutting, const Blocks *blocks, int64_t first, int64_t last) {
  const Asked *asked = cutting->asked;
  const int64_t *hint = asked->hint + cutting->hinted, *hints = asked->hint + asked->hints;
  const Single *single = cutting->single, *singles = single + cutting->singles;
  const int64_t *other = cutting->other, *others = other + cutting->others;
  while (hint < hints && *hint < first) hint++;
  while (single < singles || (hint < hints && *hint < last)) {
    int64_t unit = single < singles ? single->unit : last;
    const char *end = single < singles ? single->end : NULL;
    if (hint < hints && *hint < unit) {
      unit = *hint;
      while (other < others && *other <= unit) other++;
      end = bare_end(line_end(blocks, unit - first + (other - cutting->other)));
    }
    if (!unit_cut(cutting, blocks, unit, end)) return 0;
    while (single < singles && single->unit == unit) single++;
    while (hint < hints && *hint == unit) hint++;
  }
  cutting->hinted = hint - asked->hint;
  return 1;
}

void cutting_block(Cutting *cutting, const Blocks *blocks, int64_t first, int64_t last) {
  if (!cutting->failed) {
    cutting->failed = !begun(cutting) || !units_cut(cutting, blocks, first, last);
  }
  cutting->singles = cutting->others = 0;
}

/* Let go of what was found. */
VISIBLE void coleval_asked_free(Asked *asked) {
  for (int64_t k = 0; k < asked->columns; k++) {
    free(asked->code[k]);
    asked->code[k] = NULL;
  }
  free(asked->unit);
  asked->unit = NULL;
  asked->units = 0;
}

void cutting_done(Cutting *cutting, int well) {
  free(cutting->single);
  free(cutting->other);
  free(cutting->column);
  wanted_close(&cutting->wanted);
  if (!well || cutting->failed) coleval_asked_free(cutting->asked);
}
