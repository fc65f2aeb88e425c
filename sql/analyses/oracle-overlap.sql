-- Shared errors: how many items two systems have wrong, both of them and either.
--
-- reads:   tally (pattern, n, system, answer, correct), pair (before, after)
-- params:  none
-- returns: a, b, errors_a, errors_b, both, either, different
select
  pair.before as a,
  pair.after as b,
  coalesce(sum(a.n) filter (not a.correct), 0)::bigint as errors_a,
  coalesce(sum(a.n) filter (not b.correct), 0)::bigint as errors_b,
  coalesce(sum(a.n) filter (not a.correct and not b.correct), 0)::bigint as both,
  coalesce(sum(a.n) filter (not a.correct or not b.correct), 0)::bigint as either,
  coalesce(sum(a.n) filter (a.answer is distinct from b.answer), 0)::bigint as different
from pair
join tally as a on a.system = pair.before
join tally as b on b.system = pair.after and b.pattern = a.pattern
group by all
order by
  a nulls last,
  b nulls last
