/* Distinct strings by number, for threads that look up and add at once. */
#ifndef COLEVAL_INTERNING_H
#define COLEVAL_INTERNING_H

#include "common.h"

typedef struct Strings Strings;

typedef struct {
  uint64_t hash;
  const char *text;
  uint32_t size;
  /* The bytes that are no separator of words (Unicode's Zs). */
  uint32_t bare;
} String;

/* The number of a string, which is added if it is new; -1 if it is not UTF-8, or no memory. */
int64_t number_of(Strings *strings, const char *text, size_t size);

/* The string of a number that was given out. */
const String *string_of(const Strings *strings, int64_t number);

/* Whether bytes are UTF-8. */
int is_utf8(const char *text, size_t size);

/* The bytes of the separator of words (Zs) that begins here, 0 if none does. */
size_t separator(const char *text, size_t size);

#endif
