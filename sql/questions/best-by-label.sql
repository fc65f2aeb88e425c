-- Which system has most of each label right, and by how much?
--
-- reads:   cell (n, system, gold, answer), system (number, system)
-- params:  none
-- returns: label, items, system, right, ahead
--
-- ahead: items more than the next system has right.
with each as (
  select
    gold as label,
    system,
    number,
    sum(n)::bigint as items,
    coalesce(sum(n) filter (gold = answer), 0)::bigint as correct
  from cell
  join system using (system)
  where gold is not null
  group by all
),
ranked as (
  select
    *,
    row_number() over place as place,
    correct - lead(correct) over place as ahead
  from each
  window place as (
    partition by label
    order by
      correct desc,
      number
  )
)
select
  label,
  items,
  system,
  correct as right,
  ahead
from ranked
where place = 1
order by
  items desc nulls last,
  label nulls last
