-- What becomes of items of each difficulty for one system?
--
-- reads:   outcome (item, system, outcome), item (item, difficulty), tally (n, number, system, gold, correct)
-- params:  system
-- returns: solved_by, items, correct, mislabelled, missed
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
)
select
  item.difficulty as solved_by,
  count(*)::bigint as items,
  count(*) filter (outcome = 'correct')::bigint as correct,
  count(*) filter (outcome = 'mislabelled')::bigint as mislabelled,
  count(*) filter (outcome = 'missed')::bigint as missed
from outcome
join item using (item)
join chosen_system using (system)
where item.difficulty is not null
group by solved_by
order by solved_by nulls last
