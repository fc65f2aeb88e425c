/* Texts as Arrow keeps them in views, numbered by their first occurrence. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* A text: up to 12 bytes as they are, else the first four and where all of them stand. */
typedef struct {
  int32_t size;
  union {
    char bytes[12];
    struct { char prefix[4]; int32_t buffer, offset; } far;
  } as;
} View;

enum { NEAR = 12 };

typedef struct {
  const View *views;
  const char *const *buffers;
} Texts;

static const char *bytes_of(const Texts *texts, const View *view)
{
  return view->size <= NEAR ? view->as.bytes : texts->buffers[view->as.far.buffer] + view->as.far.offset;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/* Bytes behind a short text are zeros, so its view says all of it. */
static uint64_t hash_of(const Texts *texts, const View *view)
{
  uint64_t word, hash = (uint64_t)view->size;
  if (view->size <= NEAR) {
    uint64_t words[2];
    memcpy(words, view, sizeof words);
    return mixed(mixed(0, words[0]), words[1]);
  }
  const char *bytes = bytes_of(texts, view);
  int32_t at = 0;
  for (; view->size - at >= 8; at += 8) {
    memcpy(&word, bytes + at, 8);
    hash = mixed(hash, word);
  }
  memcpy(&word, bytes + view->size - 8, 8);
  return mixed(hash, word);
}

static int same(const Texts *texts, const View *a, const View *b)
{
  if (a->size != b->size)
    return 0;
  return memcmp(bytes_of(texts, a), bytes_of(texts, b), a->size) == 0;
}

/* Places of distinct texts by their hash: the number of a text + 1, and half of the hash. */
typedef struct { uint32_t number, hash; } Slot;

typedef struct {
  Slot *slots;
  uint64_t mask;
} Table;

static int table_grow(Table *table)
{
  uint64_t size = table->slots ? 2 * (table->mask + 1) : 1 << 12;
  Slot *slots = calloc(size, sizeof *slots);
  if (slots == NULL)
    return 0;
  for (uint64_t k = 0; table->slots && k <= table->mask; k++) {
    Slot old = table->slots[k];
    uint64_t at = old.hash & (size - 1);
    if (old.number == 0)
      continue;
    while (slots[at].number)
      at = (at + 1) & (size - 1);
    slots[at] = old;
  }
  free(table->slots);
  table->slots = slots;
  table->mask = size - 1;
  return 1;
}

/* Give each text its number; `first` gets a row of each number. The numbers, or -1 without memory. */
VISIBLE int64_t coleval_text_codes(const View *views, const char *const *buffers, int64_t rows,
                                   uint32_t *codes, uint32_t *first)
{
  Texts texts = {views, buffers};
  Table table = {NULL, 0};
  uint32_t known = 0;
  if (!table_grow(&table))
    return -1;
  for (int64_t row = 0; row < rows; row++) {
    const View *view = views + row;
    uint32_t hash = (uint32_t)(hash_of(&texts, view) >> 32);
    uint64_t at = hash & table.mask;
    Slot slot = table.slots[at];
    while (slot.number && !(slot.hash == hash && same(&texts, view, views + first[slot.number - 1]))) {
      at = (at + 1) & table.mask;
      slot = table.slots[at];
    }
    if (slot.number == 0) {
      first[known++] = (uint32_t)row;
      slot = table.slots[at] = (Slot){known, hash};
      if (2 * (uint64_t)known > table.mask && !table_grow(&table)) {
        free(table.slots);
        return -1;
      }
    }
    codes[row] = slot.number - 1;
  }
  free(table.slots);
  return known;
}

/* Write texts behind their sizes of four bytes; return how many bytes that takes, if to no place. */
VISIBLE int64_t coleval_text_plain(const View *views, const char *const *buffers, int64_t rows,
                                   const uint32_t *row, char *out)
{
  Texts texts = {views, buffers};
  int64_t at = 0;
  for (int64_t k = 0; k < rows; k++) {
    const View *view = views + row[k];
    if (out != NULL) {
      memcpy(out + at, &view->size, 4);
      memcpy(out + at + 4, bytes_of(&texts, view), view->size);
    }
    at += 4 + view->size;
  }
  return at;
}
