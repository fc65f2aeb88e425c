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

void cutting_single(Cutting *cutting, int64_t unit) {
  int64_t count = cutting->singles;
  if (cutting->failed || (count && cutting->single[count - 1] == unit)) return;
  if (!roomy(&cutting->single, &cutting->single_room, count + 1, sizeof(int64_t))) {
    cutting->failed = 1;
    return;
  }
  cutting->single[cutting->singles++] = unit;
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

/* Add the units of a block that are a mention or hinted at, each once; whether there is memory. */
static int units_added(Cutting *cutting, int64_t first, int64_t last) {
  Asked *asked = cutting->asked;
  const int64_t *hint = asked->hint + cutting->hinted, *hints = asked->hint + asked->hints;
  const int64_t *single = cutting->single, *singles = single + cutting->singles;
  while (hint < hints && *hint < first) hint++;
  while (single < singles || (hint < hints && *hint < last)) {
    if (!room_for_unit(cutting)) return 0;
    int64_t unit = single < singles ? *single : *hint;
    if (hint < hints && *hint < unit) unit = *hint;
    while (single < singles && *single == unit) single++;
    while (hint < hints && *hint == unit) hint++;
    asked->unit[asked->units++] = unit;
  }
  cutting->hinted = hint - asked->hint;
  cutting->singles = 0;
  return 1;
}

/* Begin, or go on with arrays that may be elsewhere by now; whether there is memory. */
static int ready(Cutting *cutting) {
  Asked *asked = cutting->asked;
  Wanted *wanted = &cutting->wanted;
  if (!cutting->column) {
    cutting->column = calloc((size_t)asked->columns + 1, sizeof(Column));
    wanted->columns = asked->columns;
    if (!cutting->column || !wanted_open(wanted)) return 0;
    wanted->number = asked->number;
    wanted->column = cutting->column;
  }
  for (int64_t k = 0; k < asked->columns; k++) {
    cutting->column[k] = (Column){asked->strings[k], asked->code[k]};
  }
  wanted->unit = asked->unit;
  wanted->units = asked->units;
  return 1;
}

void cutting_block(Cutting *cutting, const Blocks *blocks, int64_t first, int64_t last) {
  Asked *asked = cutting->asked;
  int64_t before = asked->units;
  if (cutting->failed) return;
  cutting->failed = !units_added(cutting, first, last);
  if (cutting->failed || asked->units == before) return;
  /* Where some lines have TABs and others none, what is cut depends on which are asked for. */
  cutting->failed = !ready(cutting) || !block_cut(&cutting->wanted, blocks, first) ||
                    cutting->wanted.done != asked->units || cutting->wanted.mixed;
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
  free(cutting->column);
  wanted_close(&cutting->wanted);
  if (!well || cutting->failed) coleval_asked_free(cutting->asked);
}
