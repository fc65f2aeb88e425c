-- Which two systems answer most alike, and how often do they share an error?
--
-- reads:   tally (pattern, n, system, answer, correct, findable), pair (before, after)
-- params:  limit = 20
-- returns: a, b, items, same, share, same_error, wrong_both
with counted as (
  select
    pair.before as a,
    pair.after as b,
    sum(a.n)::bigint as items,
    coalesce(sum(a.n) filter (a.answer is not distinct from b.answer), 0)::bigint as same,
    coalesce(sum(a.n) filter (
      not a.correct
      and a.answer is not distinct from b.answer
    ), 0)::bigint as same_error,
    coalesce(sum(a.n) filter (not a.correct and not b.correct), 0)::bigint as wrong_both
  from pair
  join tally as a on a.system = pair.before
  join tally as b on b.system = pair.after and b.pattern = a.pattern
  where
    a.findable
    or a.answer is not null
    or b.answer is not null
  group by all
)
select
  a,
  b,
  items,
  same,
  round(same / items, 4) as share,
  same_error,
  wrong_both
from counted
order by
  share desc nulls last,
  a nulls last,
  b nulls last
limit $limit
