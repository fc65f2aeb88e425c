/* Mentions of CoNLL-2012 and SemEval-2010 text, in one pass over the bytes.
 *
 * Only what is beyond doubt is read: units inside documents, brackets that all have another. For
 * anything else the answer is "not sure", and a reader in Python looks again and says what is
 * wrong. Of most lines nothing but their end is looked at.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "blocks.h"
#include "coref_asked.h"
#include "interning.h"

/* What is found; all of it is memory that `coleval_coref_free` lets go. */
typedef struct {
  /* Of each mention, in the order in which they open. */
  int64_t *chain;
  int32_t *document, *start, *end;
  uint32_t *line;
  /* Of each document: its first unit, its line. */
  int64_t *unit, *header_line;
  /* Of each block: its place in the text (and where the last one ends), the units before it. */
  int64_t *block_place, *block_unit;
  /* The name of each chain, the first line of each document, each with a line end. */
  char *names, *headers;
  int64_t mentions, documents, blocks, places, chains, names_size, headers_size, units, lines;
} Coref;

/* A chain of the open document: the last mention of it that is open, and -1 if none is. */
typedef struct {
  uint64_t hash;
  int64_t document, chain, name, size;
  int32_t open;
} Chain;

/* Where reading stands. Mentions that are open have the one below them of their chain as end. */
typedef struct {
  Coref *found;
  Cutting *cutting;
  int64_t mention_room, document_room, block_room, name_room, header_room;
  Chain *table;
  size_t table_size, table_used;
  int64_t open, offset;
  /* Whether a document is open, and whether the unit is a mention. */
  int inside, single;
} Reader;

enum { PAGE = 4096, LARGE = 1 << 22, SPARSE = 256 };

/* Large memory comes in large pages, if the system has some: each page costs when touched first. */
static int grown(void *memory, size_t size) {
  void **place = memory;
  char *found = realloc(*place, size);
  if (!found) return 0;
  *place = found;
#if defined(MADV_HUGEPAGE)
  if (size >= LARGE) {
    size_t gap = (PAGE - (uintptr_t)found % PAGE) % PAGE;
    (void)madvise(found + gap, (size - gap) / PAGE * PAGE, MADV_HUGEPAGE);
  }
#endif
  return 1;
}

/* How much room to make for some more than are used; `GROW` makes it for one array, if it can. */
static int64_t wanted(int64_t used, int64_t room, int64_t more) {
  return used + more <= room ? room : 2 * (used + more) + 1024;
}
#define GROW(array, room) grown(&(array), (size_t)(room) * sizeof(*(array)))

static int room_for_mentions(Reader *reader, int64_t room) {
  Coref *found = reader->found;
  reader->mention_room = room;
  return room <= INT32_MAX && GROW(found->chain, room) && GROW(found->document, room) &&
         GROW(found->start, room) && GROW(found->end, room) && GROW(found->line, room);
}

static int room_for_mention(Reader *reader) {
  int64_t used = reader->found->mentions, room = reader->mention_room;
  return used < room || room_for_mentions(reader, wanted(used, room, 1));
}

static int text_added(char **text, int64_t *size, int64_t *room, const char *at, size_t more) {
  if (*size + (int64_t)more >= *room) {
    *room = wanted(*size, *room, (int64_t)more + 1);
    if (!grown(text, (size_t)*room)) return 0;
  }
  memcpy(*text + *size, at, more);
  (*text)[*size + (int64_t)more] = '\n';
  *size += (int64_t)more + 1;
  return 1;
}

