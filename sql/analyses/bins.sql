-- Difficulty bins: how many items of gold how many systems solve (Gianola et al. 2021).
--
-- reads:   tally (pattern, n, gold, correct, judge)
-- params:  none
-- returns: bin, items
--
-- Bin 0: no system solves the item, last bin: all do. Only judges count (--bins-from).
with difficulty as (
  select
    pattern,
    n,
    count(*) filter (correct and judge) as bin
  from tally
  where gold is not null
  group by
    pattern,
    n
)
select
  bin,
  sum(n)::bigint as items
from difficulty
group by bin
order by bin nulls last
