-- Which labels of gold does a system never predict?
--
-- reads:   cell (n, system, gold, answer)
-- params:  none
-- returns: system, label, items
with label as (
  select
    gold as label,
    system,
    sum(n)::bigint as items
  from cell
  where gold is not null
  group by all
),
said as (
  select distinct
    system,
    answer as label
  from cell
  where answer is not null
)
select
  system,
  label,
  items
from label
anti join said using (system, label)
order by
  items desc nulls last,
  system nulls last,
  label nulls last
