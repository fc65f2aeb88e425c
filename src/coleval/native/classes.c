/* How often mentions are of each class against a key (ARCS), in one pass over them.
 *
 * Chains are numbers from 1 within their document, 0 is none; mentions stand in text order.
 */
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { FN = 1, FP, TP, WL, CLASSES };

/* By the bits: it has an antecedent in the key, it has one in the response, that one is right. */
static const uint8_t CLASS[8] = {0, 0, FP, FP, FN, FN, WL, TP};

/* A chain of either side: the document in which it was seen last, from 1, and what the key says
 * of its last nominal mention there, -1 if it has none. */
typedef struct {
  uint32_t document;
  int64_t nominal;
} Seen;

/* A chain of the key and one of the response that have a mention in common. */
typedef struct {
  uint32_t document, key, response;
} Shared;

typedef struct {
  Shared *slot;
  size_t size, used;
} Table;

static Shared *slot_of(const Table *table, Shared own) {
  uint64_t hash = ((uint64_t)own.key << 32 | own.response) * 0x9e3779b97f4a7c15u;
  size_t at = (hash ^ hash >> 32) & (table->size - 1);
  for (Shared *slot = &table->slot[at]; slot->document == own.document; slot = &table->slot[at]) {
    if (slot->key == own.key && slot->response == own.response) break;
    at = (at + 1) & (table->size - 1);
  }
  return &table->slot[at];
}

/* Twice the room for pairs of one document; whether there is memory. */
static int larger(Table *table, uint32_t document) {
  Table found = {calloc(2 * table->size, sizeof(Shared)), 2 * table->size, table->used};
  if (!found.slot) return 0;
  for (size_t k = 0; k < table->size; k++) {
    if (table->slot[k].document == document) *slot_of(&found, table->slot[k]) = table->slot[k];
  }
  free(table->slot);
  *table = found;
  return 1;
}

/* Note that chains have a mention in common: 1 if they had one before, below 0 without memory. */
static int shared_before(Table *table, Shared own) {
  if (2 * table->used >= table->size && !larger(table, own.document)) return -1;
  Shared *slot = slot_of(table, own);
  if (slot->document == own.document) return 1;
  *slot = own;
  table->used++;
  return 0;
}

/* Count all mentions: 1, or 0 if documents do not rise, or there is no memory. */
static int counted(const uint32_t *document, const uint8_t *nominal, const uint32_t *key,
                   const uint32_t *response, int64_t n, Seen *keys, Seen *responses, Table *table,
                   int64_t *any, int64_t *closest) {
  for (int64_t at = 0; at < n; at++) {
    if (at && document[at] < document[at - 1]) return 0;
    if (at && document[at] != document[at - 1]) table->used = 0;
    uint32_t own = document[at] + 1, k = key[at], r = response[at];
    int in_key = k && keys[k].document == own, in_response = r && responses[r].document == own;
    int right = k && r ? shared_before(table, (Shared){own, k, r}) : 0;
    if (right < 0) return 0;
    any[CLASS[in_key << 2 | in_response << 1 | right]]++;
    int64_t asked = in_key ? keys[k].nominal : -1;
    int64_t said = in_response ? responses[r].nominal : -1;
    closest[CLASS[(asked >= 0) << 2 | (said >= 0) << 1 | (said > 0 && said == (int64_t)k)]]++;
    if (k) keys[k] = (Seen){own, nominal[at] ? (int64_t)k : asked};
    if (r) responses[r] = (Seen){own, nominal[at] ? (int64_t)k : said};
  }
  return 1;
}

/* Count the classes by any antecedent, and by the closest nominal one; chains are up to `most`. */
VISIBLE int32_t coleval_classes(const uint32_t *document, const uint8_t *nominal,
                                const uint32_t *key, const uint32_t *response, int64_t n,
                                int64_t most, int64_t *any, int64_t *closest) {
  Table table = {calloc(1024, sizeof(Shared)), 1024, 0};
  Seen *keys = calloc((size_t)most + 1, sizeof(Seen));
  Seen *responses = calloc((size_t)most + 1, sizeof(Seen));
  memset(any, 0, CLASSES * sizeof(int64_t));
  memset(closest, 0, CLASSES * sizeof(int64_t));
  int done = table.slot && keys && responses &&
             counted(document, nominal, key, response, n, keys, responses, &table, any, closest);
  free(table.slot);
  free(keys);
  free(responses);
  return done;
}
