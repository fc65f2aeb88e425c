/* What one thread of plain C takes: the practical floor, not an engine. Codes are bytes, 0 is
   "nothing"; answers are systems × items. Blocks stay in the first-level cache. */
#include <stdint.h>
#include <string.h>

enum { BLOCK = 4096 };

/* Items that gold names, by how many systems solve them; solved[s][b] of them by system s. */
void bins(const uint8_t *gold, const uint8_t *answers, int64_t n, int64_t systems,
          int64_t *items, int64_t *solved) {
    uint8_t bin[BLOCK];
    for (int64_t low = 0; low < n; low += BLOCK) {
        int64_t size = n - low < BLOCK ? n - low : BLOCK;
        const uint8_t *g = gold + low;
        memset(bin, 0, (size_t)size);
        for (int64_t s = 0; s < systems; s++) {
            const uint8_t *a = answers + s * n + low;
            for (int64_t i = 0; i < size; i++) bin[i] += a[i] == g[i];
        }
        for (int64_t i = 0; i < size; i++) items[bin[i]] += g[i] != 0;
        for (int64_t i = 0; i < size; i++) {
            if (!g[i]) continue;
            if (bin[i] == systems) {  /* solved by all: added to every system at the end */
                continue;
            }
            for (int64_t s = 0; s < systems; s++)
                solved[s * (systems + 1) + bin[i]] += answers[s * n + low + i] == g[i];
        }
    }
    for (int64_t s = 0; s < systems; s++) solved[s * (systems + 1) + systems] = items[systems];
}

/* For all pairs a < b: how often both are right, and how often they differ. */
void pairs(const uint8_t *gold, const uint8_t *answers, int64_t n, int64_t systems,
           int64_t *both, int64_t *different) {
    for (int64_t low = 0; low < n; low += BLOCK) {
        int64_t size = n - low < BLOCK ? n - low : BLOCK;
        const uint8_t *g = gold + low;
        for (int64_t p = 0; p < systems; p++) {
            const uint8_t *a = answers + p * n + low;
            for (int64_t q = p + 1; q < systems; q++) {
                const uint8_t *b = answers + q * n + low;
                uint16_t equal = 0, right = 0;
                for (int64_t i = 0; i < size; i++) {
                    uint8_t same = a[i] == b[i];
                    equal += same;
                    right += same & (a[i] == g[i]);
                }
                both[p * systems + q] += right;
                different[p * systems + q] += size - equal;
            }
        }
    }
}

/* The labels of a file of two columns as codes, label text in order of appearance into names
   (each of at most 32 bytes, at most 256 of them); sentences are counted, tokens are chained into
   a hash that two files share if their tokens are the same. Returns the number of tokens. */
int64_t read_labels(const char *text, int64_t size, uint8_t *codes, int64_t *sentences,
                    uint64_t *chain, char *names, int64_t *known) {
    const char *at = text, *end = text + size;
    uint64_t hash = 1469598103934665603ULL;
    int64_t n = 0;
    *sentences = 0;
    while (at < end) {
        const char *line = at;
        if (*line == '\n') { (*sentences)++; at++; continue; }
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        const char *tab = memchr(line, '\t', (size_t)(stop - line));
        if (!tab) return -1;
        at = stop + 1;
        if (tab - line == 10 && !memcmp(line, "-DOCSTART-", 10)) continue;
        for (const char *p = line; p < tab; p += 8) {
            uint64_t word = 0;
            memcpy(&word, p, (size_t)(tab - p < 8 ? tab - p : 8));
            hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
            hash ^= hash >> 29;
        }
        int64_t length = stop - tab - 1, code = 0;
        if (length >= 32) return -1;
        while (code < *known && (names[code * 32 + length] || memcmp(names + code * 32, tab + 1, (size_t)length)))
            code++;
        if (code == *known) {
            if (code == 256) return -1;
            memcpy(names + code * 32, tab + 1, (size_t)length);
            (*known)++;
        }
        codes[n++] = (uint8_t)code;
    }
    *chain = hash;
    return n;
}
