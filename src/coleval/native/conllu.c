/* The words of CoNLL-U as numbers, in one pass over the bytes.
 *
 * Only what is beyond doubt is read: ten columns, words that count from 1, heads that are
 * words of their sentence, the characters of gold. For anything else the answer is "not sure",
 * and a reader in Python looks again and says what is wrong.
 */
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "interning.h"

enum { FORM, LEMMA, UPOS, XPOS, FEATS, RELATION, EDGES, CODED };
enum { COLUMNS = 10, HEAD = 6, LONGEST = 9 };
enum { SEVERAL_ROOTS, CYCLE, NO_ROOT, KINDS };

typedef struct {
  /* The dictionary of each coded column, and of comments that begin a document. */
  Strings *strings[CODED], *comments;
  /* The text of gold without separators of words; of gold itself there is none, only room. */
  const char *gold;
  int64_t gold_size;
  char *text;
  /* How much of anything there is room for, and of text. */
  int64_t room, text_room;
  /* The words of gold that are tokens by themselves: where each begins and ends, its number. */
  const int32_t *plain_low, *plain_high, *plain_word;
  int64_t plain;
  /* What is found of each word; there is room for as many as there are lines. */
  int32_t *code[CODED];
  int32_t *head;
  uint32_t *line;
  int32_t *sentence;
  int32_t *token;
  /* The word of gold that stands there, if both are tokens by themselves, else -1. */
  int32_t *match;
  uint8_t *several;
  /* Where each token begins and ends; the tokens of several words: form, first, behind the last. */
  int32_t *low, *high;
  int32_t *multi_form, *multi_first, *multi_end;
  /* The comments that begin a document, and their lines. */
  int32_t *comment;
  uint32_t *comment_line;
  /* Room for a sentence. */
  int32_t *mark;
  /* How many there are of each, words before the open sentence and up to the last one of an open
   * token, characters of gold, lines. */
  int64_t words, sentences, tokens, multiwords, edges, documents;
  int64_t first, until, place, lines, next;
  /* Tokens with spaces in them, and with nothing else. */
  int64_t spaced, empty;
  /* How many sentences are no tree in each way, and the first word of the first of them. */
  int64_t odd[KINDS], odd_first[KINDS];
} Conllu;

typedef struct {
  const char *at;
  size_t size;
} Field;

/* A number as everybody writes it, -1 for anything else. */
static int64_t whole(Field field) {
  if (!field.size || field.size > LONGEST || (field.at[0] == '0' && field.size > 1)) return -1;
  int64_t value = 0;
  for (size_t k = 0; k < field.size; k++) {
    if (field.at[k] < '0' || field.at[k] > '9') return -1;
    value = value * 10 + (field.at[k] - '0');
  }
  return value;
}

static int is_none(Field field) { return field.size == 1 && field.at[0] == '_'; }

/* A tag that is not there, which is one like any other. */
static Field filled(Field field) { return field.size ? field : (Field){"_", 1}; }

/* Cut a line at its TABs; whether there are ten columns. */
static int cut(const char *at, const char *end, Field *fields) {
  for (int k = 0; k < COLUMNS; k++) {
    const char *stop = memchr(at, '\t', (size_t)(end - at));
    if ((stop == NULL) != (k == COLUMNS - 1)) return 0;
    if (!stop) stop = end;
    fields[k] = (Field){at, (size_t)(stop - at)};
    at = stop + 1;
  }
  return 1;
}

/* Write a token of gold without separators of words. */
static void written(Conllu *file, const String *form) {
  char *place = file->text + file->place;
  file->place += form->bare;
  for (size_t at = 0; at < form->size;) {
    size_t width = separator(form->text + at, form->size - at);
    if (!width) *place++ = form->text[at];
    at += width ? width : 1;
  }
}

