-- What each system solves of all items of gold, and what it alone solves (bin 1).
--
-- reads:   tally (pattern, n, system, gold, correct, judge)
-- params:  none
-- returns: system, tp, items, recall, singular
with placed as (
  select
    system,
    correct,
    n,
    count(*) filter (correct and judge) over (partition by pattern) as bin
  from tally
  where gold is not null
),
counted as (
  select
    system,
    coalesce(sum(n) filter (correct), 0)::bigint as tp,
    sum(n)::bigint as items,
    coalesce(sum(n) filter (correct and bin = 1), 0)::bigint as singular
  from placed
  group by system
)
select
  system,
  tp,
  items,
  tp / nullif(items, 0) as recall,
  singular
from counted
order by
  tp desc nulls last,
  system nulls last
