-- On which labels is a system weakest, compared with the mean of all others?
--
-- reads:   cell (n, system, gold, answer), standing (system, correct, place)
-- params:  system, least = 10
-- returns: label, items, right, share, others, points
--
-- system: the best by default (view standing).
with chosen_system as (
  select system
  from standing
  where
    system = $system
    or ($system is null and place = 1 and correct > 0)
),
own as (
  select
    gold as label,
    sum(n)::bigint as items,
    coalesce(sum(n) filter (gold = answer), 0)::bigint as right_items
  from cell
  join chosen_system using (system)
  where gold is not null
  group by gold
),
rest as (
  select
    gold as label,
    coalesce(sum(n) filter (gold = answer), 0) / sum(n) as others
  from cell
  anti join chosen_system using (system)
  where gold is not null
  group by gold
)
select
  label,
  items,
  right_items as right,
  round(right_items / items, 4) as share,
  round(others, 4) as others,
  round(100 * (right_items / items - others), 2) as points
from own
left join rest using (label)
where items >= $least
order by
  share nulls last,
  items desc nulls last,
  label nulls last
