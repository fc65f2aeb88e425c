-- Spurious bins: how many items without gold how many systems predict.
--
-- reads:   tally (pattern, n, gold, answer, judge)
-- params:  none
-- returns: bin, items
with invented as (
  select
    pattern,
    n,
    count(*) filter (answer is not null and judge) as bin
  from tally
  where gold is null
  group by
    pattern,
    n
)
select
  bin,
  sum(n)::bigint as items
from invented
group by bin
order by bin nulls last
