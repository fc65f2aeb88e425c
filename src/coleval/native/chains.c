/* Chains of mentions as numbers without gaps, and pairs of chains that are decided at a glance.
 *
 * Mentions stand document by document, and a chain is of one document.
 */
#include <stdlib.h>
#include <string.h>

#include "common.h"

/* So many times the mentions there may be codes; less than one pair in so many is decided. */
enum { SPARSE = 8, SLOW = 50 };

/* Number the chains of one document from `first` on, in the order of their codes; how many. */
static int64_t numbered(const uint32_t *code, int64_t n, int64_t first, int64_t *count,
                        uint32_t most, int64_t *of, int64_t *size) {
  int64_t chains = 0;
  memset(count, 0, ((size_t)most + 1) * sizeof *count);
  for (int64_t at = 0; at < n; at++) count[code[at]]++;
  for (uint32_t k = 1; k <= most; k++) {
    if (!count[k]) continue;
    size[first + chains] = count[k];
    count[k] = first + chains++;
  }
  for (int64_t at = 0; at < n; at++) of[at] = code[at] ? count[code[at]] : -1;
  return chains;
}

/* Find the chain of each mention, -1 for none, and of each chain its size and its document; how
 * many there are, or -1 if documents do not rise, codes are far apart, or there is no memory. */
VISIBLE int64_t coleval_chains(const uint32_t *document, const uint32_t *code, int64_t n,
                               int64_t *of, int64_t *size, int64_t *home) {
  int64_t chains = 0, codes = 0, *count = NULL;
  uint32_t room = 0;
  for (int64_t low = 0, high; low < n; low = high) {
    uint32_t most = 0;
    for (high = low; high < n && document[high] == document[low]; high++) {
      if (code[high] > most) most = code[high];
    }
    codes += most;
    int fits = codes <= SPARSE * n && (high == n || document[high] > document[low]);
    if (fits && (!count || most > room)) {
      free(count);
      room = most;
      count = malloc(((size_t)room + 1) * sizeof *count);
    }
    if (!fits || !count) {
      free(count);
      return -1;
    }
    int64_t more = numbered(code + low, high - low, chains, count, most, of + low, size);
    for (int64_t k = 0; k < more; k++) home[chains++] = document[low];
  }
  free(count);
  return chains;
}

/* The two largest weights of a chain's pairs, and the last of those that are sure. */
typedef struct {
  double most, second;
  int64_t last;
} Group;

typedef struct {
  const int64_t *key, *response;
  const double *weight;
  Group *keys, *responses;
  /* Pairs of which nothing is decided, and those that are sure. */
  int64_t *left, lefts, *sure, sures;
} Pairs;

static void weighed(Group *group, double weight) {
  if (weight > group->most) {
    group->second = group->most;
    group->most = weight;
  } else if (weight > group->second) {
    group->second = weight;
  }
}

/* The largest weight of the other pairs of a chain. */
static double rival(const Group *group, double weight) {
  return weight == group->most ? group->second : group->most;
}

/* Find pairs that are worth as much as the best rivals of both their chains together. */
static void find_sure(Pairs *pairs) {
  for (int64_t k = 0; k < pairs->lefts; k++) {
    int64_t at = pairs->left[k];
    pairs->keys[pairs->key[at]] = pairs->responses[pairs->response[at]] = (Group){0, 0, -1};
  }
  for (int64_t k = 0; k < pairs->lefts; k++) {
    int64_t at = pairs->left[k];
    weighed(&pairs->keys[pairs->key[at]], pairs->weight[at]);
    weighed(&pairs->responses[pairs->response[at]], pairs->weight[at]);
  }
  pairs->sures = 0;
  for (int64_t k = 0; k < pairs->lefts; k++) {
    int64_t at = pairs->left[k];
    double weight = pairs->weight[at];
    Group *response = &pairs->responses[pairs->response[at]];
    if (weight < rival(&pairs->keys[pairs->key[at]], weight) + rival(response, weight)) continue;
    pairs->sure[pairs->sures++] = response->last = at;
  }
}

/* Take those that are sure, of equals the last, and leave out what their chains have beside; how
 * many were taken. */
static int64_t taken(Pairs *pairs, int64_t *chosen) {
  int64_t count = 0, left = 0;
  for (int64_t k = 0; k < pairs->sures; k++) {
    int64_t at = pairs->sure[k];
    if (pairs->responses[pairs->response[at]].last == at) pairs->keys[pairs->key[at]].last = at;
  }
  for (int64_t k = 0; k < pairs->sures; k++) {
    int64_t at = pairs->sure[k];
    if (pairs->keys[pairs->key[at]].last == at) chosen[count++] = at;
  }
  /* A negative weight marks a chain that is used up. */
  for (int64_t k = 0; k < count; k++) {
    pairs->keys[pairs->key[chosen[k]]].most = -1;
    pairs->responses[pairs->response[chosen[k]]].most = -1;
  }
  for (int64_t k = 0; k < pairs->lefts; k++) {
    int64_t at = pairs->left[k];
    if (pairs->keys[pairs->key[at]].most < 0) continue;
    if (pairs->responses[pairs->response[at]].most >= 0) pairs->left[left++] = at;
  }
  pairs->lefts = left;
  return count;
}

/* Find pairs that some best assignment has, and those of which nothing is decided, of chains below
 * `keys` and `responses`; how many the former are, -1 without memory. */
VISIBLE int64_t coleval_decided(const int64_t *key, const int64_t *response, const double *weight,
                                int64_t n, int64_t keys, int64_t responses, int64_t *chosen,
                                int64_t *left, int64_t *lefts) {
  Pairs pairs = {key, response, weight, malloc(((size_t)keys + 1) * sizeof(Group)),
                 malloc(((size_t)responses + 1) * sizeof(Group)), left, n,
                 malloc(((size_t)n + 1) * sizeof(int64_t)), 0};
  int there = pairs.keys && pairs.responses && pairs.sure;
  int64_t count = 0;
  for (int64_t k = 0; k < n; k++) left[k] = k;
  while (there && pairs.lefts) {
    int64_t before = pairs.lefts;
    find_sure(&pairs);
    int64_t more = taken(&pairs, chosen + count);
    count += more;
    if (more * SLOW <= before) break;
  }
  *lefts = pairs.lefts;
  free(pairs.keys);
  free(pairs.responses);
  free(pairs.sure);
  return there ? count : -1;
}
