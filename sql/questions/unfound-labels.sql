-- Which labels does no system find, and how good is the best system on them?
--
-- reads:   tally (pattern, n, number, system, gold, correct)
-- params:  none
-- returns: label, items, solved_by_none, best, best_system
with found as (
  select
    pattern,
    gold as label,
    n,
    bool_or(correct) as solved
  from tally
  where gold is not null
  group by all
),
whole as (
  select
    label,
    sum(n)::bigint as items,
    coalesce(sum(n) filter (not solved), 0) / sum(n) as solved_by_none
  from found
  group by label
),
each as (
  select
    gold as label,
    system,
    number,
    coalesce(sum(n) filter (correct), 0) / sum(n) as share
  from tally
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
