/* Columns that are cut out of the lines of some units. */
#ifndef COLEVAL_COREF_COLUMNS_H
#define COLEVAL_COREF_COLUMNS_H

#include "blocks.h"
#include "interning.h"

/* A column: what it says, and which of that each line has, -1 for lines that are too short. */
typedef struct {
  Strings *strings;
  int32_t *code;
} Column;

/* A field of at most 8 bytes and its number; no bytes where there is none. */
typedef struct {
  uint64_t bytes;
  uint32_t size;
  int32_t code;
} Short;

/* So many short fields of a column, and so many TABs of a line, are kept in mind. */
enum { KEPT_BITS = 14, KEPT = 1 << KEPT_BITS, FIRST = 16 };

typedef struct {
  /* Rising numbers of units, and which columns of them: from 1, from the end below 0, 0 is all. */
  const int64_t *unit;
  int64_t units, done;
  const int64_t *number;
  const Column *column;
  int64_t columns;
  /* Whether fields end at TABs, which the first line tells, and whether another differs. */
  int tabs, mixed;
  /* For each column `KEPT` short fields that were there lately. */
  Short *kept;
} Wanted;

/* Begin to cut, with all but the last two lines filled in; whether there is memory for it. */
int wanted_open(Wanted *wanted);
void wanted_close(Wanted *wanted);

/* Cut the columns out of the line of the next unit, to its bare end; whether that worked. */
int line_cut(Wanted *wanted, const char *at, const char *end);

#endif
