-- Which two systems reach most together, if one always knew which to take?
--
-- reads:   tally (pattern, n, system, correct, findable), pair (before, after)
-- params:  limit = 20
-- returns: a, b, items, right_a, right_b, together, gain
with counted as (
  select
    pair.before as a,
    pair.after as b,
    sum(a.n)::bigint as items,
    coalesce(sum(a.n) filter (a.correct), 0)::bigint as right_a,
    coalesce(sum(a.n) filter (b.correct), 0)::bigint as right_b,
    coalesce(sum(a.n) filter (a.correct or b.correct), 0)::bigint as together
  from pair
  join tally as a on a.system = pair.before
  join tally as b on b.system = pair.after and b.pattern = a.pattern
  where a.findable
  group by all
)
select
  *,
  together - greatest(right_a, right_b) as gain
from counted
order by
  together desc nulls last,
  a nulls last,
  b nulls last
limit $limit
