-- Which labels does no system find, and how good is the best system on them?
--
-- reads:   answer_list (gold, answers), cell (n, system, gold, answer), system (number, system)
-- params:  none
-- returns: label, items, solved_by_none, best, best_system
with whole as (
  select
    gold as label,
    count(*)::bigint as items,
    count(*) filter (list_position(answers, gold) is null) / count(*) as solved_by_none
  from answer_list
  where gold is not null
  group by label
),
each as (
  select
    gold as label,
    system,
    number,
    coalesce(sum(n) filter (gold = answer), 0) / sum(n) as share
  from cell
  join system using (system)
  where gold is not null
  group by all
),
best as (
  select
    label,
    max(share) as best,
    arg_max(system, (share, -number)) as best_system
  from each
  group by label
)
select
  label,
  items,
  round(solved_by_none, 4) as solved_by_none,
  round(best, 4) as best,
  best_system
from whole
join best using (label)
order by
  solved_by_none desc nulls last,
  items desc nulls last,
  label nulls last
