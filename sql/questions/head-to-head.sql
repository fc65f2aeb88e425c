-- Where exactly one of two systems is right, which is it, for every two systems?
--
-- reads:   tally (pattern, n, system, correct, findable), pair (before, after)
-- params:  limit = 30
-- returns: a, b, only_a, only_b, share_a
with counted as (
  select
    pair.before as a,
    pair.after as b,
    coalesce(sum(a.n) filter (a.correct and not b.correct), 0)::bigint as only_a,
    coalesce(sum(a.n) filter (b.correct and not a.correct), 0)::bigint as only_b
  from pair
  join tally as a on a.system = pair.before
  join tally as b on b.system = pair.after and b.pattern = a.pattern
  where a.findable
  group by all
)
select
  a,
  b,
  only_a,
  only_b,
  round(only_a / nullif(only_a + only_b, 0), 4) as share_a
from counted
order by
  abs(only_a - only_b) desc nulls last,
  a nulls last,
  b nulls last
limit $limit
