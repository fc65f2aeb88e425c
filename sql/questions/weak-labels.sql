-- On which labels is a system weakest, compared with the mean of all others?
--
-- reads:   tally (n, number, system, gold, correct)
-- params:  system, least = 10
-- returns: label, items, right, share, others, points
--
-- system: the one with most right by default.
with best as (
  select system
  from tally
  where
    correct
    and gold is not null
  group by system
  order by
    sum(n) desc,
    min(number)
  limit 1
),
chosen_system as (
  select coalesce($system, (select system from best)) as system
),
own as (
  select
    gold as label,
    sum(n)::bigint as items,
    coalesce(sum(n) filter (correct), 0)::bigint as right_items
  from tally
  join chosen_system using (system)
  where gold is not null
  group by gold
),
rest as (
  select
    gold as label,
    coalesce(sum(n) filter (correct), 0) / sum(n) as others
  from tally
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
