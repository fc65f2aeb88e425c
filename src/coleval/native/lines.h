/* Line ends of a text. */
#ifndef COLEVAL_LINES_H
#define COLEVAL_LINES_H

#include "common.h"

static inline int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }

int64_t line_ends(const char *text, int64_t size);

#endif
