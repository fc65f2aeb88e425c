-- Which forms does a system always get wrong that others get right?
--
-- reads:   outcome (item, system, gold, outcome), item (item, form, difficulty), tally (n, number, system, gold, correct)
-- params:  system, least = 3, limit = 20
-- returns: form, items, solved_by
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
  count(*)::bigint as items,
  round(avg(item.difficulty), 2) as solved_by
from outcome
join item using (item)
join chosen_system using (system)
where outcome.gold is not null
group by item.form
having
  count(*) >= min($least)
  and count(*) filter (outcome = 'correct') = 0
order by
  solved_by desc nulls last,
  items desc nulls last,
  form nulls last
limit $limit
