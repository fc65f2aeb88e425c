-- Which labels does each system predict too often or too seldom?
--
-- reads:   cell (n, system, gold, answer)
-- params:  least = 10, limit = 30
-- returns: system, label, gold, predicted, ratio
with side as (
  select
    system,
    gold as label,
    n as gold,
    0 as predicted
  from cell
  where gold is not null
  union all
  select
    system,
    answer as label,
    0 as gold,
    n as predicted
  from cell
  where answer is not null
),
counted as (
  select
    system,
    label,
    sum(gold)::bigint as gold,
    sum(predicted)::bigint as predicted
  from side
  group by all
)
select
  system,
  label,
  gold,
  predicted,
  round(predicted / gold, 3) as ratio
from counted
where gold >= $least
order by
  abs(ln(greatest(predicted, 0.5) / gold)) desc nulls last,
  system nulls last,
  label nulls last
limit $limit