static uint64_t hash_of(const char *at, size_t size) {
  uint64_t hash = size;
  for (; size > 8; at += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  uint64_t word = 0;
  for (size_t k = 0; k < size; k++) word |= (uint64_t)(unsigned char)at[k] << 8 * k;
  hash = (hash ^ word) * 0xd6e8feb86659fd93u;
  return hash ^ hash >> 32;
}

/* Twice the room for chains of one document; those of documents before it are left out. */
static int larger_table(Reader *reader) {
  size_t size = reader->table_size ? 2 * reader->table_size : 1024;
  Chain *table = malloc(size * sizeof(Chain));
  if (!table) return 0;
  for (size_t k = 0; k < size; k++) table[k].document = -1;
  for (size_t k = 0; k < reader->table_size; k++) {
    Chain *chain = &reader->table[k];
    if (chain->document != reader->found->documents) continue;
    size_t slot = chain->hash & (size - 1);
    while (table[slot].document >= 0) slot = (slot + 1) & (size - 1);
    table[slot] = *chain;
  }
  free(reader->table);
  reader->table = table;
  reader->table_size = size;
  return 1;
}

/* The chain of this name in the open document, which is added if it is new; NULL without memory. */
static Chain *chain_named(Reader *reader, const char *at, size_t size) {
  Coref *found = reader->found;
  if (2 * reader->table_used >= reader->table_size && !larger_table(reader)) return NULL;
  uint64_t hash = hash_of(at, size);
  size_t slot = hash & (reader->table_size - 1);
  Chain *chain = &reader->table[slot];
  for (; chain->document == found->documents; chain = &reader->table[slot]) {
    if (chain->hash == hash && chain->size == (int64_t)size &&
        (size <= 8 || !memcmp(found->names + chain->name, at, size))) {
      return chain;
    }
    slot = (slot + 1) & (reader->table_size - 1);
  }
  reader->table_used++;
  *chain = (Chain){hash, found->documents, found->chains++, found->names_size, (int64_t)size, -1};
  int added = text_added(&found->names, &found->names_size, &reader->name_room, at, size);
  return added ? chain : NULL;
}

static int opened(Reader *reader, Chain *chain, int64_t unit, int64_t line, int closed) {
  Coref *found = reader->found;
  int64_t at = found->mentions, place = unit - reader->offset;
  if (!room_for_mention(reader) || place >= INT32_MAX || line > UINT32_MAX) return 0;
  found->chain[at] = chain->chain;
  found->document[at] = (int32_t)(found->documents - 1);
  found->start[at] = (int32_t)place;
  found->line[at] = (uint32_t)line;
  found->end[at] = closed ? (int32_t)place : chain->open;
  reader->single |= closed;
  if (!closed) {
    chain->open = (int32_t)at;
    reader->open++;
  }
  found->mentions++;
  return 1;
}

/* Close the mention of a chain that was opened last; whether one is open. */
static int closed(Reader *reader, Chain *chain, int64_t unit) {
  if (chain->open < 0) return 0;
  int32_t *end = &reader->found->end[chain->open];
  chain->open = *end;
  *end = (int32_t)(unit - reader->offset);
  reader->open--;
  return 1;
}

static int is_bracket(char byte) { return byte == '(' || byte == ')' || byte == '|'; }

/* Take what a last column says: brackets with names of chains, `(1|(2)` or `1)`. */
static int brackets(Reader *reader, const char *at, const char *end, int64_t unit, int64_t line) {
  while (at < end) {
    at += *at == '|';
    int opens = at < end && *at == '(';
    at += opens;
    const char *name = at;
    while (at < end && !is_bracket(*at)) at++;
    if (at == name) return 0;
    int closes = at < end && *at == ')';
    if (!opens && !closes) return 0;
    Chain *chain = chain_named(reader, name, (size_t)(at - name));
    if (!chain) return 0;
    if (!(opens ? opened(reader, chain, unit, line, closes) : closed(reader, chain, unit))) return 0;
    at += closes;
  }
  return 1;
}

/* Begin a document, or end one; whether it is time for that. */
static int header(Reader *reader, const char *at, const char *end, int64_t unit, int64_t line) {
  Coref *found = reader->found;
  int begins = at[1] == 'b';
  if (begins == reader->inside) return 0;
  reader->inside = begins;
  if (!begins) return 1;
  if (reader->open) return 0;
  if (found->documents == reader->document_room) {
    int64_t room = reader->document_room = wanted(found->documents, reader->document_room, 1);
    if (!GROW(found->unit, room) || !GROW(found->header_line, room)) return 0;
  }
  found->unit[found->documents] = reader->offset = unit;
  found->header_line[found->documents++] = line;
  reader->table_used = 0;
  size_t size = (size_t)(end - at);
  return text_added(&found->headers, &found->headers_size, &reader->header_room, at, size);
}

static int is_header(const char *at, const char *end) {
  static const char begin[] = "#begin document", finish[] = "#end document";
  size_t size = (size_t)(end - at);
  return (size >= sizeof begin - 1 && !memcmp(at, begin, sizeof begin - 1)) ||
         (size >= sizeof finish - 1 && !memcmp(at, finish, sizeof finish - 1));
}

/* Whether the line that ends here has a last column that is `-` or `_` behind a gap. */
static int is_silent(const char *end) {
  return (end[-1] == '-' || end[-1] == '_') && (end[-2] == '\t' || end[-2] == ' ');
}

/* Take a unit whose line has the bare end; whether it is inside a document, and readable. */
static int unit_said(Reader *reader, const char *end, int64_t unit, int64_t line) {
  if (!reader->inside) return 0;
  const char *at = end - 1;
  while (!is_blank(at[-1]) && at[-1] != '\n') at--;
  if (at[-1] == '\r') return 0;
  if (end - at == 1 && (*at == '-' || *at == '_' || *at == '*')) return 1;
  reader->single = 0;
  if (!brackets(reader, at, end, unit, line)) return 0;
  if (reader->single && reader->cutting) cutting_single(reader->cutting, unit, end);
  return 1;
}

/* Take the lines of a block that are odd; whether all is beyond doubt. */
static int block_read(Reader *reader, const Blocks *blocks) {
  Coref *found = reader->found;
  const char *text = blocks->buffer + blocks->low, *named = NULL;
  int64_t lines = found->lines, others = found->lines - found->units;
  int64_t counted = found->units;
  for (size_t word = 0; word < blocks->words; word++) {
    const Marks *marks = &blocks->marks[word];
    for (uint64_t odd = marks->odd; odd; odd &= odd - 1) {
      unsigned bit = lowest(odd);
      const char *at = text + 64 * word + bit;
      int64_t line = lines + marks->before + ones(marks->ends & (((uint64_t)1 << bit) - 1));
      int64_t unit = line - others;
      /* Units that say nothing are in a document as well. */
      if (!reader->inside && unit > counted) return 0;
      counted = unit;
      if (*at == '#') {
        const char *end = memchr(at, '\n', (size_t)(blocks->buffer + blocks->high - at));
        if (!is_header(at, end)) continue;
        if (is_silent(end) || !header(reader, at, bare_end(end), unit, line + 1)) return 0;
        named = end;
      } else {
        const char *end = bare_end(at);
        if (at == named || end[-1] == '\n') {
          others++;
          if (reader->cutting) cutting_other(reader->cutting, unit);
        } else if (!unit_said(reader, end, unit, line + 1)) {
          return 0;
        }
      }
    }
  }
  const Marks *last = &blocks->marks[blocks->words - 1];
  found->lines = lines + last->before + ones(last->ends);
  found->units = found->lines - others;
  return reader->inside || found->units == counted;
}

static int block_noted(Reader *reader, const Blocks *blocks) {
  Coref *found = reader->found;
  if (found->blocks + 1 >= reader->block_room) {
    int64_t room = reader->block_room = wanted(found->blocks, reader->block_room, 2);
    if (!GROW(found->block_place, room) || !GROW(found->block_unit, room)) return 0;
  }
  found->block_place[found->blocks] = blocks->place;
  found->block_unit[found->blocks++] = found->units;
  found->block_place[found->blocks] = blocks->place + (int64_t)(blocks->high - blocks->low);
  found->places = found->blocks + 1;
  return 1;
}

static int all_read(Reader *reader, Blocks *blocks) {
  int more;
  while ((more = blocks_next(blocks)) == 1) {
    const char *text = blocks->buffer + blocks->low;
    size_t size = blocks->high - blocks->low;
    if (!size) continue;
    if (blocks->zeros || (blocks->high_bytes && !is_utf8(text, size))) return 0;
    int64_t first = reader->found->units;
    if (!block_noted(reader, blocks) || !block_read(reader, blocks)) return 0;
    if (reader->cutting) cutting_block(reader->cutting, blocks, first, reader->found->units);
  }
  return !more && !reader->open && reader->found->documents && reader->found->units;
}

VISIBLE void coleval_coref_free(Coref *found) {
  void *memory[] = {found->chain, found->document, found->start, found->end,
                    found->line, found->unit, found->header_line, found->block_place,
                    found->block_unit, found->names, found->headers};
  for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) free(memory[k]);
  *found = (Coref){0};
}

/* Read a file, or a text if `fd` is below 0, of so many bytes, and cut columns out of it that are
 * asked for, if any are; 1 if all of it was beyond doubt. */
VISIBLE int32_t coleval_coref(Coref *found, int32_t fd, const char *text, int64_t size,
                              Asked *asked) {
  Blocks blocks = {0};
  Cutting cutting = {.asked = asked};
  Reader reader = {.found = found, .cutting = asked ? &cutting : NULL};
  *found = (Coref){0};
  /* What grows is copied: a mention in so many bytes has room from the beginning. */
  int done = room_for_mentions(&reader, size / SPARSE + 64) &&
             blocks_open(&blocks, fd, text, size) && all_read(&reader, &blocks);
  blocks_close(&blocks);
  free(reader.table);
  if (asked) cutting_done(&cutting, done);
  if (!done) coleval_coref_free(found);
  return done;
}
