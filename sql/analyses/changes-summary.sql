-- What changed from one system to another: corrections, new errors, changed errors (Tuggener 2017).
--
-- reads:   tally (pattern, n, system, answer, correct, findable), pair (before, after)
-- params:  none
-- returns: before, after, items, different, corrections, new_errors, changed_errors, correct_before, correct_after, correct_both
--
-- An item is one that gold or one of the two answers, where nothing is an answer, every item is.
select
  pair.before,
  pair.after,
  sum(a.n)::bigint as items,
  coalesce(sum(a.n) filter (a.answer is distinct from b.answer), 0)::bigint as different,
  coalesce(sum(a.n) filter (b.correct and not a.correct), 0)::bigint as corrections,
  coalesce(sum(a.n) filter (a.correct and not b.correct), 0)::bigint as new_errors,
  coalesce(sum(a.n) filter (
    a.answer is distinct from b.answer
    and not a.correct
    and not b.correct
  ), 0)::bigint as changed_errors,
  coalesce(sum(a.n) filter (a.correct), 0)::bigint as correct_before,
  coalesce(sum(a.n) filter (b.correct), 0)::bigint as correct_after,
  coalesce(sum(a.n) filter (a.correct and b.correct), 0)::bigint as correct_both
from pair
join tally as a on a.system = pair.before
join tally as b on b.system = pair.after and b.pattern = a.pattern
where
  a.findable
  or a.answer is not null
  or b.answer is not null
group by all
order by
  before nulls last,
  after nulls last
