-- What each relation or tag of trees has: gold's words, the system's, and those that are right.
--
-- reads:   tally (n, system, label_gold, label, correct)
-- params:  none
-- returns: system, label, gold, predicted, correct
with side as (
  select
    system,
    label_gold as label,
    n as gold,
    0 as predicted,
    case when correct then n else 0 end as correct
  from tally
  where label_gold is not null
  union all
  select
    system,
    label,
    0 as gold,
    n as predicted,
    0 as correct
  from tally
  where label is not null
)
select
  system,
  label,
  sum(gold)::bigint as gold,
  sum(predicted)::bigint as predicted,
  sum(side.correct)::bigint as correct
from side
group by all
order by
  system nulls last,
  label nulls last
