-- True positives per bin: how many items of each difficulty each system solves.
--
-- reads:   tally (pattern, n, system, gold, correct, judge)
-- params:  none
-- returns: bin, system, tp
with placed as (
  select
    system,
    correct,
    n,
    count(*) filter (correct and judge) over (partition by pattern) as bin
  from tally
  where gold is not null
)
select
  bin,
  system,
  coalesce(sum(n) filter (correct), 0)::bigint as tp
from placed
group by all
order by
  bin nulls last,
  system nulls last
