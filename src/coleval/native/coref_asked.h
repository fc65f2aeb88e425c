/* Columns of units that will be asked for, cut out while a text is read for its mentions. */
#ifndef COLEVAL_COREF_ASKED_H
#define COLEVAL_COREF_ASKED_H

#include "coref_columns.h"

/* What is asked for, and what is found; all of that is memory that `coleval_asked_free` lets go. */
typedef struct {
  /* Rising numbers of units beside those that are a mention, and the columns of all of them. */
  const int64_t *hint;
  int64_t hints;
  const int64_t *number;
  Strings *const *strings;
  int64_t columns;
  /* Each unit once, in their order, and its code in each column; none if anything went wrong. */
  int64_t *unit;
  int32_t **code;
  int64_t units;
} Asked;

/* A unit of the block that is a mention, and the bare end of its line. */
typedef struct {
  int64_t unit;
  const char *end;
} Single;

/* Where cutting stands. */
typedef struct {
  Asked *asked;
  /* Of the block: units that are a mention, and how many units are before each other line. */
  Single *single;
  int64_t singles, single_room, *other, others, other_room;
  /* The room for all units, and how many hints are done. */
  int64_t room, hinted;
  Column *column;
  Wanted wanted;
  int failed;
} Cutting;

/* Note that a unit of the block is a mention; they rise. */
void cutting_single(Cutting *cutting, int64_t unit, const char *end);

/* Note that a line of the block is no unit; so many units are before it. */
void cutting_other(Cutting *cutting, int64_t units);

/* Cut the columns out of a block, of which the first unit is `first` and `last` behind the last. */
void cutting_block(Cutting *cutting, const Blocks *blocks, int64_t first, int64_t last);

/* Let go of what only cutting needs, and of what was found unless all went well. */
void cutting_done(Cutting *cutting, int well);

#endif
