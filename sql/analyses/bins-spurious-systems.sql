-- Spurious items by system: how many items of each spurious bin each system predicts.
--
-- reads:   tally (pattern, n, system, gold, answer, judge)
-- params:  none
-- returns: bin, system, spurious
with placed as (
  select
    system,
    answer,
    n,
    count(*) filter (answer is not null and judge) over (partition by pattern) as bin
  from tally
  where gold is null
)
select
  bin,
  system,
  coalesce(sum(n) filter (answer is not null), 0)::bigint as spurious
from placed
group by all
order by
  bin nulls last,
  system nulls last
