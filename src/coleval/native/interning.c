/* Distinct strings by number, for threads that look up and add at once.
 *
 * To look up takes no lock: a slot is written once, after the string that it names, and a table
 * that has become too small is kept until the end. Strings never move.
 */
#include "interning.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 13, CHUNKS = 1 << 18, FIRST = 1 << 12, BLOCK = 1 << 18 };

typedef struct Table {
  struct Table *before;
  uint64_t mask;
  /* The upper half of a hash, and the number of the string plus one; 0 is empty. */
  _Atomic uint64_t slot[];
} Table;

struct Strings {
  pthread_mutex_t lock;
  _Atomic(Table *) table;
  _Atomic int64_t count;
  char *block;
  size_t left;
  /* All blocks, each with the one before it in its first bytes. */
  char *blocks;
  String *chunk[CHUNKS];
};

static uint64_t mixed(uint64_t a, uint64_t b) {
  __uint128_t product = (__uint128_t)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t eight(const char *at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

static uint64_t four(const char *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

static uint64_t hash_of(const char *text, size_t size) {
  const uint64_t a = 0x9e3779b97f4a7c15u, b = 0xd6e8feb86659fd93u;
  uint64_t hash = mixed(size ^ a, b), low = 0, high = 0;
  while (size > 16) {
    hash = mixed(eight(text) ^ hash ^ a, eight(text + 8) ^ b);
    text += 16;
    size -= 16;
  }
  if (size >= 8) {
    low = eight(text);
    high = eight(text + size - 8);
  } else if (size >= 4) {
    low = four(text);
    high = four(text + size - 4);
  } else if (size) {
    low = (unsigned char)text[0] | (uint64_t)(unsigned char)text[size / 2] << 8;
    high = (unsigned char)text[size - 1];
  }
  return mixed(low ^ hash ^ b, high ^ a);
}

int is_utf8(const char *text, size_t size) {
  const unsigned char *at = (const unsigned char *)text, *end = at + size;
  while (at < end) {
    if (end - at >= 8 && !(eight((const char *)at) & 0x8080808080808080u)) {
      at += 8;
      continue;
    }
    unsigned char first = *at;
    if (first < 0x80) {
      at += 1;
      continue;
    }
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || end - at <= more) return 0;
    unsigned char second = at[1];
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
      return 0;
    }
    for (int k = 1; k <= more; k++) {
      if ((at[k] & 0xc0) != 0x80) return 0;
    }
    at += more + 1;
  }
  return 1;
}

VISIBLE int32_t coleval_is_utf8(const char *text, int64_t size) {
  return is_utf8(text, (size_t)size);
}

size_t separator(const char *text, size_t size) {
  const unsigned char *at = (const unsigned char *)text;
  if (at[0] == ' ') return 1;
  if (at[0] == 0xc2) return size > 1 && at[1] == 0xa0 ? 2 : 0;
  if (size < 3) return 0;
  if (at[0] == 0xe1) return at[1] == 0x9a && at[2] == 0x80 ? 3 : 0;
  if (at[0] == 0xe3) return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
  if (at[0] != 0xe2) return 0;
  if (at[1] == 0x80) return (at[2] >= 0x80 && at[2] <= 0x8a) || at[2] == 0xaf ? 3 : 0;
  return at[1] == 0x81 && at[2] == 0x9f ? 3 : 0;
}

static uint32_t bare_size(const char *text, size_t size) {
  size_t bare = 0;
  for (size_t at = 0; at < size;) {
    size_t width = separator(text + at, size - at);
    at += width ? width : 1;
    bare += !width;
  }
  return (uint32_t)bare;
}

const String *string_of(const Strings *strings, int64_t number) {
  return &strings->chunk[number / CHUNK][number % CHUNK];
}

static int64_t found(Strings *strings, uint64_t hash, const char *text, size_t size) {
  const Table *table = atomic_load_explicit(&strings->table, memory_order_acquire);
  for (uint64_t at = hash & table->mask;; at = (at + 1) & table->mask) {
    uint64_t slot = atomic_load_explicit(&table->slot[at], memory_order_acquire);
    if (!slot) return -1;
    if ((slot ^ hash) >> 32) continue;
    int64_t number = (int64_t)(slot & 0xffffffffu) - 1;
    const String *one = string_of(strings, number);
    if (one->size == size && !memcmp(one->text, text, size)) return number;
  }
}

static void placed(Table *table, uint64_t hash, int64_t number) {
  uint64_t at = hash & table->mask;
  while (atomic_load_explicit(&table->slot[at], memory_order_relaxed)) at = (at + 1) & table->mask;
  uint64_t slot = (hash & 0xffffffff00000000u) | (uint64_t)(number + 1);
  atomic_store_explicit(&table->slot[at], slot, memory_order_release);
}

static Table *made(uint64_t slots, Table *before) {
  Table *table = calloc(1, sizeof(Table) + slots * sizeof(uint64_t));
  if (!table) return NULL;
  table->before = before;
  table->mask = slots - 1;
  return table;
}

static int grown(Strings *strings, int64_t count) {
  Table *old = atomic_load(&strings->table);
  if ((uint64_t)count * 2 <= old->mask) return 1;
  Table *table = made((old->mask + 1) * 4, old);
  if (!table) return 0;
  for (int64_t k = 0; k < count; k++) placed(table, string_of(strings, k)->hash, k);
  atomic_store_explicit(&strings->table, table, memory_order_release);
  return 1;
}

static char *copied(Strings *strings, const char *text, size_t size) {
  if (size > strings->left || !strings->block) {
    size_t room = size > BLOCK ? size : BLOCK;
    char *block = malloc(sizeof(char *) + room);
    if (!block) return NULL;
    memcpy(block, &strings->blocks, sizeof(char *));
    strings->blocks = block;
    strings->block = block + sizeof(char *);
    strings->left = room;
  }
  char *place = strings->block;
  memcpy(place, text, size);
  strings->block += size;
  strings->left -= size;
  return place;
}

static int64_t added(Strings *strings, uint64_t hash, const char *text, size_t size) {
  int64_t number = atomic_load(&strings->count);
  String **chunk = &strings->chunk[number / CHUNK];
  if (number / CHUNK >= CHUNKS || size > UINT32_MAX || !is_utf8(text, size)) return -1;
  if (!*chunk && !(*chunk = malloc(CHUNK * sizeof(String)))) return -1;
  const char *own = copied(strings, text, size);
  if (!own || !grown(strings, number + 1)) return -1;
  String one = {hash, own, (uint32_t)size, bare_size(text, size)};
  (*chunk)[number % CHUNK] = one;
  placed(atomic_load(&strings->table), hash, number);
  atomic_store(&strings->count, number + 1);
  return number;
}

int64_t number_of(Strings *strings, const char *text, size_t size) {
  uint64_t hash = hash_of(text, size);
  int64_t number = found(strings, hash, text, size);
  if (number >= 0) return number;
  pthread_mutex_lock(&strings->lock);
  number = found(strings, hash, text, size);
  if (number < 0) number = added(strings, hash, text, size);
  pthread_mutex_unlock(&strings->lock);
  return number;
}

VISIBLE Strings *coleval_strings(void) {
  Strings *strings = calloc(1, sizeof(Strings));
  if (!strings) return NULL;
  pthread_mutex_init(&strings->lock, NULL);
  atomic_store(&strings->table, made(FIRST, NULL));
  return strings;
}

VISIBLE void coleval_strings_free(Strings *strings) {
  for (Table *table = atomic_load(&strings->table), *before; table; table = before) {
    before = table->before;
    free(table);
  }
  for (char *block = strings->blocks, *before; block; block = before) {
    memcpy(&before, block, sizeof(char *));
    free(block);
  }
  for (int64_t k = 0; k < CHUNKS && strings->chunk[k]; k++) free(strings->chunk[k]);
  pthread_mutex_destroy(&strings->lock);
  free(strings);
}

VISIBLE int64_t coleval_strings_count(const Strings *strings) {
  return atomic_load(&strings->count);
}

/* The bytes of some strings, with a line feed behind each, if there is room; how many there are. */
VISIBLE int64_t coleval_strings_texts(
    const Strings *strings, int64_t first, int64_t last, char *texts) {
  int64_t at = 0;
  for (int64_t k = first; k < last; k++) {
    const String *one = string_of(strings, k);
    if (texts) {
      memcpy(texts + at, one->text, one->size);
      texts[at + one->size] = '\n';
    }
    at += one->size + 1;
  }
  return at;
}

/* The numbers of texts that each end with a line feed; how many there were, -1 where one is bad. */
VISIBLE int64_t coleval_strings_numbers(
    Strings *strings, const char *texts, int64_t size, int32_t *numbers) {
  int64_t count = 0;
  for (const char *at = texts, *end = texts + size; at < end; count++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) return -1;
    int64_t number = number_of(strings, at, (size_t)(stop - at));
    if (number < 0 || number > INT32_MAX) return -1;
    numbers[count] = (int32_t)number;
    at = stop + 1;
  }
  return count;
}
