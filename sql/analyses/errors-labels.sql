-- The traditional count of spans by label: gold's (support), missed, and spurious ones.
--
-- reads:   tally (n, system, gold, answer, correct)
-- params:  none
-- returns: system, label, support, fn, fp
with side as (
  select
    system,
    gold as label,
    n as support,
    case when correct then 0 else n end as fn,
    0 as fp
  from tally
  where gold is not null
  union all
  select
    system,
    answer as label,
    0 as support,
    0 as fn,
    n as fp
  from tally
  where
    answer is not null
    and not correct
)
select
  system,
  label,
  sum(support)::bigint as support,
  sum(fn)::bigint as fn,
  sum(fp)::bigint as fp
from side
group by all
order by
  system nulls last,
  label nulls last
