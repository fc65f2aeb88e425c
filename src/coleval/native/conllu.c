/* The words of CoNLL-U as numbers, in one pass over the bytes.
 *
 * Only what is beyond doubt is read: ten columns, words that count from 1, heads that are
 * words of their sentence, the characters of gold. For anything else the answer is "not sure",
 * and a reader in Python looks again and says what is wrong.
 */
#include <string.h>

#include "interning.h"

enum { FORM, LEMMA, UPOS, XPOS, FEATS, RELATION, EDGES, CODED };
enum { COLUMNS = 10, HEAD = 6, LONGEST = 9 };

typedef struct {
  /* The dictionary of each coded column, and the text of gold without separators of words. */
  Strings *strings[CODED];
  const char *gold;
  int64_t gold_size;
  /* What is found of each word; there is room for as many as there are lines. */
  int32_t *code[CODED];
  int32_t *head;
  uint32_t *line;
  int32_t *sentence;
  int32_t *token;
  uint8_t *several;
  /* Where each token begins and ends; the tokens of several words: form, first, behind the last. */
  int32_t *low, *high;
  int32_t *multi_form, *multi_first, *multi_end;
  int64_t words, sentences, tokens, multiwords, edges;
} Conllu;

typedef struct {
  const char *at;
  size_t size;
} Field;

/* Where a file stands: the first word of the open sentence, the last one of an open token. */
typedef struct {
  int64_t first, until, place;
  uint32_t line;
} State;

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

/* Go on in gold's text by a token; whether its characters are gold's. */
static int passed(const Conllu *file, State *state, const String *form) {
  const char *gold = file->gold + state->place;
  if (file->gold_size - state->place < form->bare) return 0;
  state->place += form->bare;
  if (form->bare == form->size) return !memcmp(gold, form->text, form->size);
  for (size_t at = 0; at < form->size;) {
    size_t width = separator(form->text + at, form->size - at);
    if (!width && *gold++ != form->text[at]) return 0;
    at += width ? width : 1;
  }
  return 1;
}

static int token_opens(Conllu *file, State *state, int64_t form) {
  file->low[file->tokens] = (int32_t)state->place;
  if (!passed(file, state, string_of(file->strings[FORM], form))) return 0;
  file->high[file->tokens++] = (int32_t)state->place;
  return 1;
}

/* Take a token of several words: `3-4`. */
static int range(Conllu *file, State *state, Field *fields) {
  const char *hyphen = memchr(fields[0].at, '-', fields[0].size);
  if (!hyphen) return 0;
  size_t before = (size_t)(hyphen - fields[0].at);
  int64_t low = whole((Field){fields[0].at, before});
  int64_t high = whole((Field){hyphen + 1, fields[0].size - before - 1});
  if (low != file->words - state->first + 1 || high < low || file->words < state->until) return 0;
  if (!fields[1].size) return 0;
  int64_t form = number_of(file->strings[FORM], fields[1].at, fields[1].size);
  if (form < 0 || form > INT32_MAX || !token_opens(file, state, form)) return 0;
  state->until = state->first + high;
  file->multi_form[file->multiwords] = (int32_t)form;
  file->multi_first[file->multiwords] = (int32_t)file->words;
  file->multi_end[file->multiwords++] = (int32_t)state->until;
  for (int k = 2; k < COLUMNS; k++) {
    if (!is_utf8(fields[k].at, fields[k].size)) return 0;
  }
  return 1;
}

static int word(Conllu *file, State *state, Field *fields) {
  static const int column[CODED] = {1, 2, 3, 4, 5, 7, 8};
  int64_t n = file->words;
  if (!fields[1].size) return 0;
  for (int k = 0; k < CODED; k++) {
    Field field = fields[column[k]];
    if (k != RELATION) field = filled(field);
    if (k == EDGES && is_none(field)) {
      file->code[k][n] = -1;
      continue;
    }
    int64_t code = number_of(file->strings[k], field.at, field.size);
    if (code < 0 || code > INT32_MAX) return 0;
    file->code[k][n] = (int32_t)code;
    file->edges += k == EDGES;
  }
  int64_t head = is_none(fields[HEAD]) ? -1 : whole(fields[HEAD]);
  if ((head < 0 && !is_none(fields[HEAD])) || !is_utf8(fields[9].at, fields[9].size)) return 0;
  file->several[n] = n < state->until;
  if (n >= state->until && !token_opens(file, state, file->code[FORM][n])) return 0;
  file->head[n] = (int32_t)head;
  file->line[n] = state->line;
  file->sentence[n] = (int32_t)file->sentences;
  file->token[n] = (int32_t)(file->tokens - 1);
  file->words++;
  return 1;
}

/* End a sentence, if one is open; whether its tokens have their words, and its heads are there. */
static int ended(Conllu *file, State *state) {
  int64_t size = file->words - state->first;
  if (file->words < state->until) return 0;
  for (int64_t n = state->first; n < file->words; n++) {
    if (file->head[n] > size) return 0;
  }
  file->sentences += size > 0;
  state->first = state->until = file->words;
  return 1;
}

static int row(Conllu *file, State *state, const char *at, const char *end) {
  Field fields[COLUMNS];
  int open = file->words > state->first || state->until > file->words;
  if (*at == '#') return !open && is_utf8(at, (size_t)(end - at));
  if (!cut(at, end, fields)) return 0;
  int64_t number = whole(fields[0]);
  if (number < 0) return range(file, state, fields);
  return number == file->words - state->first + 1 && word(file, state, fields);
}

/* Read a text of so many bytes; 1 if it was all beyond doubt, else 0. */
VISIBLE int32_t coleval_conllu(Conllu *file, const char *text, int64_t size) {
  State state = {0, 0, 0, 0};
  file->words = file->sentences = file->tokens = file->multiwords = file->edges = 0;
  if (file->gold_size > INT32_MAX || memchr(text, '\r', (size_t)size)) return 0;
  for (const char *at = text, *end = text + size; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    state.line++;
    if (!(stop == at ? ended(file, &state) : row(file, &state, at, stop))) return 0;
    at = stop + 1;
  }
  return ended(file, &state) && file->words > 0 && state.place == file->gold_size;
}

VISIBLE int32_t coleval_version(void) { return 1; }
