-- What does no system get right, and what does one system predict there?
--
-- reads:   item (item, form, gold, difficulty), outcome (item, system, answer), tally (n, number, system, gold, correct)
-- params:  system, limit = 20
-- returns: form, gold, items, predicts
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
  item.form,
  item.gold,
  count(*)::bigint as items,
  mode(outcome.answer order by outcome.answer) as predicts
from item
join outcome using (item)
join chosen_system using (system)
where item.difficulty = 0
group by all
order by
  items desc nulls last,
  form nulls last,
  gold nulls last
limit $limit
