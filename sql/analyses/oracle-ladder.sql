-- One rung of the ladder: how many more items each system has right than those chosen already.
--
-- reads:   tally (pattern, n, number, system, correct, findable), chosen (system)
-- params:  none
-- returns: number, system, adds
--
-- The ladder is greedy: the system that adds most is chosen and the question put again, which a
-- SELECT alone cannot say. Of equal systems that with most right comes first, then the first given.
with reached as (
  select distinct pattern
  from tally
  semi join chosen using (system)
  where correct
)
select
  number,
  system,
  coalesce(sum(n) filter (correct), 0)::bigint as adds
from tally
anti join reached using (pattern)
where findable
group by all
order by number nulls last