/* Go on in gold's text by a token; whether its characters are gold's. */
static int passed(Conllu *file, const String *form) {
  if (file->text) {
    if (file->text_room - file->place < form->bare) return 0;
    written(file, form);
    return 1;
  }
  const char *gold = file->gold + file->place;
  if (file->gold_size - file->place < form->bare) return 0;
  file->place += form->bare;
  if (form->bare == form->size) return !memcmp(gold, form->text, form->size);
  for (size_t at = 0; at < form->size;) {
    size_t width = separator(form->text + at, form->size - at);
    if (!width && *gold++ != form->text[at]) return 0;
    at += width ? width : 1;
  }
  return 1;
}

static int token_opens(Conllu *file, int64_t number) {
  const String *form = string_of(file->strings[FORM], number);
  file->spaced += form->bare < form->size;
  file->empty += !form->bare;
  if (file->tokens >= file->room) return 0;
  file->low[file->tokens] = (int32_t)file->place;
  if (!passed(file, form)) return 0;
  file->high[file->tokens++] = (int32_t)file->place;
  return 1;
}

/* Take a token of several words: `3-4`. */
static int range(Conllu *file, Field *fields) {
  const char *hyphen = memchr(fields[0].at, '-', fields[0].size);
  if (!hyphen) return 0;
  size_t before = (size_t)(hyphen - fields[0].at);
  int64_t low = whole((Field){fields[0].at, before});
  int64_t high = whole((Field){hyphen + 1, fields[0].size - before - 1});
  if (low != file->words - file->first + 1 || high < low || file->words < file->until) return 0;
  if (!fields[1].size) return 0;
  int64_t form = number_of(file->strings[FORM], fields[1].at, fields[1].size);
  if (form < 0 || form > INT32_MAX || !token_opens(file, form)) return 0;
  if (file->multiwords >= file->room) return 0;
  file->until = file->first + high;
  file->multi_form[file->multiwords] = (int32_t)form;
  file->multi_first[file->multiwords] = (int32_t)file->words;
  file->multi_end[file->multiwords++] = (int32_t)file->until;
  for (int k = 2; k < COLUMNS; k++) {
    if (!is_utf8(fields[k].at, fields[k].size)) return 0;
  }
  return 1;
}

/* The word of gold that stands where the last token does, -1 if none does. */
static int32_t matched(Conllu *file) {
  int32_t low = file->low[file->tokens - 1], high = file->high[file->tokens - 1];
  while (file->next < file->plain && file->plain_low[file->next] < low) file->next++;
  int same = file->next < file->plain && file->plain_low[file->next] == low &&
             file->plain_high[file->next] == high;
  return same ? file->plain_word[file->next] : -1;
}

/* Most files have no edges: words before the first edge are marked as without one when it comes. */
static void without_edges(Conllu *file, int64_t until) {
  for (int64_t n = 0; n < until; n++) file->code[EDGES][n] = -1;
}

static int word(Conllu *file, Field *fields) {
  static const int column[CODED] = {1, 2, 3, 4, 5, 7, 8};
  int64_t n = file->words;
  if (!fields[1].size || n >= file->room) return 0;
  for (int k = 0; k < CODED; k++) {
    Field field = fields[column[k]];
    if (k != RELATION) field = filled(field);
    if (k == EDGES && is_none(field)) {
      if (file->edges) file->code[k][n] = -1;
      continue;
    }
    int64_t code = number_of(file->strings[k], field.at, field.size);
    if (code < 0 || code > INT32_MAX) return 0;
    file->code[k][n] = (int32_t)code;
    if (k == EDGES && !file->edges++) without_edges(file, n);
  }
  int64_t head = is_none(fields[HEAD]) ? -1 : whole(fields[HEAD]);
  if ((head < 0 && !is_none(fields[HEAD])) || !is_utf8(fields[9].at, fields[9].size)) return 0;
  file->several[n] = n < file->until;
  file->match[n] = -1;
  if (n >= file->until) {
    if (!token_opens(file, file->code[FORM][n])) return 0;
    file->match[n] = matched(file);
  }
  file->head[n] = (int32_t)head;
  file->line[n] = (uint32_t)file->lines;
  file->sentence[n] = (int32_t)file->sentences;
  file->token[n] = (int32_t)(file->tokens - 1);
  file->words++;
  return 1;
}

