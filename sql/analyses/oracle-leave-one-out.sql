-- What each system has right, and what no other system has: the loss if it were not there.
--
-- reads:   tally (pattern, n, number, system, correct, findable)
-- params:  none
-- returns: system, correct, alone
with judged as (
  select
    number,
    system,
    n,
    correct,
    count(*) filter (correct) over (partition by pattern) as k
  from tally
  where findable
)
select
  system,
  coalesce(sum(n) filter (correct), 0)::bigint as correct,
  coalesce(sum(n) filter (correct and k = 1), 0)::bigint as alone
from judged
group by
  number,
  system
order by
  alone desc nulls last,
  correct desc nulls last,
  system nulls last
