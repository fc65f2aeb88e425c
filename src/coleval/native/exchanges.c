/* Differences of two systems after exchanges of their answers, in each replicate.
 *
 * A score is one ratio of sums of whole numbers, and below it is never 0. Of each system there are
 * the sums of the units that stay and of those that are exchanged, a row a system.
 */
#include <math.h>

#include "common.h"

/* The sums of a system's own units that stay, and those of its units that are exchanged. */
typedef struct {
  const double *stay, *move;
} Sums;

WIDE static int64_t far_of_both(Sums one, Sums other, Sums below_one, Sums below_other,
                                double least, int64_t n) {
  int64_t far = 0;
  for (int64_t k = 0; k < n; k++) {
    double mine = (one.stay[k] + other.move[k]) / (below_one.stay[k] + below_other.move[k]);
    double theirs = (other.stay[k] + one.move[k]) / (below_other.stay[k] + below_one.move[k]);
    far += fabs(mine - theirs) >= least;
  }
  return far;
}

WIDE static int64_t far_of_shared(Sums one, Sums other, const double *below, double least,
                                  int64_t n) {
  int64_t far = 0;
  for (int64_t k = 0; k < n; k++) {
    double mine = (one.stay[k] + other.move[k]) / below[k];
    double theirs = (other.stay[k] + one.move[k]) / below[k];
    far += fabs(mine - theirs) >= least;
  }
  return far;
}

/* Count for each pair the replicates that differ by `least` of it or more.
 *
 * `below_move` is null where all systems share what is below, one row. Rows have `n` numbers. */
VISIBLE void coleval_exchanges(const double *stay, const double *move, const double *below_stay,
                               const double *below_move, int64_t n, const int64_t *pair,
                               const double *least, int64_t pairs, int64_t *far) {
  for (int64_t at = 0; at < pairs; at++) {
    int64_t a = pair[2 * at] * n, b = pair[2 * at + 1] * n;
    Sums one = {stay + a, move + a}, other = {stay + b, move + b};
    if (!below_move) {
      far[at] += far_of_shared(one, other, below_stay, least[at], n);
      continue;
    }
    Sums below_one = {below_stay + a, below_move + a}, below_other = {below_stay + b, below_move + b};
    far[at] += far_of_both(one, other, below_one, below_other, least[at], n);
  }
}
