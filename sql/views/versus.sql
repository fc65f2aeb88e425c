-- Every two systems: how often they answer the same, and how often both or one of them is right.
--
-- reads:   tally (pattern, n, system, answer, correct, findable), pair (before, after)
-- params:  none
-- returns: before, after, items, same, same_error, wrong_both, found, right_before, right_after, right_both
--
-- items: those that gold or one of the two answers. found and what follows: those that gold has.
select
  pair.before,
  pair.after,
  coalesce(sum(a.n) filter (
    a.findable
    or a.answer is not null
    or b.answer is not null
  ), 0)::bigint as items,
  coalesce(sum(a.n) filter (
    (a.findable or a.answer is not null)
    and a.answer is not distinct from b.answer
  ), 0)::bigint as same,
  coalesce(sum(a.n) filter (
    not a.correct
    and a.answer is not distinct from b.answer
  ), 0)::bigint as same_error,
  coalesce(sum(a.n) filter (not a.correct and not b.correct), 0)::bigint as wrong_both,
  coalesce(sum(a.n) filter (a.findable), 0)::bigint as found,
  coalesce(sum(a.n) filter (a.findable and a.correct), 0)::bigint as right_before,
  coalesce(sum(a.n) filter (a.findable and b.correct), 0)::bigint as right_after,
  coalesce(sum(a.n) filter (a.findable and a.correct and b.correct), 0)::bigint as right_both
from pair
join tally as a on a.system = pair.before
join tally as b on b.system = pair.after and b.pattern = a.pattern
group by all
