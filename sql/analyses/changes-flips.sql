-- Negative flips: items that every earlier system has right and this one breaks.
--
-- reads:   tally (pattern, n, number, system, correct, findable)
-- params:  none
-- returns: number, system, held, flips, firsts
--
-- held: all earlier systems have it right. firsts: none of them has, and this one has.
with before as (
  select
    number,
    system,
    n,
    correct,
    bool_and(correct) over earlier as every_one,
    bool_or(correct) over earlier as some_one
  from tally
  where findable
  window earlier as (
    partition by pattern
    order by number
    rows between unbounded preceding and 1 preceding
  )
)
select
  number,
  system,
  coalesce(sum(n) filter (every_one), 0)::bigint as held,
  coalesce(sum(n) filter (every_one and not correct), 0)::bigint as flips,
  coalesce(sum(n) filter (correct and not some_one), 0)::bigint as firsts
from before
where number > 1
group by all
order by number nulls last