static void odd(Conllu *file, int kind) {
  if (!file->odd[kind]++) file->odd_first[kind] = file->first;
}

/* Whether words of a sentence hang on each other in a circle. */
static int circle(const Conllu *file, int64_t size) {
  const int32_t *head = file->head + file->first;
  memset(file->mark, 0, (size_t)size * sizeof(int32_t));
  for (int64_t n = 0; n < size; n++) {
    int64_t at = n;
    while (at >= 0 && !file->mark[at]) {
      file->mark[at] = (int32_t)n + 1;
      at = head[at] > 0 ? head[at] - 1 : -1;
    }
    if (at >= 0 && file->mark[at] == n + 1) return 1;
  }
  return 0;
}

static void look_at_tree(Conllu *file, int64_t size) {
  int64_t roots = 0, headed = 0;
  for (int64_t n = file->first; n < file->words; n++) {
    roots += file->head[n] == 0;
    headed += file->head[n] >= 0;
  }
  int turns = circle(file, size);
  if (roots > 1) odd(file, SEVERAL_ROOTS);
  if (turns) odd(file, CYCLE);
  if (!roots && !turns && headed) odd(file, NO_ROOT);
}

/* End a sentence, if one is open; whether its tokens have their words, and its heads are there. */
static int ended(Conllu *file) {
  int64_t size = file->words - file->first;
  if (file->words < file->until) return 0;
  for (int64_t n = file->first; n < file->words; n++) {
    if (file->head[n] > size) return 0;
  }
  if (size) look_at_tree(file, size);
  file->sentences += size > 0;
  file->first = file->until = file->words;
  return 1;
}

static int holds(const char *at, size_t size, const char *word) {
  size_t known = strlen(word);
  for (const char *end = at + size; (size_t)(end - at) >= known; at++) {
    at = memchr(at, word[0], (size_t)(end - at) - known + 1);
    if (!at) return 0;
    if (!memcmp(at, word, known)) return 1;
  }
  return 0;
}

/* Read a comment; return 0 if it may name other columns. Those that may begin a document are kept. */
static int comment(Conllu *file, const char *at, size_t size) {
  if (holds(at, size, "global.columns") || !is_utf8(at, size)) return 0;
  if (!file->comments || !holds(at, size, "newdoc")) return 1;
  const char *tab = memchr(at, '\t', size);
  int64_t number = number_of(file->comments, at, tab ? (size_t)(tab - at) : size);
  if (number < 0 || number > INT32_MAX || file->documents >= file->room) return 0;
  file->comment[file->documents] = (int32_t)number;
  file->comment_line[file->documents++] = (uint32_t)file->lines;
  return 1;
}

static int row(Conllu *file, const char *at, const char *end) {
  Field fields[COLUMNS];
  int open = file->words > file->first || file->until > file->words;
  if (*at == '#') return !open && comment(file, at, (size_t)(end - at));
  if (!cut(at, end, fields)) return 0;
  int64_t number = whole(fields[0]);
  if (number < 0) return range(file, fields);
  return number == file->words - file->first + 1 && word(file, fields);
}

/* Read some lines; whether all is beyond doubt so far. The last line need not end. */
VISIBLE int32_t coleval_conllu(Conllu *file, const char *text, int64_t size) {
  if (file->gold_size > INT32_MAX || file->place + size > INT32_MAX) return 0;
  if (memchr(text, '\r', (size_t)size) || memchr(text, 0, (size_t)size)) return 0;
  for (const char *at = text, *end = text + size; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    file->lines++;
    if (!(stop == at ? ended(file) : row(file, at, stop))) return 0;
    at = stop + 1;
  }
  return 1;
}

/* End a file; whether it has words, and all characters of gold. */
VISIBLE int32_t coleval_conllu_end(Conllu *file) {
  return ended(file) && file->words > 0 && (file->text || file->place == file->gold_size);
}

/* Give back memory that was let go of, and that of large arrays at once from now on. */
VISIBLE void coleval_give_back(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  malloc_trim(0);
#endif
}

VISIBLE int32_t coleval_version(void) { return 9; }
